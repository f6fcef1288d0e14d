import type { Row } from './boost.ts'
import type { CollectedSession } from './collect.ts'

/** Weight of a candidate on the session's topic, relative to a needed one; and of a needed one at a moment that is not its best. */
const ON_TOPIC = 0.25
const ELSEWHERE = 0.15
/** Candidates of sessions without needs count more, because there are few. */
const IDLE = 2
/** Only some of the low-scoring candidates are used, weighted for the others. */
const NEAREST = 14
const SAMPLED = 0.22

/**
 * The training targets of the sessions. A needed memory counts most at the moment where it stands out most among those in time. `score`
 * decides which, at first by similarity alone.
 */
export function labelled(sessions: readonly CollectedSession[], score: (values: readonly number[]) => number): Row[] {
  const rows: Row[] = []
  for (const { session, moments } of sessions) {
    const needs = new Map(session.needs.map(({ memory, before }) => [memory, before]))
    const fine = new Set(session.fine)
    const best = new Map<string, { score: number; moment: number }>()
    moments.forEach(({ at, candidates }, moment) => {
      for (const { memory, values } of candidates) {
        if (!needs.has(memory) && !fine.has(memory)) continue
        if (at > (needs.get(memory) ?? Number.POSITIVE_INFINITY)) continue
        const own = score(values)
        if (own > (best.get(memory)?.score ?? Number.NEGATIVE_INFINITY)) best.set(memory, { score: own, moment })
      }
    })
    moments.forEach(({ at, candidates }, moment) => {
      const byNearness = candidates.toSorted((a, b) => b.values[0]! - a.values[0]!)
      for (const [rank, { memory, values }] of byNearness.entries()) {
        const isBest = best.get(memory)?.moment === moment
        const before = needs.get(memory)
        if (before !== undefined) {
          if (at <= before) rows.push({ values, label: 1, weight: isBest ? 1 : ELSEWHERE })
        } else if (fine.has(memory)) {
          rows.push({ values, label: 1, weight: isBest ? ON_TOPIC : 0.3 * ON_TOPIC })
        } else {
          const weight = session.needs.length === 0 ? IDLE : 1
          if (rank < NEAREST) rows.push({ values, label: 0, weight })
          else if (isSampled(rows.length, rank)) rows.push({ values, label: 0, weight: weight / SAMPLED })
        }
      }
    })
  }
  return rows
}

/** Deterministic, but without a pattern. */
function isSampled(row: number, rank: number): boolean {
  return (Math.imul(row * 31 + rank, 2654435761) >>> 0) / 2 ** 32 < SAMPLED
}
