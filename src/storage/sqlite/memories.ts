import { decodeFloat16 } from '../../vector/float16.ts'
import type { MemoryPage, MemoryQuery, StoredMemory } from '../memory-query.ts'
import { whereConditions } from '../sql/conditions.ts'
import { behind, compareRows, MEMORY_ORDERS, sortedBy, toPage } from '../sql/orders.ts'
import { raw, type Sql, sql } from '../sql/sql.ts'
import type { Connection } from './connection.ts'
import type { CurrentModel } from './current-model.ts'
import { listed, SQLITE } from './dialect.ts'
import { SELECT_MEMORY, type StoredRow, selectVector, toStoredMemory } from './row.ts'
import { findPlaces, partsOf } from './scopes.ts'

export function getMemories(connection: Connection, model: CurrentModel, ids: readonly string[]): StoredMemory[] {
  return connection.map(
    (row: StoredRow) => toStoredMemory(row, model),
    sql`SELECT ${SELECT_MEMORY}, ${selectVector(model)} FROM memories m WHERE m.ulid IN ${listed(ids)}`,
  )
}

export function listMemories(connection: Connection, model: CurrentModel, query: MemoryQuery): MemoryPage {
  const { where, limit, after, count, vectors } = query
  const order = MEMORY_ORDERS[query.order]
  const rest = behind(order, after)
  // By time, rows come sorted from an index. SQLite would otherwise use the visibility index and sort everything for
  // each page.
  const byTime = order.columns[0]?.key === 'created_at'
  const condition = whereConditions(where, SQLITE, model.find(), raw(byTime ? '+m.visible_until' : 'm.visible_until'))
  const vector = vectors ? selectVector(model) : raw('NULL AS vector')
  const parts = partsOf(findPlaces(connection, [query])[0]!)
  // One query per part, so that each comes sorted from its index.
  const rows = parts.flatMap((part) =>
    connection.all<StoredRow & { visible_until: string }>(
      sql`SELECT ${SELECT_MEMORY}, m.visible_until, ${vector} FROM memories m
        WHERE ${part}${condition}${rest} ORDER BY ${sortedBy(order)} LIMIT ${limit + 1}`,
    ),
  )
  if (parts.length > 1) rows.sort((a, b) => compareRows(order, a, b))
  const page = toPage(order, rows, limit, (row) => toStoredMemory(row, model))
  return {
    ...page,
    totalCount: count ? countRows(connection, parts, whereConditions(where, SQLITE, model.find())) : null,
  }
}

function countRows(connection: Connection, parts: readonly Sql[], condition: Sql): number {
  const counts = parts.map(
    (part) => connection.get<{ n: number }>(sql`SELECT count(*) AS n FROM memories m WHERE ${part}${condition}`)!.n,
  )
  return counts.reduce((sum, n) => sum + n, 0)
}

export function readEmbeddings(
  connection: Connection,
  model: CurrentModel,
  hashes: readonly string[],
): Map<string, Float32Array> {
  const found = new Map<string, Float32Array>()
  for (const hash of hashes) {
    const row = connection.get<{ vector: Uint8Array }>(
      'SELECT vector FROM embeddings WHERE model = ? AND hash = ?',
      model.find(),
      Buffer.from(hash, 'hex'),
    )
    // A damaged vector is ignored and will be computed again.
    if (row?.vector.byteLength === model.dimensions * 2) found.set(hash, decodeFloat16(row.vector, model.dimensions))
  }
  return found
}
