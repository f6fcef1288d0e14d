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
/** Escapes, emphasis, code spans, tags, entities and zero-width characters. */
const MARKUP =
  /\\(?=[!-/:-@[-`{-~])|\*{2,3}|`+|(?<![A-Za-z0-9])_{2}(?=\S)|(?<=\S)_{2}(?![A-Za-z0-9])|<\/?[A-Za-z][A-Za-z0-9]{0,9}(?:\s[^<>]{0,80})?>|&(?:#(\d{1,5})|#x([0-9a-f]{1,4})|([a-z]{2,6}));|[\u200B-\u200D\u2060\uFEFF\u00AD]/gi

/** Inside a run of letters and digits, with what an editor or a shell puts around it. */
const BREAK_IN_RUN =
  /(?<=[A-Za-z0-9_+/=-]{2})[ \t]{0,8}\\?[ \t]{0,8}(?:\r\n|[\n\r\v\f\x85\u2028\u2029])[ \t]{0,40}(?=[A-Za-z0-9_+/=-]{2})/g

/** A rendered text, and for each character its position in the original; null if nothing changes. */
type Reading = { text: string; places: number[] } | null

/** As displayed once its Markdown and HTML are rendered. */
export function withoutMarkup(text: string): Reading {
  return reread(text, MARKUP, ([, decimal, hex, name]) =>
    name === undefined ? decode(decimal, hex) : ENTITIES[name.toLowerCase()],
  )
}

/** With lines that end inside a word joined to the next. */
export function withoutLineBreaks(text: string): Reading {
  return reread(text, BREAK_IN_RUN, () => '')
}

function reread(text: string, pattern: RegExp, read: (match: RegExpExecArray) => string | undefined): Reading {
  const parts: string[] = []
  const places: number[] = []
  let position = 0
  const take = (to: number) => {
    parts.push(text.slice(position, to))
    for (let at = position; at < to; at++) places.push(at)
  }
  for (const match of text.matchAll(pattern)) {
    const instead = read(match)
    // Not an entity, so plain text.
    if (instead === undefined) continue
    take(match.index)
    parts.push(instead)
    for (let at = 0; at < instead.length; at++) places.push(match.index)
    position = match.index + match[0].length
  }
  if (position === 0) return null
  take(text.length)
  return { text: parts.join(''), places }
}

function decode(decimal: string | undefined, hex: string | undefined): string {
  if (decimal === undefined && hex === undefined) return ''
  return String.fromCharCode(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal))
}
