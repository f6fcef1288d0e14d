import { DAY_MS } from './tally.ts'
import { href, type View } from './view.ts'

/** Days that a page looks back; null for all time. */
export type Range = number | null

const RANGES: readonly [parameter: string, days: Range, name: string][] = [
  ['7', 7, '7 days'],
  ['30', 30, '30 days'],
  ['90', 90, '90 days'],
  ['all', null, 'All time'],
]
const USUAL = 30

export function readRange({ query }: View): Range {
  const known = RANGES.find(([parameter]) => parameter === query('days'))
  return known === undefined ? USUAL : known[1]
}

/** The start of the range, at midnight (UTC); null for all time. */
export function sinceOf(range: Range): string | null {
  if (range === null) return null
  return `${new Date(Date.now() - (range - 1) * DAY_MS).toISOString().slice(0, 10)}T00:00:00.000Z`
}

interface RangeProps {
  view: View
  path: string
  range: Range
  /** Whether all time can be chosen. */
  hasAll?: boolean
}

export function RangeChoice({ view, path, range, hasAll = true }: RangeProps) {
  return (
    <nav class="range" aria-label="Time range">
      {RANGES.filter(([, days]) => hasAll || days !== null).map(([parameter, days, name]) => (
        <a
          href={href(view, path, { days: days === USUAL ? null : parameter })}
          aria-current={days === range ? 'true' : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  )
}
