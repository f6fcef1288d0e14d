import { setImmediate } from 'node:timers/promises'
import { type Page, pagesOf } from '../model/page.ts'
import type { Storage } from '../storage/storage.ts'
import type { Fact, Kind, Walk } from './kinds.ts'

/** Records that are read, and held, at a time. */
const PAGE = 500
/** Into so many parts a list is divided by its keys, so that only parts that differ are looked at closely. */
const PARTS = 1024
const MASK = (1n << 128n) - 1n

/** How many, and the sum of their digests: the same in whatever order they come. */
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

/** How a store is read: tried again where it failed for a moment, and stopped between pages. */
export interface Reading {
  attempt<T>(work: () => Promise<T>): Promise<T>
  signal: AbortSignal
}

/** Stops where that was asked for. SQLite answers at once, so without a turn of the event loop no signal would ever be heard. */
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
  /** Of all its kinds together. */
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

/** The part of a fact, by its key alone: a record and its vector stand in the same one. */
export function partOf({ key }: Pick<Fact, 'key'>): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return ((hash ^ (hash >>> 15)) >>> 0) % PARTS
}

/** Facts of the target that are held at once while parts are compared. */
const MOST_HELD = 100_000

/** The parts that differ, in groups of which the target holds so little that its digests fit into memory. */
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
