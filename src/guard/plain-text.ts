const ENTITIES: Record<string, string> = {
  gt: '>',
  lt: '<',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  colon: ':',
  equals: '=',
}
/** Escapes, emphasis, code spans, tags, entities and characters without width. */
const MARKUP =
  /\\(?=[!-/:-@[-`{-~])|\*{2,3}|`+|(?<![A-Za-z0-9])_{2}(?=\S)|(?<=\S)_{2}(?![A-Za-z0-9])|<\/?[A-Za-z][A-Za-z0-9]{0,9}(?:\s[^<>]{0,80})?>|&(?:#(\d{1,5})|#x([0-9a-f]{1,4})|([a-z]{2,6}));|[\u200B-\u200D\u2060\uFEFF\u00AD]/gi

/** A text as it reads when its Markdown and HTML are rendered, and for each character its place in the original; null where it has none. */
export function withoutMarkup(text: string): { text: string; places: number[] } | null {
  const parts: string[] = []
  const places: number[] = []
  let position = 0
  const take = (to: number) => {
    parts.push(text.slice(position, to))
    for (let at = position; at < to; at++) places.push(at)
  }
  for (const match of text.matchAll(MARKUP)) {
    const [whole, decimal, hex, name] = match
    const read = name === undefined ? decode(decimal, hex) : ENTITIES[name.toLowerCase()]
    // What is no entity is text.
    if (read === undefined) continue
    take(match.index)
    parts.push(read)
    for (let at = 0; at < read.length; at++) places.push(match.index)
    position = match.index + whole.length
  }
  if (position === 0) return null
  take(text.length)
  return { text: parts.join(''), places }
}

function decode(decimal: string | undefined, hex: string | undefined): string {
  if (decimal === undefined && hex === undefined) return ''
  return String.fromCharCode(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal))
}
