import type { Tally } from '../../../storage/tally.ts'
import { formatCount } from '../format.ts'
import { DAY_MS, DAYS } from '../tally.ts'

const WIDTH = 640
/** The narrower plot has the narrower picture, so that its letters are as large. */
const WEEK_WIDTH = 400
const HEIGHT = 170
const FOOT = 20

interface Day {
  day: string
  learned: number
  corrected: number
}

/** Every day up to today, those without memories too. */
export function everyDay({ days }: Tally, count = DAYS): Day[] {
  const known = new Map(days.map((each) => [each.day, each]))
  return Array.from({ length: count }, (_, i) => {
    const day = new Date(Date.now() - (count - 1 - i) * DAY_MS).toISOString().slice(0, 10)
    return { day, learned: known.get(day)?.memories ?? 0, corrected: known.get(day)?.corrections ?? 0 }
  })
}

export function GrowthPlot({ tally }: { tally: Tally }) {
  const days = everyDay(tally)
  let total = tally.memories - days.reduce((sum, { learned }) => sum + learned, 0)
  const start = total
  const totals = days.map(({ learned }) => {
    total += learned
    return total
  })
  const most = Math.max(1, total)
  const floor = HEIGHT - FOOT
  const points = totals.map(
    (value, i) => `${round((i * WIDTH) / (DAYS - 1))},${round(floor - (value / most) * (floor - 14))}`,
  )
  return (
    <svg
      class="plot"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`From ${formatCount(start)} memories ${DAYS} days ago to ${formatCount(total)} today`}
    >
      <line class="grid" x1="0" x2={WIDTH} y1={floor} y2={floor} />
      <line class="grid" x1="0" x2={WIDTH} y1="14" y2="14" />
      <path class="area" d={`M0,${floor} L${points.join(' L')} L${WIDTH},${floor} Z`} />
      <polyline class="stroke" points={points.join(' ')} />
      <text x="0" y="10">
        {formatCount(most)}
      </text>
      <text x="0" y={HEIGHT - 4}>
        {days[0]!.day}
      </text>
      <text x={WIDTH} y={HEIGHT - 4} text-anchor="end">
        today
      </text>
    </svg>
  )
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

export function WeekPlot({ days }: { days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ learned }) => learned))
  const floor = HEIGHT - FOOT
  const step = WEEK_WIDTH / days.length
  const height = (count: number) => (count === 0 ? 0 : Math.max(3, (count / most) * (floor - 20)))
  const bar = (count: number, kind: string, x: number) => (
    <rect
      class={kind}
      x={round(x)}
      y={round(floor - height(count))}
      width={round(step * 0.3)}
      height={round(height(count))}
      rx="3"
    />
  )
  const learned = days.reduce((sum, day) => sum + day.learned, 0)
  const corrected = days.reduce((sum, day) => sum + day.corrected, 0)
  return (
    <>
      <svg
        class="plot"
        viewBox={`0 0 ${WEEK_WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`In the last seven days ${learned} learned, ${corrected} corrected`}
      >
        <line class="grid" x1="0" x2={WEEK_WIDTH} y1={floor} y2={floor} />
        {days.map((day, i) => (
          <>
            {bar(day.learned, 'learned', i * step + step * 0.18)}
            {bar(day.corrected, 'corrected', i * step + step * 0.52)}
            <text x={round(i * step + step / 2)} y={HEIGHT - 4} text-anchor="middle">
              {WEEKDAYS[new Date(day.day).getUTCDay()]}
            </text>
            {day.learned === 0 ? null : (
              <text x={round(i * step + step * 0.33)} y={round(floor - height(day.learned) - 5)} text-anchor="middle">
                {day.learned}
              </text>
            )}
          </>
        ))}
      </svg>
      <p class="legend">
        <span>{formatCount(learned)} learned</span>
        <span class="corrected">{formatCount(corrected)} corrected</span>
      </p>
    </>
  )
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
