const ELLIPSIS = '…'

/**
 * At most `max` characters (UTF-16 units), cut between words and ended with an ellipsis when anything was left out. A
 * word that alone fills more than half of the room is cut inside, never inside a surrogate pair.
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
