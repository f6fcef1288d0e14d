const ELLIPSIS = '…'

/**
 * Shortens a text to at most `max` characters (UTF-16 units), at a word boundary, with an ellipsis. A word that fills more
 * than half of the space is cut, but never inside a surrogate pair.
 */
export function shortenAtWord(text: string, max: number): string {
  if (text.length <= max) return text
  if (max <= 0) return ''
  const room = text.slice(0, max - ELLIPSIS.length + 1)
  const space = room.search(/\s\S*$/)
  const cut = space > max / 2 ? space : max - ELLIPSIS.length
  return withoutHalfPair(text.slice(0, cut)).replace(/[\s,;:.–—-]+$/u, '') + ELLIPSIS
}

function withoutHalfPair(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}
