import type { Session } from '../model/records.ts'

/** How many runs succeeded, out of those with a known outcome. */
export interface Ended {
  good: number
  of: number
}

/** Below this many runs on either side, no claim is made. */
export const LEAST_RUNS = 10

const Z = 1.96
const BAD = /^(?:error|fail|killed|interrupted|aborted|timeout|rejected|disputed|unclear)/i

/** Whether a run succeeded; null if unknown. A reviewer's verdict takes precedence over the exit code. */
export function endedWell({ exitCode, outcome }: Session, verdict: boolean | undefined): boolean | null {
  if (verdict !== undefined) return verdict
  if (exitCode === null && outcome === null) return null
  return (exitCode ?? 0) === 0 && !BAD.test(outcome ?? '')
}

/** The success rate, with its 95 % interval (Wilson). */
export function shareOf({ good, of }: Ended): { value: number; low: number; high: number } {
  if (of === 0) return { value: 0, low: 0, high: 1 }
  const p = good / of
  const middle = (p + (Z * Z) / (2 * of)) / (1 + (Z * Z) / of)
  const half = (Z * Math.sqrt((p * (1 - p)) / of + (Z * Z) / (4 * of * of))) / (1 + (Z * Z) / of)
  return { value: p, low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}

/** The difference in success rate, with its 95 % interval (Newcombe). */
export function differenceOf(seen: Ended, others: Ended): { value: number; low: number; high: number } {
  const [a, b] = [shareOf(seen), shareOf(others)]
  const value = a.value - b.value
  return {
    value,
    low: value - Math.hypot(a.value - a.low, b.high - b.value),
    high: value + Math.hypot(a.high - a.value, b.value - b.low),
  }
}

/** `helps`, `harms`: the whole interval is on that side. */
export type Usefulness = 'helps' | 'harms' | 'unclear' | 'too few runs'

export function judgeUsefulness(seen: Ended, others: Ended): Usefulness {
  if (seen.of < LEAST_RUNS || others.of < LEAST_RUNS) return 'too few runs'
  const { low, high } = differenceOf(seen, others)
  return low > 0 ? 'helps' : high < 0 ? 'harms' : 'unclear'
}
