import { stemmer } from 'stemmer'

const WORD = /[\p{L}\p{N}\p{Co}]+/gu

/**
 * The words of a text as keyword search sees them: letters and digits, lower case, without diacritics, stemmed. The same as
 * SQLite's `porter unicode61 remove_diacritics 2`, so that what the index finds and what the engine explains agree.
 */
export function tokenize(text: string): string[] {
  const folded = text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  return (folded.toLowerCase().match(WORD) ?? []).map(stem)
}

/** Stems of words seen, since the same words come again and again. */
const stems = new Map<string, string>()
const MOST_STEMS = 20_000

/** SQLite stems only plain words of 3 to 63 bytes; anything else is a token as it stands. */
function stem(word: string): string {
  if (word.length < 3 || word.length > 63) return word
  let known = stems.get(word)
  if (known === undefined) {
    known = /^[\x00-\x7F]+$/.test(word) ? stemmer(word) : word
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
