import type { Fact, Kind } from './kinds.ts'
import { add, noSum, type Sum } from './survey.ts'

/** Of what differs and cannot be brought: kept short, because nobody reads a long list to its end. */
const MOST_REPORTED = 1000

export interface Finding {
  source: Sum
  target: Sum
  /** Of the target: what only it has. */
  extra: Sum
  /** Where the target went on from what was brought: it stays. The same records, as each store has them. */
  newer: { source: Sum; target: Sum }
  /** Differs, and neither is the other's past. */
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

/** A record of the source that the target lacks, or has otherwise. */
export interface Difference<Item> {
  item: Item
  facts: readonly Fact[]
  /** What the target has of it, by kind. */
  theirs: ReadonlyMap<Kind, bigint>
}

export type Leave = (difference: Difference<unknown>, why: 'newer' | 'differs') => void

/** Writes down what stays as it is, in the kinds in which it differs. */
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
