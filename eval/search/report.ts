import type { Figure as Interval } from '../interval.ts'
import type { Answer } from './ask-all.ts'
import { type Figure, measure, median, ndcg10, precisionAt, recallAt, reciprocalRank, shownWrongly } from './figures.ts'

const FIGURES: Record<string, Figure> = {
  'R@1': recallAt(1),
  'R@5': recallAt(5),
  'R@10': recallAt(10),
  'NDCG@10': ndcg10,
  MRR: reciprocalRank,
  'R@5 at 0.7': recallAt(5, 0.7),
  'R@10 at 0.7': recallAt(10, 0.7),
  'shown without an answer': shownWrongly(0.7),
}
const THRESHOLDS = [0, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9]

export interface Row {
  name: string
  questions: number
  figures: Interval[]
  medianMs: number
}

/** The results of one search variant, overall or for one category. */
export function rowOf(name: string, answers: readonly Answer[]): Row {
  const figures = Object.entries(FIGURES).flatMap(([title, figure]) => measure(answers, figure, title) ?? [])
  return { name, questions: answers.length, figures, medianMs: median(answers) }
}

/** Precision and recall by threshold. */
export function thresholdRows(answers: readonly Answer[]) {
  const mean = (figure: Figure) => measure(answers, figure)?.value ?? null
  return THRESHOLDS.map((threshold) => ({
    threshold,
    'recall among five': mean(recallAt(5, threshold)),
    precision: mean(precisionAt(threshold)),
    'shown without an answer': mean(shownWrongly(threshold)),
  }))
}

const percent = (value: number | null | undefined) => (value == null ? '' : (100 * value).toFixed(1))

export function toTable(rows: readonly Row[]): string {
  const titles = Object.keys(FIGURES).filter((title) => rows.some((row) => figureOf(row, title)))
  const head = ['', 'questions', ...titles, 'ms']
  const lines = rows.map((row) => [
    row.name,
    String(row.questions),
    ...titles.map((title) => {
      const figure = figureOf(row, title)
      return figure ? `${percent(figure.value)} (${percent(figure.low)}-${percent(figure.high)})` : ''
    }),
    row.medianMs.toFixed(1),
  ])
  return markdown(head, lines)
}

function figureOf({ figures }: Row, title: string): Interval | undefined {
  return figures.find(({ name }) => name === title)
}

export function toThresholdTable(rows: ReturnType<typeof thresholdRows>): string {
  const head = Object.keys(rows[0]!)
  const lines = rows.map(({ threshold, ...shares }) => [String(threshold), ...Object.values(shares).map(percent)])
  return markdown(head, lines)
}

/** Columns of equal width, also readable in a terminal. */
function markdown(head: readonly string[], lines: readonly string[][]): string {
  const widths = head.map((title, i) => Math.max(3, title.length, ...lines.map((line) => line[i]!.length)))
  const row = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`
  return [row(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.map(row)].join('\n')
}
