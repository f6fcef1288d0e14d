import type { Answer } from './ask-all.ts'
import { type Figure, measure, median, ndcg10, precisionAt, recallAt, reciprocalRank, shownWrongly } from './figures.ts'

const FIGURES: Record<string, Figure> = {
  'R@1': recallAt(1),
  'R@5': recallAt(5),
  'R@10': recallAt(10),
  'R@25': recallAt(25),
  'R@50': recallAt(50),
  'NDCG@10': ndcg10,
  MRR: reciprocalRank,
  'R@5 at .7': recallAt(5, 0.7),
  'shown without an answer': shownWrongly(0.7),
}
const THRESHOLDS = [0, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9]

export interface Row {
  name: string
  questions: number
  figures: Record<string, { mean: number; low: number; high: number }>
  medianMs: number
}

/** The answers of one way to search, all together or of one category. */
export function rowOf(name: string, answers: readonly Answer[]): Row {
  const figures: Row['figures'] = {}
  for (const [title, figure] of Object.entries(FIGURES)) {
    const { mean, low, high } = measure(answers, figure)
    if (mean !== null) figures[title] = { mean, low, high }
  }
  return { name, questions: answers.length, figures, medianMs: median(answers) }
}

/** Precision and recall by threshold. */
export function thresholdRows(answers: readonly Answer[]) {
  const mean = (figure: Figure) => measure(answers, figure).mean
  return THRESHOLDS.map((threshold) => ({
    threshold,
    'recall among five': mean(recallAt(5, threshold)),
    precision: mean(precisionAt(threshold)),
    'shown without an answer': mean(shownWrongly(threshold)),
  }))
}

const percent = (value: number | null | undefined) => (value == null ? '' : (100 * value).toFixed(1))

export function toTable(rows: readonly Row[]): string {
  const titles = Object.keys(FIGURES).filter((title) => rows.some(({ figures }) => title in figures))
  const head = ['', 'questions', ...titles, 'ms']
  const lines = rows.map(({ name, questions, figures, medianMs }) => [
    name,
    String(questions),
    ...titles.map((title) => {
      const figure = figures[title]
      return figure ? `${percent(figure.mean)} (${percent(figure.low)}-${percent(figure.high)})` : ''
    }),
    medianMs.toFixed(1),
  ])
  return markdown(head, lines)
}

export function toThresholdTable(rows: ReturnType<typeof thresholdRows>): string {
  const head = Object.keys(rows[0]!)
  const lines = rows.map(({ threshold, ...shares }) => [String(threshold), ...Object.values(shares).map(percent)])
  return markdown(head, lines)
}

/** Columns of equal width, so that it reads in a terminal as well. */
function markdown(head: readonly string[], lines: readonly string[][]): string {
  const widths = head.map((title, i) => Math.max(3, title.length, ...lines.map((line) => line[i]!.length)))
  const row = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`
  return [row(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.map(row)].join('\n')
}

const BAR = { height: 18, gap: 8, label: 260, width: 420, top: 44 }

/** One figure of every row as bars with their intervals. */
export function toSvg(title: string, rows: readonly Row[], figure = 'R@10'): string {
  const shown = rows.filter(({ figures }) => figure in figures)
  const height = BAR.top + shown.length * (BAR.height + BAR.gap) + 10
  const bars = shown.map(({ name, figures }, i) => {
    const { mean, low, high } = figures[figure]!
    const y = BAR.top + i * (BAR.height + BAR.gap)
    const [middle, x] = [y + BAR.height / 2, (value: number) => BAR.label + value * BAR.width]
    return `<text x="${BAR.label - 8}" y="${middle + 4}" text-anchor="end">${escapeXml(name)}</text>
<rect x="${BAR.label}" y="${y}" width="${mean * BAR.width}" height="${BAR.height}" rx="3" fill="#2f6f8f"/>
<line x1="${x(low)}" x2="${x(high)}" y1="${middle}" y2="${middle}" stroke="#10303f" stroke-width="2"/>
<text x="${x(high) + 6}" y="${middle + 4}">${percent(mean)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${BAR.label + BAR.width + 60} ${height}" font-family="system-ui, sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#fff"/>
<text x="16" y="26" font-size="16" font-weight="600">${escapeXml(`${title}: ${figure} in percent, with 95 % intervals`)}</text>
${bars.join('\n')}
</svg>
`
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
