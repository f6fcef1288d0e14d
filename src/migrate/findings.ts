import type { Fact, Kind } from './kinds.ts'
import { add, noSum, type Sum } from './survey.ts'

/** Maximum differences listed per kind. */
const MOST_REPORTED = 1000

export interface Finding {
  source: Sum
  target: Sum
  /** Only in the target. */
  extra: Sum
  /** Changed in the target since they were copied, so they stay. The same records, as each store has them. */
  newer: { source: Sum; target: Sum }
  /** Different, and neither is an earlier state of the other. */
  differing: string[]
  differingCount: number
}

export function newFinding(): Finding {
  return {
    source: noSum(),
    target: noSum(),
    extra: noSum(),
    newer: { source: noSum(), target: noSum() },
    differing: [],
    differingCount: 0,
  }
}

/** A record of the source that is missing or different in the target. */
export interface Difference<Item> {
  item: Item
  facts: readonly Fact[]
  /** What the target has of it, by kind. */
  theirs: ReadonlyMap<Kind, bigint>
}

export type Leave = (difference: Difference<unknown>, why: 'newer' | 'differs') => void

/** Lists what stays as it is, for each kind that differs. */
export function leaving(findings: ReadonlyMap<Kind, Finding>): Leave {
  return ({ facts, theirs }, why) => {
    for (const { kind, key, digest } of facts) {
      const their = theirs.get(kind)
      if (their === digest) continue
      const finding = findings.get(kind)!
      if (why === 'newer') {
        add(finding.newer.source, digest)
        if (their !== undefined) add(finding.newer.target, their)
      } else {
        finding.differingCount++
        if (finding.differing.length < MOST_REPORTED) finding.differing.push(key)
      }
    }
  }
}
