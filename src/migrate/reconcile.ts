import type { Move } from './catch-up.ts'
import { type Difference, type Finding, type Leave, leaving, newFinding } from './findings.ts'
import type { Fact, Kind, Walk } from './kinds.ts'
import { add, differingParts, pages, partOf, survey } from './survey.ts'

const BATCH = 500

export interface Progress {
  kind: Kind
  /** Whether both stores are being read, or missing records are being copied. */
  doing: 'comparing' | 'bringing'
  done: number
  /** null: unknown so far. */
  total: number | null
}
export type OnProgress = (progress: Progress) => void

export interface Pass extends Move {
  findings: Map<Kind, Finding>
  onProgress: OnProgress
}

/** Copies what it can, and reports why the rest stays. */
export type Repair<Item> = (batch: readonly Difference<Item>[], leave: Leave) => Promise<void>

/**
 * Compares both stores' lists by checksums over parts, examines parts that differ, and copies what the target
 * lacks. It needs no journal, because it starts from what is there. So it can resume after any interruption, and finds later writes.
 */
export async function reconcile<Item>(pass: Pass, walk: Walk<Item>, repair: Repair<Item>): Promise<void> {
  const { source, target, findings } = pass
  const [kind] = walk.kinds as [Kind]
  let read = 0
  const onRead = (items: readonly Item[]) => {
    read += items.length
    pass.onProgress({ kind, doing: 'comparing', done: read, total: null })
  }
  const theirs = await survey(pass, target.storage, walk, onRead)
  const own = await survey(pass, source, walk, onRead)
  for (const each of walk.kinds) {
    const sums = { source: own.totals.get(each)!, target: theirs.totals.get(each)! }
    findings.set(each, { ...newFinding(), ...sums })
  }
  const total = own.totals.get(kind)!.count
  const leave = leaving(findings)
  for (const parts of differingParts(own, theirs)) {
    const held = [...parts].some((part) => theirs.parts[part]!.count > 0)
      ? await digestsOf(pass, walk, parts)
      : new Map<string, bigint>()
    let done = 0
    let batch: Difference<Item>[] = []
    for await (const { items } of pages(pass, source, walk)) {
      for (const item of items) {
        const difference = differenceOf(item, walk.facts(item), parts, held)
        if (difference) batch.push(difference)
      }
      done += items.length
      if (batch.length >= BATCH) {
        await repair(batch, leave)
        batch = []
      }
      pass.onProgress({ kind, doing: 'bringing', done, total: Math.max(done, total) })
    }
    if (batch.length > 0) await repair(batch, leave)
    for (const [name, digest] of held) add(findings.get(kindOf(name))!.extra, digest)
  }
}

/** Removes matched records from `held`: what remains belongs to the target alone. */
function differenceOf<Item>(
  item: Item,
  facts: readonly Fact[],
  parts: ReadonlySet<number>,
  held: Map<string, bigint>,
): Difference<Item> | null {
  if (!parts.has(partOf(facts[0]!))) return null
  const theirs = new Map<Kind, bigint>()
  for (const fact of facts) {
    const digest = held.get(nameOf(fact))
    if (digest !== undefined) theirs.set(fact.kind, digest)
    held.delete(nameOf(fact))
  }
  return facts.every(({ kind, digest }) => theirs.get(kind) === digest) ? null : { item, facts, theirs }
}

async function digestsOf<Item>(pass: Pass, walk: Walk<Item>, parts: ReadonlySet<number>): Promise<Map<string, bigint>> {
  const held = new Map<string, bigint>()
  for await (const { items } of pages(pass, pass.target.storage, walk)) {
    for (const fact of items.flatMap((item) => walk.facts(item))) {
      if (parts.has(partOf(fact))) held.set(nameOf(fact), fact.digest)
    }
  }
  return held
}

function nameOf({ kind, key }: Pick<Fact, 'kind' | 'key'>): string {
  return `${kind} ${key}`
}

function kindOf(name: string): Kind {
  return name.slice(0, name.indexOf(' ')) as Kind
}
