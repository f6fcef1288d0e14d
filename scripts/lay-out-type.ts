/** Lays out types as TypeScript prints them in readable lines. */

const LINE = 110

/** Splits a type at separators outside brackets. */
export function splitAt(text: string, separator: string): string[] {
  const parts: string[] = []
  let [depth, start] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    if (/[{([<]/.test(text[at]!)) depth++
    else if (/[})\]]/.test(text[at]!) || (text[at] === '>' && text[at - 1] !== '=')) depth--
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(start, at))
      start = at + separator.length
    }
  }
  return [...parts, text.slice(start)]
}

/** Each case of a long union on lines of its own. */
export function layOut(text: string): string {
  if (text.length <= LINE) return ` ${text}`
  const cases = splitAt(text, ' | ').map((each) => {
    if (each.length <= LINE || !each.startsWith('{ ')) return `\n  | ${each}`
    const fields = splitAt(each.slice(2, -2), '; ').map((field) => field.replace(/;$/, ''))
    return `\n  | {\n${fields.map((field) => `      ${field}`).join('\n')}\n    }`
  })
  return cases.join('')
}

/** Shortens a very long type to its field names or its own name. */
export function shortened(text: string): string {
  if (text.length <= 2 * LINE) return text
  if (!text.startsWith('{ ')) return text.replace(/<.*/s, '')
  const fields = splitAt(text.slice(2, -2), '; ').map((field) => /^(?:readonly )?(\w+)/.exec(field)?.[1])
  return `{\n${fields.map((field) => `  ${field}: ...`).join('\n')}\n}`
}
