import type { MemoryUsefulness } from '../engine/usefulness.ts'
import { LEAST_RUNS } from '../lifecycle/usefulness.ts'
import type { Memory } from '../model/memory.ts'
import { countOf } from './output.ts'
import { shell } from './shell.ts'
import { shortIds } from './short-id.ts'
import type { Column } from './table.ts'

/** `shown to 14 runs, used by 3; 12 of 14 ended well, 40 of 80 like them without it: +36 points (12 to 58), helps`. */
export function describeUsefulness({
  shown,
  used,
  runs,
  others,
  difference,
  verdict,
}: MemoryUsefulness): string | null {
  if (shown === 0) return null
  const seen = `shown to ${countOf(shown, 'run', 'runs')}, used by ${used}`
  if (runs.of + others.of === 0) return seen
  const ended = `${ofAll(runs)} succeeded, ${ofAll(others)} similar runs without it`
  const claim =
    difference === null
      ? `too few for a claim (${LEAST_RUNS} of each)`
      : `${points(difference.value)} points (${points(difference.low)} to ${points(difference.high)}), ${verdict}`
  return `${seen}; ${ended}: ${claim}`
}

function ofAll({ good, of }: MemoryUsefulness['runs']): string {
  return `${good} of ${of}`
}

function points(share: number): string {
  const whole = Math.round(share * 100)
  return whole > 0 ? `+${whole}` : String(whole)
}

export interface Rated {
  memory: Memory
  usefulness: MemoryUsefulness
}

const ORDER: readonly MemoryUsefulness['verdict'][] = ['helps', 'unclear', 'too few runs', 'harms']

/** The most helpful first, the most harmful last; between them by number of uses. */
export function compareUsefulness({ usefulness: a }: Rated, { usefulness: b }: Rated): number {
  return (
    ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict) ||
    (b.difference?.value ?? 0) - (a.difference?.value ?? 0) ||
    b.used - a.used ||
    b.shown - a.shown
  )
}

export function usefulnessColumns(rated: readonly Rated[], { long = false } = {}): readonly Column<Rated>[] {
  const whole = long || !shell().stdout.isTTY
  const ids = shortIds(rated.map(({ memory }) => memory.id))
  return [
    { title: 'ID', value: ({ memory: { id } }) => (whole ? id : ids.get(id)!), style: () => 'dim' },
    { title: 'SHOWN', value: ({ usefulness }) => String(usefulness.shown), align: 'right' },
    { title: 'USED', value: ({ usefulness }) => String(usefulness.used), align: 'right' },
    { title: 'WITH', value: ({ usefulness }) => ofAll(usefulness.runs), align: 'right' },
    { title: 'WITHOUT', value: ({ usefulness }) => ofAll(usefulness.others), align: 'right' },
    { title: 'DIFFERENCE', value: ({ usefulness }) => difference(usefulness) },
    { title: 'CONTENT', value: ({ memory }) => memory.content },
  ]
}

function difference({ difference: found, verdict }: MemoryUsefulness): string {
  if (found === null) return verdict
  return `${points(found.value)} (${points(found.low)} to ${points(found.high)}) ${verdict}`
}
