import type { ScopeSelector } from '../../model/layer.ts'
import { decodeFloat16 } from '../../vector/float16.ts'
import type { MemoryPage, MemoryQuery, StoredMemory } from '../memory-query.ts'
import { referenceData } from '../reference/data.ts'
import { inScopes, meets } from '../reference/meets.ts'
import { pageOf, positionIn, type Sorting } from '../reference/page-of.ts'
import { MEMORY_SORTINGS } from '../reference/sortings.ts'
import { tallyMemories as tallyRows } from '../reference/tally.ts'
import type { Found, SearchQuery } from '../search-query.ts'
import type { VectorModel } from '../storage.ts'
import type { Tally, TallyQuery } from '../tally.ts'
import { bytesOf, textOf } from './attributes.ts'
import type { Connection } from './connection.ts'
import { HeldPartition } from './held-partition.ts'
import { HeldRow } from './held-row.ts'
import { textKey } from './memory-item.ts'
import { IndexGone, outsideNearest } from './outside-search.ts'
import type { Partitions } from './partitions.ts'
import { uniqueKey } from './scope-key.ts'
import { find, toStored } from './search.ts'
import { readSegments } from './segments.ts'

/** The whole store, read on every call: only administration needs it. */
async function readAll(connection: Connection): Promise<Map<string, HeldPartition>> {
  const rows: HeldRow[] = []
  for await (const { items } of readSegments(connection, 'agent-memories'))
    rows.push(...items.flatMap((item) => HeldRow.of(item, connection.model) ?? []))
  return new Map([['', new HeldPartition('', new Map(), rows)]])
}

function readScopes(connection: Connection, partitions: Partitions, scopes: readonly ScopeSelector[] | null) {
  return scopes === null ? readAll(connection) : partitions.read(scopes)
}

export async function listMemories(
  partitions: Partitions,
  scopes: readonly ScopeSelector[],
  query: MemoryQuery,
  model: string,
): Promise<MemoryPage> {
  const { where, order, limit, after, count, vectors } = query
  const sorting = MEMORY_SORTINGS[order]
  const byRow: Sorting<HeldRow> = { ...sorting, by: ({ row }) => sorting.by(row) }
  // Check the cursor first: a bad one costs no read.
  positionIn(byRow, after)
  const read = await partitions.read(scopes)
  const page = () => {
    const found: HeldRow[] = []
    for (const partition of read.values()) {
      for (const stored of partition.rows()) {
        if (inScopes(stored.row, scopes) && meets(stored.row, where, model)) found.push(stored)
      }
    }
    return { found, ...pageOf(found, byRow, { after, limit }) }
  }
  let { found, items, next } = page()
  while (await partitions.recheck(read, items)) ({ found, items, next } = page())
  const stored = items.map((each) => toStored(each, model))
  if (vectors) await complete(partitions, stored, items)
  return {
    items: vectors ? stored : stored.map(({ memory }) => ({ memory, vector: null })),
    next,
    totalCount: count ? found.length : null,
  }
}

/** Counted in this process, from the cached partitions. */
export async function tallyMemories(connection: Connection, partitions: Partitions, query: TallyQuery): Promise<Tally> {
  const data = referenceData()
  for (const partition of (await readScopes(connection, partitions, query.scopes)).values()) {
    for (const { row } of partition.rows()) data.memories.set(row.memory.id, row)
  }
  return tallyRows(data, query)
}

export async function searchMemories(
  connection: Connection,
  partitions: Partitions,
  queries: readonly SearchQuery[],
  model: VectorModel,
): Promise<Found[]> {
  // The queries of one call mostly share scopes: each is read once.
  const read = new Map<string, ReturnType<typeof readScopes>>()
  for (const { scopes } of queries) {
    const name = JSON.stringify(scopes)
    if (!read.has(name)) read.set(name, readScopes(connection, partitions, scopes))
  }
  return Promise.all(
    queries.map(async (query) => {
      let own = await read.get(JSON.stringify(query.scopes))!
      for (let attempt = 0; ; attempt++) {
        try {
          const near = () => outsideNearest(partitions.vectors, own, query)
          let { found, rows } = find(own, query, model, await near())
          while (await partitions.recheck(own, rows)) ({ found, rows } = find(own, query, model, await near()))
          await complete(partitions, found.candidates, rows)
          return found
        } catch (error) {
          if (!(error instanceof IndexGone) || attempt >= INDEXES_LOST) throw error
          await partitions.vectors.forget(error.index)
          own = await readScopes(connection, partitions, query.scopes)
        }
      }
    }),
  )
}

/** An index is made again while other processes may still write the old one. */
const INDEXES_LOST = 3

/** Adds the vectors that lie in an index outside. */
async function complete({ vectors }: Partitions, found: StoredMemory[], rows: readonly HeldRow[]): Promise<void> {
  if (vectors.service === null) return
  const missing = rows.filter((row, i) => found[i]!.vector === null && row.isOutside(vectors.model.name))
  const read = await vectors.read(missing)
  for (const [i, row] of rows.entries()) found[i]!.vector ??= read.get(row) ?? null
}

export async function readEmbeddings(
  connection: Connection,
  hashes: readonly string[],
  { name, dimensions }: VectorModel,
): Promise<Map<string, Float32Array>> {
  const texts = new Map(hashes.map((hash) => [textKey({ model: name, hash }), hash]))
  const keys = [...texts.keys()].map((text) => ({ key: uniqueKey('text', text) }))
  const found = new Map<string, Float32Array>()
  for (const item of await connection.get('agent-memory-keys', keys)) {
    const bytes = bytesOf(item, 'vector')
    const hash = texts.get(textOf(item, 'text') ?? '')
    if (hash && bytes?.byteLength === dimensions * 2) found.set(hash, decodeFloat16(bytes, dimensions))
  }
  return found
}
