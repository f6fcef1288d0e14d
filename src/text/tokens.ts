import { stemmer } from 'stemmer'

/** Letters and digits with their combining marks, of any script; or an emoji with its joiners. */
const WORD =
  /\p{Extended_Pictographic}\p{EMod}?(?:\u200D\p{Extended_Pictographic}\p{EMod}?)*|\p{RI}{2}|[\p{L}\p{N}\p{M}\p{Co}]+/gu
/** Selects how the previous character is drawn. */
const VARIATION = /[\uFE0E\uFE0F]/g
/** Scripts that do not put spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const ASCII = /^[\x00-\x7F]*$/
/** A Latin letter with marks, which are dropped because people type names without them. Other scripts need theirs. */
const MARKED_LATIN = /(\p{Script=Latin})\p{M}+/gu

const HANGUL = /\p{Script=Hangul}/u
/** Between Hangul and anything else: `DB를` is the word DB and a particle. */
const HANGUL_BORDER = /(?<=\p{Script=Hangul})(?!\p{Script=Hangul}|\p{M})|(?<!\p{Script=Hangul})(?=\p{Script=Hangul})/u
/** Korean particles after a noun, the longest first. */
const PARTICLES =
  /(?:에서는|에서도|으로는|으로도|에게서|까지|부터|에서|에게|으로|처럼|보다|한테|께서|마다|이나|라도|이라|은|는|이|가|을|를|의|에|로|와|과|도|만)$/
/** Only these short words: many others merely look inflected. */
const SURE_PARTICLES = /(?:은|는|을|를|에|의)$/

/**
 * The words of a text for keyword search, the same for every backend: lower case, English words stemmed, Korean ones without
 * their particle, text without spaces split by Unicode's rules, each emoji a word.
 */
export function tokenize(text: string): string[] {
  if (ASCII.test(text)) return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map(stem)
  const folded = text
    .normalize('NFKD')
    .replace(MARKED_LATIN, '$1')
    .replace(VARIATION, '')
    .normalize('NFC')
    .toLowerCase()
  return (folded.match(WORD) ?? []).flatMap(cut).map(stem)
}

/** Words as people count them: separated by spaces, or segmented where a script has no spaces. */
export function countWords(text: string): number {
  const pieces = text.split(/\s+/).filter((piece) => piece !== '')
  return pieces.reduce((sum, piece) => sum + (UNSPACED.test(piece) ? tokenize(piece).length : 1), 0)
}

/** The distinct tokens by which a memory is found: its text, its service and its tags. */
export function memoryTokens({
  content,
  service,
  tags,
}: {
  content: string
  service: string | null
  tags: readonly string[]
}): string[] {
  return [...new Set([content, service ?? '', ...tags].flatMap(tokenize))]
}

let segmenter: Intl.Segmenter | null = null

function cut(word: string): string[] {
  if (HANGUL.test(word)) return word.split(HANGUL_BORDER).flatMap(withoutParticle)
  if (!UNSPACED.test(word)) return [word]
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' })
  return Array.from(segmenter.segment(word), ({ segment }) => segment)
}

/** The noun of a Korean word. A particle alone, after a foreign word, carries no meaning. */
function withoutParticle(part: string, at: number): string[] {
  if (!HANGUL.test(part)) return cut(part)
  if (at > 0 && part.replace(PARTICLES, '') === '') return []
  // Repeatedly, so that a noun that itself ends like a particle comes out the same with and without one.
  for (let noun = part; ; ) {
    const shorter = noun.replace(noun.length > 2 ? PARTICLES : SURE_PARTICLES, '')
    if (shorter === '' || shorter === noun) return [noun]
    noun = shorter
  }
}

/** A cache of stems, because the same words recur. */
const stems = new Map<string, string>()
const MOST_STEMS = 20_000

function stem(word: string): string {
  if (word.length < 3 || word.length > 63) return word
  let known = stems.get(word)
  if (known === undefined) {
    known = ASCII.test(word) ? stemmer(word) : word
    if (stems.size >= MOST_STEMS) stems.clear()
    stems.set(word, known)
  }
  return known
}

/** Whether `phrase` occurs in `tokens` as a contiguous sequence. */
export function includesPhrase(tokens: readonly string[], phrase: readonly string[]): boolean {
  if (phrase.length === 0) return false
  if (phrase.length === 1) return tokens.includes(phrase[0]!)
  return tokens.some((_, start) => phrase.every((token, i) => tokens[start + i] === token))
}
