/** The content of `$(...)` or backticks, and where it ends in the line. */
export interface Substitution {
  line: string
  end: number
}

/** The substitution that starts at this position; null if none does. An unclosed one ends with the line. */
export function substitutionAt(line: string, at: number): Substitution | null {
  if (line[at] === '`') {
    const end = line.indexOf('`', at + 1)
    return { line: line.slice(at + 1, end < 0 ? undefined : end), end: end < 0 ? line.length - 1 : end }
  }
  if (!line.startsWith('$(', at) || line.startsWith('$((', at)) return null
  let inner = ''
  let depth = 1
  let quote: string | null = null
  for (let i = at + 2; i < line.length; i++) {
    const sign = line[i]!
    if (sign === '\\') {
      inner += sign + (line[++i] ?? '')
      continue
    }
    if (quote !== null) quote = sign === quote ? null : quote
    else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '<' && line[i + 1] === '<') i = skipDocument(line, i)
    else if (sign === '(') depth++
    else if (sign === ')' && --depth === 0) return { line: inner, end: i }
    inner += line[i]
  }
  return { line: inner, end: line.length - 1 }
}

/** Skips a `<<EOF` document: a program reads it, it is not run. */
function skipDocument(line: string, at: number): number {
  const [opening, , name] = /^<<-?\s*(['"]?)(\w+)\1[^\n]*/.exec(line.slice(at)) ?? []
  if (opening === undefined) return at
  const closing = new RegExp(`\\n\\s*${name}(?=\\s|$)`).exec(line.slice(at + opening.length))
  return closing === null ? line.length - 1 : at + opening.length + closing.index + closing[0].length - 1
}
