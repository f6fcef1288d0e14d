import type { Fleet } from '../../../engine/fleet.ts'
import type { Tally } from '../../../storage/tally.ts'
import { formatCount } from '../format.ts'
import { BarChart, Chart, daysBelow, HEIGHT, round, ticksUpTo, WIDTH } from '../parts/chart.tsx'
import { DAY_MS } from '../tally.ts'

interface Day {
  day: string
  learned: number
  corrected: number
}

/** Every day up to today, including days without memories. */
export function everyDay({ days }: Tally, count: number): Day[] {
  const known = new Map(days.map((each) => [each.day, each]))
  return lastDays(count).map((day) => ({
    day,
    learned: known.get(day)?.memories ?? 0,
    corrected: known.get(day)?.corrections ?? 0,
  }))
}

function lastDays(count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    new Date(Date.now() - (count - 1 - i) * DAY_MS).toISOString().slice(0, 10),
  )
}

/** Number of memories at the end of each day. */
export function GrowthPlot({ tally, count }: { tally: Tally; count: number }) {
  const days = everyDay(tally, count)
  let total = tally.memories - days.reduce((sum, { learned }) => sum + learned, 0)
  const start = total
  const totals = days.map(({ learned }) => {
    total += learned
    return total
  })
  const ticks = ticksUpTo(Math.max(1, total))
  const points = totals.map(
    (value, i) => `${round((i * WIDTH) / (count - 1))},${round(HEIGHT - (value / ticks.at(-1)!) * HEIGHT)}`,
  )
  const label = `From ${formatCount(start)} memories ${count} days ago to ${formatCount(total)} today`
  return (
    <Chart label={label} ticks={ticks} below={daysBelow(days.map(({ day }) => day))}>
      <path class="area" d={`M0,${HEIGHT} L${points.join(' L')} L${WIDTH},${HEIGHT} Z`} />
      <polyline class="stroke" points={points.join(' ')} />
    </Chart>
  )
}

export function LearnedPlot({ tally, count }: { tally: Tally; count: number }) {
  const bars = everyDay(tally, count).map(({ day, learned, corrected }) => ({ day, values: [learned, corrected] }))
  const label = `Memories learned and corrected on each of the last ${count} days`
  const series = [
    ['learned', 'learned'],
    ['of them corrections', 'corrected'],
  ] as const
  return <BarChart label={label} bars={bars} series={series} />
}

/** Number of memories shown to runs, and used by them. */
export function UsePlot({ fleet, count }: { fleet: Fleet; count: number }) {
  const known = new Map(fleet.days.map((each) => [each.day, each]))
  const bars = lastDays(count).map((day) => ({ day, values: [known.get(day)?.shown ?? 0, known.get(day)?.used ?? 0] }))
  const label = `Memories shown to runs and used by them on each of the last ${count} days`
  const series = [
    ['shown', 'shown'],
    ['used', 'learned'],
  ] as const
  return <BarChart label={label} bars={bars} series={series} />
}
