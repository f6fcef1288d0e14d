import { stemmer } from 'stemmer'

/** Letters and digits with their marks, of any script. */
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu
/** Scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const ASCII = /^[\x00-\x7F]*$/
/** A Latin letter with marks: they are dropped, because people type names without them. Other scripts need theirs. */
const MARKED_LATIN = /(\p{Script=Latin})\p{M}+/gu

/**
 * The words of a text as keyword search sees them, for every backend: lower case, English words stemmed, text without
 * spaces between words cut by the rules of Unicode.
 */
export function tokenize(text: string): string[] {
  if (ASCII.test(text)) return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map(stem)
  const folded = text.normalize('NFKD').replace(MARKED_LATIN, '$1').normalize('NFC').toLowerCase()
  return (folded.match(WORD) ?? []).flatMap(cut).map(stem)
}

/** The distinct tokens under which a memory is found: its text, its service and its tags. */
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
  if (!UNSPACED.test(word)) return [word]
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' })
  return Array.from(segmenter.segment(word), ({ segment }) => segment)
}

/** Stems of words seen, since the same words come again and again. */
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

/** Whether `phrase` occurs in `tokens` in one piece. */
export function includesPhrase(tokens: readonly string[], phrase: readonly string[]): boolean {
  if (phrase.length === 0) return false
  if (phrase.length === 1) return tokens.includes(phrase[0]!)
  return tokens.some((_, start) => phrase.every((token, i) => tokens[start + i] === token))
}
