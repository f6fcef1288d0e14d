import { escapeTerminal } from '../guard/escape.ts'
import { paint, type Style } from './output.ts'
import { shell } from './shell.ts'

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
  const room = shell().stdout.isTTY ? Math.max(20, (shell().stdout.columns ?? 80) - before) : Number.POSITIVE_INFINITY
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
