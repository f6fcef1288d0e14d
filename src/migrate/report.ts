import { type Finding, newFinding } from './findings.ts'
import { KINDS, type Kind } from './kinds.ts'
import { checksum, isSame, takeAway } from './survey.ts'

export interface KindReport {
  source: number
  target: number
  /** Of the records that should be equal: those changed or created in the target are excluded. */
  checksum: string
  targetChecksum: string
  same: boolean
  /** Changed in the target since they were copied: they stay. */
  newer: number
  /** Only in the target. */
  onlyInTarget: number
  /** Different, and neither is an earlier state of the other: the target's stay. The first of their keys. */
  differing: string[]
  differingCount: number
}

/** In display order. */
export function toReport(findings: ReadonlyMap<Kind, Finding>): Record<Kind, KindReport> {
  const entries = KINDS.filter((kind) => findings.has(kind)).map((kind) => {
    const { source, target, extra, newer, differing, differingCount } = findings.get(kind) ?? newFinding()
    const own = takeAway(source, newer.source)
    const theirs = takeAway(takeAway(target, newer.target), extra)
    return [
      kind,
      {
        source: source.count,
        target: target.count,
        checksum: checksum(own),
        targetChecksum: checksum(theirs),
        same: isSame(own, theirs),
        newer: newer.source.count,
        onlyInTarget: extra.count,
        differing,
        differingCount,
      } satisfies KindReport,
    ]
  })
  return Object.fromEntries(entries)
}
