import { escapeTerminal } from '../guard/escape.ts'
import { cutTo, widthOf } from './display-width.ts'
import { paint, type Style } from './output.ts'
import { shell } from './shell.ts'

export interface Column<Row> {
  title: string
  value(row: Row): string
  style?: (row: Row) => Style | null
  align?: 'right'
  /** Cut to this width on a narrow terminal. Without it the column keeps its width. */
  least?: number
  /** Dropped on a narrow terminal; the highest number first. */
  spare?: number
}

const GAP = 2
/** The width that the last column, the most important one, should have before others are cut or dropped. */
const WANTED = 40

/** Text columns under dim titles. On a terminal each row is one line; in a pipe nothing is cut. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = rows.map((row) => columns.map((column) => escapeTerminal(column.value(row))))
  const natural = columns.map((column, i) => Math.max(widthOf(column.title), ...cells.map((line) => widthOf(line[i]!))))
  const widths = fitWidths(columns, natural, lineWidth())
  const line = (texts: readonly string[], dress: (text: string, i: number) => string) =>
    texts
      .flatMap((text, i) => {
        const width = widths[i]!
        if (width === 0) return []
        const shown = cutTo(text, width)
        const padding = ' '.repeat(width - widthOf(shown))
        return columns[i]!.align === 'right' ? padding + dress(shown, i) : dress(shown, i) + padding
      })
      .join(' '.repeat(GAP))
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

function lineWidth(): number {
  const { isTTY, columns = 80 } = shell().stdout
  return isTTY ? columns : Number.POSITIVE_INFINITY
}

/** The width of each column; 0 for a dropped one. Together they fit into the line. */
function fitWidths(columns: readonly Column<never>[], natural: readonly number[], line: number): number[] {
  const widths = [...natural]
  const last = widths.length - 1
  const excess = () => {
    const shown = widths.filter((width) => width > 0)
    return shown.reduce((sum, width) => sum + width + GAP, -GAP) - line
  }
  const shrink = (i: number, least: number) => {
    widths[i] = Math.max(Math.min(widths[i]!, least), widths[i]! - Math.max(0, excess()))
  }
  shrink(last, WANTED)
  for (const [i, { least }] of columns.entries()) if (least !== undefined) shrink(i, least)
  const spare = [...columns.entries()].filter(([, column]) => column.spare !== undefined)
  for (const [i] of spare.sort(([, a], [, b]) => b.spare! - a.spare!)) if (excess() > 0) widths[i] = 0
  // Space from a dropped column goes to the last one.
  if (excess() < 0) widths[last] = Math.min(natural[last]!, widths[last]! - excess())
  for (let i = last; i >= 0; i--) if (excess() > 0 && widths[i]! > 0) shrink(i, 1)
  return widths
}
