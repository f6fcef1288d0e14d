import type { MemoryPage, MemoryQuery } from '../memory-query.ts'
import { encodePosition, type PositionPart } from '../position.ts'
import { meets } from '../reference/meets.ts'
import { pageOf, positionIn, type Sorting } from '../reference/page-of.ts'
import { MEMORY_SORTINGS } from '../reference/sortings.ts'
import type { Connection } from './connection.ts'
import { distinct, renamedRow } from './distinct.ts'
import { locate } from './locate.ts'
import { readItems, type StoredRow } from './memory-item.ts'
import { idOfPlace, nameOfPlace, type Place } from './place.ts'
import { toStored } from './search.ts'
import { readSegments } from './segments.ts'

/** How long a scan can serve the following pages. */
const OLDEST_MS = 60_000
/** The most walks through the store to remember at once. */
const MOST_WALKS = 4

/** The part of a memory that decides its place in a list. */
interface Entry {
  id: string
  place: Place
  isOwn: boolean
  by: readonly PositionPart[]
}

interface Walk {
  /** In order. */
  entries: readonly Entry[]
  /** The first that was not shown. */
  from: number
  total: number
  unreadable: number
  since: number
}

/**
 * Paged lists of the whole store. DynamoDB has no order across partitions, so the first page scans the table and later
 * pages only read what they show. Memories added since the scan are missing; changed and deleted ones are shown
 * correctly.
 */
export class WholeStore {
  readonly #connection: Connection
  /** By query and next position. */
  readonly #walks = new Map<string, Walk>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async list(query: MemoryQuery, model: string): Promise<MemoryPage> {
    const { where, order, limit, after, count, vectors } = query
    const sorting: Sorting<Entry> = { ...MEMORY_SORTINGS[order], by: ({ by }) => by }
    // Check the cursor first: a bad one costs no read.
    positionIn(sorting, after)
    const known = this.#take(nameOf(query, after))
    const walk = known ?? (await this.#scan(query, model, sorting))
    const { entries, from, total, unreadable } = walk
    const items = entries.slice(from, from + limit)
    const [last, end] = [items.at(-1), from + items.length]
    const next = last && end < entries.length ? encodePosition(sorting.name, last.by) : null
    if (next !== null) this.#remember(nameOf(query, next), { ...walk, from: end })
    const found = await this.#read(items)
    return {
      items: found
        .filter(({ row }) => meets(row, where, model))
        .map((stored) => toStored(stored, model))
        .map(({ memory, vector }) => ({ memory, vector: vectors ? vector : null })),
      next,
      totalCount: count ? total : null,
      ...(unreadable > 0 ? { unreadable } : {}),
    }
  }

  /** Their current state, including those that moved. */
  async #read(entries: readonly Entry[]): Promise<StoredRow[]> {
    const items = await this.#connection.get(
      'agent-memories',
      entries.map(({ place }) => place),
    )
    const read = readItems(items, this.#connection.model)
    const there = new Map(read.map((stored) => [nameOfPlace(stored.place), stored]))
    const rows = new Map<string, StoredRow>()
    for (const { id, place } of entries) {
      const stored = there.get(nameOfPlace(place))
      if (stored?.row.memory.id === id) rows.set(id, stored)
      else if (stored?.revision === null && idOfPlace(place) === id) rows.set(id, renamedRow(stored, id))
    }
    const missing = entries.flatMap(({ id }) => (rows.has(id) ? [] : [id]))
    for (const [id, stored] of await locate(this.#connection, missing)) rows.set(id, stored)
    return entries.flatMap(({ id }) => rows.get(id) ?? [])
  }

  async #scan({ where, order, after }: MemoryQuery, model: string, sorting: Sorting<Entry>): Promise<Walk> {
    const since = performance.now()
    const { by } = MEMORY_SORTINGS[order]
    const found: (Entry & { isMet: boolean })[] = []
    let items = 0
    for await (const { items: page } of readSegments(this.#connection, 'agent-memories')) {
      items += page.length
      for (const { row, place, revision } of readItems(page, this.#connection.model)) {
        const [isOwn, isMet] = [revision !== null, meets(row, where, model)]
        found.push({ id: row.memory.id, place, isOwn, isMet, by: isMet ? by(row) : [] })
      }
    }
    const named = distinct(
      found,
      (entry) => entry,
      (entry, id) => ({ ...entry, id, by: entry.by.map((part) => (part === entry.id ? id : part)) }),
    )
    const entries = named.filter(({ isMet }) => isMet)
    const { items: behind } = pageOf(entries, sorting, { after, limit: Infinity })
    return { entries: behind, from: 0, total: entries.length, unreadable: items - named.length, since }
  }

  #take(name: string): Walk | null {
    const walk = this.#walks.get(name)
    return walk && performance.now() - walk.since < OLDEST_MS ? walk : null
  }

  #remember(name: string, walk: Walk): void {
    this.#walks.delete(name)
    this.#walks.set(name, walk)
    for (const oldest of this.#walks.keys()) if (this.#walks.size > MOST_WALKS) this.#walks.delete(oldest)
  }
}

function nameOf({ where, order }: MemoryQuery, position: string | null): string {
  return JSON.stringify([where, order, position])
}
