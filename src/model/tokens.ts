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
  return (folded.match(WORD) ?? []).map(stem)
}

/** SQLite stems only plain words of 3 to 63 bytes; anything else is a token as it stands. */
function stem(word: string): string {
  return word.length > 2 && word.length < 64 && /^[\x00-\x7F]+$/.test(word) ? stemmer(word) : word
}

/** Whether `phrase` occurs in `tokens` in one piece. */
export function includesPhrase(tokens: readonly string[], phrase: readonly string[]): boolean {
  if (phrase.length === 0) return false
  if (phrase.length === 1) return tokens.includes(phrase[0]!)
  return tokens.some((_, start) => phrase.every((token, i) => tokens[start + i] === token))
}
