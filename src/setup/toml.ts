import { parse, stringify } from 'smol-toml'
import { MemoryError } from '../model/errors.ts'
import { isRecord } from '../text/json.ts'
import { type Entry, isSame, type Status } from './entry.ts'

/** Adds and removes a table of its own. Every other byte of the text stays the same. */
export function statusOf(text: string, { at, value }: Entry): Status {
  const found = at.reduce<unknown>((table, name) => (table as Record<string, unknown> | undefined)?.[name], read(text))
  return found === undefined ? 'missing' : isSame(plain(found), value) ? 'same' : 'other'
}

export function put(text: string, { at, value }: Entry): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' || text.endsWith(`${eol}${eol}`) ? '' : text.endsWith(eol) ? eol : eol + eol
  const table = `[${at.join('.')}]\n${stringify(value as Record<string, unknown>)}`.trimEnd()
  const whole = `${text}${gap}${table.replaceAll('\n', eol)}${eol}`
  if (isReadable(whole, at)) return whole
  throw new MemoryError('INVALID_INPUT', `${at[0]} is not written as tables ([${at[0]}.name]), so none can be added.`)
}

/** An inline table, an array of tables or a plain value cannot be followed by a subtable. */
function isReadable(text: string, at: readonly string[]): boolean {
  try {
    const found = at.reduce<unknown>((table, name) => (isRecord(table) ? table[name] : undefined), parse(text))
    return found !== undefined
  } catch {
    return false
  }
}

/** A file with any text stays. */
export function withRoot(text: string): string {
  return text
}

/** Removes the table with its subtables, up to the next table and the comments before that. */
export function remove(text: string, { at }: Entry): string {
  const name = at.map((part) => `(?:${part}|"${part}")`).join('\\s*\\.\\s*')
  const header = new RegExp(`^[ \\t]*\\[\\s*${name}\\s*[.\\]]`)
  const kept: string[] = []
  let within: string[] | null = null
  for (const line of text.split(/(?<=\n)/)) {
    if (/^\s*\[/.test(line)) {
      if (within !== null) kept.push(...remarksOf(within))
      within = header.test(line) ? [] : null
      // The blank line that was added before it.
      if (within !== null && kept.at(-1)?.trim() === '') kept.pop()
    } else within?.push(line)
    if (within === null) kept.push(line)
  }
  if (within !== null) kept.push(...remarksOf(within))
  const without = kept.join('')
  read(without)
  return without
}

export function remainder(text: string): string[] {
  return Object.keys(read(text))
}

export function depthOf(text: string, at: readonly string[]): number {
  const table = read(text)[at[0]!]
  return table === undefined ? 0 : 1
}

/** Trailing comment lines of the table that belong to the next one. */
function remarksOf(lines: readonly string[]): string[] {
  const last = lines.findLastIndex((line) => !/^(#.*)?$/.test(line.trim()))
  return lines.slice(last + 1)
}

function read(text: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (error) {
    throw new MemoryError('INVALID_INPUT', `It is not valid TOML: ${(error as Error).message.split('\n')[0]}`, {
      cause: error,
    })
  }
}

/** Without the parser's prototypes. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
