/** Small plots as SVG, readable on a light and on a dark page. */

import type { Figure } from './interval.ts'

export interface Bar {
  name: string
  value: number
  /** Its interval, if any. */
  low?: number
  high?: number
  /** Label after the bar. Default: the value. */
  text?: string
  /** A line across the bar for the goal. */
  bar?: number
}

const STYLE = `<style>
text { fill: #24292f; font: 13px system-ui, sans-serif }
.title { font-weight: 600; font-size: 15px }
.small { font-size: 11px; fill: #57606a }
.fill { fill: #2f6f8f } .missed { fill: #b35900 } .line { stroke: #24292f; stroke-width: 1.5; fill: none } .grid { stroke: #d0d7de } .goal { stroke: #cf222e; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .small { fill: #9198a1 }
.fill { fill: #58a6c9 } .missed { fill: #e3944b } .line { stroke: #e6edf3 } .grid { stroke: #3d444d } .goal { stroke: #ff7b72 }
}
</style>`

const [ROW, HEIGHT, TOP, LABEL, WIDTH, END] = [28, 18, 44, 250, 330, 150] as const

/** One bar per row, on a common scale from 0 to `most`. */
export function bars(
  title: string,
  all: readonly Bar[],
  most = Math.max(...all.map(({ high, value }) => high ?? value)),
): string {
  const x = (value: number) => fixed(LABEL + (WIDTH * value) / (most || 1))
  const rows = all.map(({ name, value, low, high, text, bar }, i) => {
    const y = TOP + i * ROW
    const middle = y + HEIGHT / 2
    return [
      `<text x="${LABEL - 10}" y="${middle + 4}" text-anchor="end">${escapeXml(name)}</text>`,
      `<rect x="${LABEL}" y="${y}" width="${fixed((WIDTH * value) / (most || 1))}" height="${HEIGHT}" rx="3" class="${bar !== undefined && value < bar ? 'missed' : 'fill'}"/>`,
      ...(low === undefined || high === undefined ? [] : [`<path class="line" d="M${x(low)} ${middle}H${x(high)}"/>`]),
      ...(bar === undefined ? [] : [`<path class="goal" d="M${x(bar)} ${y - 3}v${HEIGHT + 6}"/>`]),
      `<text x="${fixed(Number(x(Math.max(value, high ?? 0, bar ?? 0))) + 8)}" y="${middle + 4}">${escapeXml(text ?? String(value))}</text>`,
    ].join('\n')
  })
  return page(title, TOP + all.length * ROW + 8, rows)
}

/** One panel per measure, one bar per group, to compare several approaches. */
export function panels(title: string, groups: readonly { name: string; figures: readonly Figure[] }[]): string {
  const [label, width, gap, row] = [205, 76, 52, 26] as const
  const names = groups[0]!.figures.map(({ name }) => name)
  const lines = names.flatMap((name, panel) => {
    const left = label + panel * (width + gap)
    const own = groups.map(({ figures }) => figures.find((figure) => figure.name === name)!)
    const most = Math.max(...own.map(({ value, high }) => Math.max(value, high)), Number.EPSILON)
    const x = (value: number) => fixed(left + (width * value) / most)
    return [
      `<text x="${left}" y="${TOP + 8}" class="small">${escapeXml(name)}</text>`,
      ...own.flatMap(({ value, low, high, unit }, i) => {
        const [y, middle] = [TOP + 18 + i * row, TOP + 26 + i * row]
        const text = unit === 'share' ? `${fixed(100 * value)} %` : value.toFixed(value < 100 ? 1 : 0)
        return [
          `<rect x="${left}" y="${y}" width="${fixed((width * value) / most)}" height="16" rx="3" class="fill"/>`,
          `<path class="line" d="M${x(low)} ${middle}H${x(high)}"/>`,
          `<text class="small" x="${Number(x(Math.max(value, high))) + 5}" y="${middle + 4}">${text}</text>`,
        ]
      }),
    ]
  })
  const titles = groups.map(
    ({ name }, i) => `<text x="${label - 12}" y="${TOP + 30 + i * row}" text-anchor="end">${escapeXml(name)}</text>`,
  )
  return page(title, TOP + 30 + groups.length * row, [...titles, ...lines])
}

/** A panel for each figure, a row for each group, on a scale of powers of ten; the red line is 1. */
export function ratios(title: string, figures: readonly (Figure & { group: string })[]): string {
  const [label, width, gap, row] = [190, 104, 28, 22] as const
  const groups = [...new Set(figures.map(({ group }) => group))]
  const names = [...new Set(figures.map(({ name }) => name))]
  const bottom = TOP + 18 + groups.length * row
  const lines = names.flatMap((name, panel) => {
    const left = label + panel * (width + gap)
    const own = figures.filter((figure) => figure.name === name)
    const [from, to] = range([-1, 1, ...own.flatMap(({ low, high }) => [Math.log10(low), Math.log10(high)])])
    const x = (value: number) => fixed(left + (width * (Math.log10(value) - from)) / (to - from))
    const end = (power: number, anchor: string) =>
      `<text class="small" x="${x(10 ** power)}" y="${bottom + 14}" text-anchor="${anchor}">${short(10 ** power)}</text>`
    return [
      `<text x="${left}" y="${TOP + 4}" class="small">${escapeXml(name)}</text>`,
      `<path class="goal" d="M${x(1)} ${TOP + 12}V${bottom}"/>`,
      ...[end(from, 'start'), end(to, 'end')],
      ...own.map(({ group, value, low, high }) => {
        const y = TOP + 24 + groups.indexOf(group) * row
        return `<path class="line" d="M${x(low)} ${y}H${x(high)}"/><circle cx="${x(value)}" cy="${y}" r="4" class="fill"/>`
      }),
    ]
  })
  const titles = groups.map(
    (name, i) => `<text x="${label - 14}" y="${TOP + 28 + i * row}" text-anchor="end">${escapeXml(name)}</text>`,
  )
  return page(title, bottom + 26, [...titles, ...lines])
}

export interface Line {
  name: string
  points: readonly (readonly [x: number, y: number])[]
}

const [LEFT, RIGHT, HIGH, STEP] = [60, 160, 200, 66] as const

/** A plot below the other for each store, on the same log-log axes: growth is a straight line, and its slope the exponent. */
export function growth(
  title: string,
  stores: readonly { name: string; lines: readonly Line[] }[],
  axes: { x: string; y: string },
): string {
  const logs = stores.flatMap(({ lines }) =>
    lines.flatMap(({ points }) => points.map(([x, y]) => [Math.log10(x), Math.log10(y)] as const)),
  )
  const [from, to] = range(logs.map(([x]) => x))
  const [least, most] = range(logs.map(([, y]) => y))
  const width = LABEL + WIDTH + END - LEFT - RIGHT
  const x = (value: number) => fixed(LEFT + (width * (value - from)) / (to - from || 1))
  const y = (value: number) => fixed(TOP + HIGH - (HIGH * (value - least)) / (most - least || 1))
  const powers = (start: number, end: number) => Array.from({ length: end - start + 1 }, (_, i) => start + i)
  const grid = [
    ...powers(from, to).map(
      (at) =>
        `<path class="grid" d="M${x(at)} ${TOP}v${HIGH}"/><text class="small" x="${x(at)}" y="${TOP + HIGH + 16}" text-anchor="middle">${short(10 ** at)}</text>`,
    ),
    ...powers(least, most).map(
      (at) =>
        `<path class="grid" d="M${LEFT} ${y(at)}h${width}"/><text class="small" x="${LEFT - 8}" y="${Number(y(at)) + 4}" text-anchor="end">${short(10 ** at)}</text>`,
    ),
    `<text class="small" x="${LEFT - 8}" y="${TOP - 8}" text-anchor="end">${escapeXml(axes.y)}</text>`,
    `<text class="small" x="${LEFT + width}" y="${TOP + HIGH + 32}" text-anchor="end">${escapeXml(axes.x)}</text>`,
  ]
  const drawn = stores.map(({ name, lines }, i) => {
    const ends = apart(lines.map(({ points }) => Number(y(Math.log10(points.at(-1)![1])))))
    const own = lines.map(({ name: line, points }, n) => {
      const path = points.map(([a, b], k) => `${k === 0 ? 'M' : 'L'}${x(Math.log10(a))} ${y(Math.log10(b))}`).join('')
      return `<path class="line" d="${path}"/><text x="${Number(x(Math.log10(points.at(-1)![0]))) + 8}" y="${ends[n]! + 4}">${escapeXml(line)}</text>`
    })
    const parts = [...grid, `<text x="${LEFT}" y="${TOP - 8}">${escapeXml(name)}</text>`, ...own]
    return `<g transform="translate(0 ${20 + i * (HIGH + STEP)})">\n${parts.join('\n')}\n</g>`
  })
  return page(title, 20 + TOP + stores.length * (HIGH + STEP), drawn)
}

/** Labels at the line ends, moved apart so that they do not overlap. */
function apart(places: readonly number[]): number[] {
  const order = places.map((place, i) => ({ place, i })).sort((a, b) => a.place - b.place)
  let last = Number.NEGATIVE_INFINITY
  for (const each of order) {
    each.place = Math.max(each.place, last + 16)
    last = each.place
  }
  return places.map((_, i) => order.find((each) => each.i === i)!.place)
}

function range(values: readonly number[]): [number, number] {
  return [Math.floor(Math.min(...values)), Math.ceil(Math.max(...values))]
}

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6} M`
  return value >= 1000 ? `${value / 1000} k` : String(Number(value.toPrecision(3)))
}

function page(title: string, height: number, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LABEL + WIDTH + END} ${height}" role="img" aria-label="${escapeXml(title)}">
${STYLE}
<text x="16" y="24" class="title">${escapeXml(title)}</text>
${parts.join('\n')}
</svg>
`
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10)
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
