import { tokenize } from '../text/tokens.ts'

/** Boundary between two parts of a note. */
const SEAM = /(?<=[.;!?])\s+|;\s*|,?\s+(?:and|but|while|whereas)\s+|,\s+(?!\d)/
/** With fewer words, a part is not a statement of its own. */
const FEWEST_WORDS = 3
/** The share of a part's words above which another note covers it, and up to which it does not. */
const [SPOKEN_OF, LEFT_OUT] = [0.5, 0.34]
/** Words too common to compare. */
const EMPTY: ReadonlySet<string> = new Set(
  'a an the and or of to in on at by for from with is are was were be it its this that not no now still only'.split(
    ' ',
  ),
)

/**
 * Whether a note has a part that its correction does not mention: `Reads from Redis and writes to S3` with `It writes
 * to Postgres`.
 */
export function leavesPart(note: string, correction: string): boolean {
  const shares = sharesOf(note, correction).map(({ share }) => share)
  return shares.some((share) => share >= SPOKEN_OF) && shares.some((share) => share <= LEFT_OUT)
}

/** The one part of a note with several that the other note is about; null if the other mentions more or has several parts itself. */
export function partAbout(note: string, other: string): string | null {
  const parts = sharesOf(note, other)
  const [only, ...more] = parts.filter(({ share }) => share > LEFT_OUT)
  if (only === undefined || more.length > 0 || parts.length < 2 || only.share < SPOKEN_OF) return null
  return sharesOf(other, note).length > 1 ? null : only.part
}

/** The parts of a note that are statements, with the share of their words that the other note has. */
function sharesOf(note: string, other: string): { part: string; share: number }[] {
  const said = new Set(wordsOf(other))
  return note.split(SEAM).flatMap((part) => {
    const words = wordsOf(part)
    if (words.length < FEWEST_WORDS) return []
    return [{ part, share: words.filter((word) => said.has(word)).length / words.length }]
  })
}

function wordsOf(text: string): string[] {
  return tokenize(text).filter((word) => !EMPTY.has(word))
}
