/** Control characters, lone surrogates, and characters that reverse, hide or break a line of text. */
export const UNSEEN =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu

const PLAIN = /^[\n -~]*$/

/** Escapes JSON text for a terminal or a log. Line breaks between values stay, and the values stay the same. */
export function escapeJson(text: string): string {
  if (PLAIN.test(text)) return text
  return text.replace(UNSEEN, (character) => (character === '\n' ? character : toEscape(character)))
}

function toEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
