import type { MemoryOrder, MemoryPage, MemoryQuery, StoredMemory } from '../memory-query.ts'
import { decodePosition, encodePosition, type PositionPart, toPage } from '../sqlite/position.ts'
import type { Queries, SqlClient } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { readVector, SELECT_MEMORY, type StoredRow, selectVector, toStoredMemory } from './row.ts'
import { findPlaces, type Place, tasksOf, within } from './scopes.ts'
import { Values } from './values.ts'
import { whereConditions } from './where.ts'

export async function getMemories(
  queries: Queries,
  model: CurrentModel,
  ids: readonly string[],
): Promise<StoredMemory[]> {
  const rows = await queries.query<StoredRow>(
    `SELECT ${SELECT_MEMORY}, ${selectVector(model)} FROM memories m WHERE m.ulid = ANY ($1::text[])`,
    [ids],
  )
  return rows.map((row) => toStoredMemory(row, model))
}

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

export async function listMemories(client: SqlClient, model: CurrentModel, query: MemoryQuery): Promise<MemoryPage> {
  const { order, limit, after, count, vectors, where } = query
  const { columns } = ORDERS[order]
  const types = columns.map((column) => (column === 'confidence' || column === 'importance' ? 'number' : 'string'))
  const position = decodePosition(order, types, after)
  const [place] = await findPlaces(client, [query])
  const values = new Values()
  const condition = whereConditions(where, model.id, values)
  const behind = position ? behindPosition(ORDERS[order], position, values) : ''
  const ids = pageIds(place!, ORDERS[order], `${condition}${behind}`, limit + 1, values)
  const [rows, totalCount] = await client.reading((queries) =>
    Promise.all([
      queries.query<StoredRow & { visible_until: string }>(
        `SELECT ${SELECT_MEMORY}, m.visible_until${vectors ? `, ${selectVector(model)}` : ', NULL AS vector'}
         FROM (${ids}) p JOIN memories m ON m.id = p.id ORDER BY ${sorted('m', ORDERS[order])} LIMIT ${limit + 1}`,
        values.list,
      ),
      count ? countRows(queries, model, query, place!) : null,
    ]),
  )
  const page = toPage(
    rows,
    limit,
    (row) => toStoredMemory(row, model),
    (row) =>
      encodePosition(
        order,
        columns.map((column) => row[column]),
      ),
  )
  return { ...page, totalCount }
}

/** Scope by scope, so that each comes sorted from its index; every memory once. */
function pageIds(place: Place, order: Order, condition: string, limit: number, values: Values): string {
  const part = (from: string) =>
    `SELECT m.id FROM memories m WHERE ${from}${condition} ORDER BY ${sorted('m', order)} LIMIT ${limit}`
  const { scopes } = place
  if (scopes === null) return part('true')
  const whole = `SELECT m.id FROM unnest(${values.bind(scopes)}::int[]) AS s(key) CROSS JOIN LATERAL (${part('m.scope_key = s.key')}) m`
  // A memory belongs to the tasks of one section at most: an identifier has one value.
  const sections = place.sections.map((section) => `(${part(tasksOf(section, scopes, values))})`)
  return [whole, ...sections].join(' UNION ALL ')
}

function sorted(row: string, { columns, direction }: Order): string {
  return columns.map((column) => `${row}.${column} ${direction}`).join(', ')
}

function behindPosition({ columns, direction }: Order, position: readonly PositionPart[], values: Values): string {
  const names = columns.map((column) => `m.${column}`).join(', ')
  return ` AND (${names}) ${direction === 'DESC' ? '<' : '>'} (${position.map((part) => values.bind(part)).join(', ')})`
}

async function countRows(queries: Queries, model: CurrentModel, { where }: MemoryQuery, place: Place): Promise<number> {
  const values = new Values()
  const from = within(place, values)
  const [row] = await queries.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM memories m WHERE ${from}${whereConditions(where, model.id, values)}`,
    values.list,
  )
  return row!.n
}

export async function readEmbeddings(
  queries: Queries,
  model: CurrentModel,
  hashes: readonly string[],
): Promise<Map<string, Float32Array>> {
  if (hashes.length === 0) return new Map()
  const rows = await queries.query<{ hash: string; vector: Uint8Array }>(
    'SELECT hash, halfvec_send(vector) AS vector FROM embeddings WHERE model = $1 AND hash = ANY ($2::text[])',
    [model.id, hashes],
  )
  return new Map(rows.map(({ hash, vector }) => [hash, readVector(vector, model.dimensions)]))
}
