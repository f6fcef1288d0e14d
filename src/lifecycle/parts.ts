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
  const parts = note.split(SEAM).filter((part) => wordsOf(part).length >= FEWEST_WORDS)
  if (parts.length < 2) return false
  const said = new Set(wordsOf(correction))
  const shares = parts.map((part) => {
    const words = wordsOf(part)
    return words.filter((word) => said.has(word)).length / words.length
  })
  return shares.some((share) => share >= SPOKEN_OF) && shares.some((share) => share <= LEFT_OUT)
}

function wordsOf(text: string): string[] {
  return tokenize(text).filter((word) => !EMPTY.has(word))
}
