import { escapeTerminal } from '../guard/escape.ts'

type Stream = NodeJS.WriteStream

function usesColour(stream: Stream): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
}

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const
export type Style = keyof typeof CODES

/** Colours text where the stream is a terminal that wants it. */
export function paint(style: Style, text: string, stream: Stream = process.stdout): string {
  const [on, off] = CODES[style]
  return usesColour(stream) ? `\u001B[${on}m${text}\u001B[${off}m` : text
}

/** Writes to standard output, waiting where the reader is slower than we are. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once('drain', resolve))
}

export async function printLine(text = ''): Promise<void> {
  await write(`${text}\n`)
}

/** `1 memory`, `1,200 memories`. */
export function countOf(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** A remark beside the result, so on standard error. */
export function note(text: string): void {
  process.stderr.write(`${paint('dim', text, process.stderr)}\n`)
}

/** What JSON leaves as it is, and a terminal or an editor might obey. */
const UNSAFE_IN_JSON = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g

/** One JSON value: indented on a terminal, a single line for programs. The escapes leave the value as it is. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0)
  return text.replace(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  )
}

export async function printJson(value: unknown): Promise<void> {
  await printLine(toJson(value))
}

export interface Column<Row> {
  title: string
  value(row: Row): string
  style?: (row: Row) => Style | null
  align?: 'right'
}

/** Text columns under dim titles. On a terminal the last column is cut to the width; in a pipe nothing is. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = rows.map((row) => columns.map((column) => escapeTerminal(column.value(row))))
  const widths = columns.map((column, i) => Math.max(width(column.title), ...cells.map((line) => width(line[i]!))))
  const before = widths.slice(0, -1).reduce((sum, size) => sum + size + 2, 0)
  const room = process.stdout.isTTY ? Math.max(20, (process.stdout.columns ?? 80) - before) : Number.POSITIVE_INFINITY
  const line = (texts: readonly string[], dress: (text: string, i: number) => string) =>
    texts
      .map((text, i) => {
        const last = i === columns.length - 1
        const shown = last ? cut(text, room) : text
        const padding = last ? '' : ' '.repeat(widths[i]! - width(shown))
        return columns[i]!.align === 'right' ? padding + dress(shown, i) : dress(shown, i) + padding
      })
      .join('  ')
      .trimEnd()
  const titles = line(
    columns.map((column) => column.title),
    (text) => paint('dim', text),
  )
  const body = rows.map((row, r) =>
    line(cells[r]!, (text, i) => {
      const style = columns[i]!.style?.(row)
      return style ? paint(style, text) : text
    }),
  )
  return `${[titles, ...body].join('\n')}\n`
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u

/** Columns that a text takes on a terminal. */
function width(text: string): number {
  if (/^[\x20-\x7E]*$/.test(text)) return text.length
  let sum = 0
  for (const character of text) sum += WIDE.test(character) ? 2 : /\p{M}/u.test(character) ? 0 : 1
  return sum
}

function cut(text: string, room: number): string {
  if (width(text) <= room) return text
  let shown = ''
  let used = 0
  for (const character of text) {
    used += width(character)
    if (used > room - 1) break
    shown += character
  }
  return `${shown}…`
}
