import type { SQLInputValue } from 'node:sqlite'
import { decodeFloat16 } from '../../vector/float16.ts'
import type { MemoryOrder, MemoryPage, MemoryQuery, StoredMemory } from '../memory-query.ts'
import type { Connection } from './connection.ts'
import type { CurrentModel } from './current-model.ts'
import { decodePosition, encodePosition, type PositionPart, toPage } from './position.ts'
import { SELECT_MEMORY, SELECT_VECTOR, type StoredRow, toStoredMemory } from './row.ts'
import { findPlaces, partsOf, type SqlCondition } from './scopes.ts'
import { whereConditions } from './where.ts'

export function getMemories(connection: Connection, model: CurrentModel, ids: readonly string[]): StoredMemory[] {
  return connection.map(
    (row: StoredRow) => toStoredMemory(row, model),
    `SELECT ${SELECT_MEMORY}, ${SELECT_VECTOR} FROM memories m WHERE m.ulid IN (SELECT value FROM json_each(?))`,
    model.find(),
    JSON.stringify(ids),
  )
}

type ListedRow = StoredRow & { visible_until: string }

interface Order {
  /** What is sorted by, the most important first; together they differ for any two rows. */
  columns: readonly ('confidence' | 'importance' | 'created_at' | 'updated_at' | 'visible_until' | 'ulid')[]
  direction: 'ASC' | 'DESC'
}

const ORDERS: Record<MemoryOrder, Order> = {
  newest: { columns: ['created_at', 'ulid'], direction: 'DESC' },
  oldest: { columns: ['created_at', 'ulid'], direction: 'ASC' },
  confidence: { columns: ['confidence', 'created_at', 'ulid'], direction: 'DESC' },
  importance: { columns: ['importance', 'created_at', 'ulid'], direction: 'DESC' },
  updated: { columns: ['updated_at', 'ulid'], direction: 'DESC' },
  fading: { columns: ['visible_until', 'ulid'], direction: 'ASC' },
}

export function listMemories(connection: Connection, model: CurrentModel, query: MemoryQuery): MemoryPage {
  const { order, limit, after, count, vectors } = query
  const { columns, direction } = ORDERS[order]
  const types = columns.map((column) => (column === 'confidence' || column === 'importance' ? 'number' : 'string'))
  const position = decodePosition(order, types, after)
  const condition = whereConditions(query.where, model.find())
  const parts = partsOf(findPlaces(connection, [query])[0]!)
  const select = `SELECT ${SELECT_MEMORY}, m.visible_until${vectors ? `, ${SELECT_VECTOR}` : ', NULL AS vector'} FROM memories m`
  const behind = position ? ` AND ${behindPosition(columns, direction)}` : ''
  const sorted = columns.map((column) => `m.${column} ${direction}`).join(', ')
  // By time the rows come sorted from an index. Left to itself SQLite takes the index of what is visible, and sorts all of it for each page.
  const byTime = columns[0] === 'created_at'
  const where = byTime ? condition.sql.replaceAll('m.visible_until', '+m.visible_until') : condition.sql
  const pageOf = (part: SqlCondition) =>
    connection.all<ListedRow>(
      `${select} WHERE ${part.sql}${where}${behind} ORDER BY ${sorted} LIMIT ?`,
      ...(vectors ? [model.find()] : []),
      ...valuesOf(part, condition),
      ...(position ?? []),
      limit + 1,
    )
  // Part by part, so that each comes sorted from its index.
  const rows = parts.flatMap(pageOf)
  if (parts.length > 1) rows.sort((a, b) => compare(keysOf(a, columns), keysOf(b, columns), direction))
  const { items, next } = toPage(
    rows,
    limit,
    (row) => toStoredMemory(row, model),
    (row) => encodePosition(order, keysOf(row, columns)),
  )
  return { items, next, totalCount: count ? countRows(connection, parts, condition) : null }
}

function countRows(connection: Connection, parts: readonly SqlCondition[], condition: SqlCondition): number {
  const counts = parts.map(
    (part) =>
      connection.get<{ n: number }>(
        `SELECT count(*) AS n FROM memories m WHERE ${part.sql}${condition.sql}`,
        ...valuesOf(part, condition),
      )!.n,
  )
  return counts.reduce((sum, n) => sum + n, 0)
}

function valuesOf(...conditions: readonly SqlCondition[]): SQLInputValue[] {
  return conditions.flatMap(({ values }) => values)
}

function behindPosition(columns: Order['columns'], direction: Order['direction']): string {
  const names = columns.map((column) => `m.${column}`).join(', ')
  return `(${names}) ${direction === 'DESC' ? '<' : '>'} (${columns.map(() => '?').join(', ')})`
}

function keysOf(row: ListedRow, columns: Order['columns']): PositionPart[] {
  return columns.map((column) => row[column])
}

function compare(a: readonly PositionPart[], b: readonly PositionPart[], direction: Order['direction']): number {
  const at = a.findIndex((part, i) => part !== b[i])
  if (at < 0) return 0
  return a[at]! < b[at]! === (direction === 'ASC') ? -1 : 1
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
    // One that is damaged is as good as none: it is made again.
    if (row?.vector.byteLength === model.dimensions * 2) found.set(hash, decodeFloat16(row.vector, model.dimensions))
  }
  return found
}
