import { type Figure, isMissed } from './interval.ts'

/** The result of an evaluation, in the common form that `docs/proof.md` is made from. */
export interface Report {
  eval: string
  /** A short definition of a right answer. */
  scoring: string
  groups: Group[]
  /** Items left out because a model was trained on them or on nearly the same. */
  leftOut?: string
}

export interface Group {
  name: string
  figures: Figure[]
  /** A remark about these figures. */
  note?: string
}

export function printReport(report: Report, json: boolean): void {
  console.log(json ? JSON.stringify(report, null, 1) : toText(report))
}

export function toText({ eval: name, scoring, groups, leftOut }: Report): string {
  const width = Math.max(...groups.flatMap(({ figures }) => figures.map((figure) => figure.name.length)))
  return [
    `${name}, with 95 % intervals`,
    scoring,
    ...(leftOut === undefined ? [] : [leftOut]),
    ...groups.flatMap((group) => ['', titleOf(group), ...group.figures.map((figure) => lineOf(figure, width))]),
  ].join('\n')
}

function titleOf({ name, note }: Group): string {
  return note === undefined ? name : `${name}: ${note}`
}

function lineOf(figure: Figure, width: number): string {
  const bar = barOf(figure)
  const count = figure.count === undefined || figure.unit === 'number' ? '' : `  ${round(figure.count)} of ${figure.of}`
  return `  ${figure.name.padEnd(width)}  ${withInterval(figure)}${count}${bar && `  ${bar}`}`
}

/** `82.0 % [79.1-84.8]` */
export function withInterval({ value, low, high, unit }: Figure): string {
  const [scale, sign] = unit === 'share' ? [100, ' %'] : [1, '']
  const digits = (one: number) => (unit === 'times' ? String(Number(one.toPrecision(3))) : (scale * one).toFixed(1))
  return `${digits(value)}${sign} [${digits(low)}-${digits(high)}]`
}

/** `bar 78 %, missed` */
export function barOf(figure: Figure): string {
  const { bar, unit } = figure
  if (bar === undefined) return ''
  const [word, value] = 'least' in bar ? ['at least', bar.least] : ['at most', bar.most]
  const shown = unit === 'share' ? `${round(100 * value)} %` : `${value}`
  return `bar: ${word} ${shown}${isMissed(figure) ? ', MISSED' : ''}`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
