import { setImmediate } from 'node:timers/promises'
import { type Page, pagesOf } from '../model/page.ts'
import type { Storage } from '../storage/storage.ts'
import type { Fact, Kind, Walk } from './kinds.ts'

/** Records read and held at a time. */
const PAGE = 500
/** A list is divided by key into this many parts, so that only parts that differ are examined. */
const PARTS = 1024
const MASK = (1n << 128n) - 1n

/** The count, and the sum of the digests: independent of order. */
export interface Sum {
  count: number
  sum: bigint
}

export function noSum(): Sum {
  return { count: 0, sum: 0n }
}

export function add(to: Sum, digest: bigint): void {
  to.count++
  to.sum = (to.sum + digest) & MASK
}

export function takeAway(from: Sum, { count, sum }: Sum): Sum {
  return { count: from.count - count, sum: (from.sum - sum) & MASK }
}

export function isSame(a: Sum, b: Sum): boolean {
  return a.count === b.count && a.sum === b.sum
}

export function checksum({ sum }: Sum): string {
  return sum.toString(16).padStart(32, '0')
}

/** How a store is read: retried after temporary failures, and stopped between pages. */
export interface Reading {
  attempt<T>(work: () => Promise<T>): Promise<T>
  signal: AbortSignal
}

/** Stops if requested. SQLite answers synchronously, so without a turn of the event loop no signal would be noticed. */
export async function mayStop({ signal }: Pick<Reading, 'signal'>): Promise<void> {
  await setImmediate()
  signal.throwIfAborted()
}

export function pages<Item>(reading: Reading, storage: Storage, walk: Walk<Item>): AsyncGenerator<Page<Item>> {
  return pagesOf(async (after) => {
    await mayStop(reading)
    return reading.attempt(() => walk.read(storage, { after, limit: PAGE }))
  })
}

export interface Survey {
  totals: Map<Kind, Sum>
  /** All kinds together. */
  parts: Sum[]
}

export async function survey<Item>(
  reading: Reading,
  storage: Storage,
  walk: Walk<Item>,
  onRead: (items: readonly Item[]) => void,
): Promise<Survey> {
  const totals = new Map<Kind, Sum>(walk.kinds.map((kind) => [kind, noSum()]))
  const parts = Array.from({ length: PARTS }, noSum)
  for await (const { items } of pages(reading, storage, walk)) {
    for (const fact of items.flatMap((item) => walk.facts(item))) {
      add(totals.get(fact.kind)!, fact.digest)
      add(parts[partOf(fact)]!, fact.digest)
    }
    onRead(items)
  }
  return { totals, parts }
}

/** The part of a fact depends on its key alone, so a record and its vector are in the same one. */
export function partOf({ key }: Pick<Fact, 'key'>): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return ((hash ^ (hash >>> 15)) >>> 0) % PARTS
}

/** Maximum facts of the target held at once while comparing parts. */
const MOST_HELD = 100_000

/** The parts that differ, in groups small enough for the target's digests to fit in memory. */
export function differingParts(source: Survey, target: Survey): Set<number>[] {
  const groups: Set<number>[] = []
  let held = 0
  for (const [part, sum] of source.parts.entries()) {
    const { count } = target.parts[part]!
    if (isSame(sum, target.parts[part]!)) continue
    if (groups.length === 0 || held + count > MOST_HELD) {
      groups.push(new Set())
      held = 0
    }
    groups.at(-1)!.add(part)
    held += count
  }
  return groups
}
