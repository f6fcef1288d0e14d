import type { Child, PropsWithChildren } from 'hono/jsx'
import { formatCount } from '../format.ts'

/** Units of the SVG; the page scales it to the available width. */
export const WIDTH = 1000
export const HEIGHT = 100

/** Round tick values from 0 to at least `most`, at most five. */
export function ticksUpTo(most: number): number[] {
  let step = 1
  for (let i = 0; most / step > 4; i++) step *= i % 3 === 1 ? 2.5 : 2
  const count = Math.max(1, Math.ceil(most / step))
  return Array.from({ length: count + 1 }, (_, i) => i * step)
}

/** `Nov 3` of `2026-11-03`. */
function formatDay(day: string): string {
  return new Date(day).toLocaleDateString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
}

interface ChartProps {
  /** A sentence that describes the chart for screen readers. */
  label: string
  /** Bottom to top. */
  ticks: readonly number[]
  /** Labels below the chart, evenly spaced. */
  below: readonly string[]
  format?: (value: number) => string
  legend?: Child
}

/** Axes with labels. The labels are outside the SVG, so that they keep the font size of the page. */
export function Chart({ label, ticks, below, format = formatCount, legend, children }: PropsWithChildren<ChartProps>) {
  const top = ticks.at(-1)!
  return (
    <figure class="chart">
      <div class="y" aria-hidden="true">
        {ticks.toReversed().map((tick) => (
          <span>{format(tick)}</span>
        ))}
      </div>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {ticks.map((tick) => {
          const y = round(HEIGHT - (tick / top) * HEIGHT)
          return <line class={tick === 0 ? 'base' : 'grid'} x1="0" x2={WIDTH} y1={y} y2={y} />
        })}
        {children}
      </svg>
      <div class="x" aria-hidden="true">
        {below.map((text) => (
          <span>{text}</span>
        ))}
      </div>
      {legend === undefined ? null : <figcaption class="legend">{legend}</figcaption>}
    </figure>
  )
}

export interface Bars {
  day: string
  /** Bars of one day overlap, the first one behind the others. */
  values: readonly number[]
}

interface BarChartProps {
  label: string
  bars: readonly Bars[]
  /** Names of the values, and their CSS classes. */
  series: readonly (readonly [name: string, kind: string])[]
}

/** One slot per day with a bar per value; later values are drawn in front. */
export function BarChart({ label, bars, series }: BarChartProps) {
  const ticks = ticksUpTo(Math.max(1, ...bars.flatMap(({ values }) => values)))
  const step = WIDTH / bars.length
  const height = (value: number) => (value / ticks.at(-1)!) * HEIGHT
  const legend = series.map(([name, kind], i) => (
    <span class={kind}>
      {formatCount(bars.reduce((sum, { values }) => sum + values[i]!, 0))} {name}
    </span>
  ))
  return (
    <Chart label={label} ticks={ticks} below={daysBelow(bars.map(({ day }) => day))} legend={legend}>
      {bars.map(({ day, values }, at) => (
        <g>
          <title>{`${formatDay(day)}: ${series.map(([name], i) => `${values[i]} ${name}`).join(', ')}`}</title>
          <rect class="hit" x={round(at * step)} y="0" width={round(step)} height={HEIGHT} />
          {values.map((value, i) =>
            value === 0 ? null : (
              <rect
                class={series[i]![1]}
                x={round((at + 0.16) * step)}
                y={round(HEIGHT - height(value))}
                width={round(step * 0.68)}
                height={round(height(value))}
              />
            ),
          )}
        </g>
      ))}
    </Chart>
  )
}

/** The first day, some between, and today. */
export function daysBelow(days: readonly string[]): string[] {
  const places =
    days.length <= 7 ? days.map((_, i) => i) : [0, 1, 2, 3].map((i) => Math.round((i / 3) * (days.length - 1)))
  return places.map((i) => (i === days.length - 1 ? 'today' : formatDay(days[i]!)))
}

export function round(value: number): number {
  return Math.round(value * 10) / 10
}
