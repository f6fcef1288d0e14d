import type { MemoryPage, MemoryQuery, StoredMemory } from '../memory-query.ts'
import { whereConditions } from '../sql/conditions.ts'
import { behind, MEMORY_ORDERS, type Order, sortedBy, toPage } from '../sql/orders.ts'
import { type Place, tasksOf, within } from '../sql/places.ts'
import { join, raw, type Sql, sql } from '../sql/sql.ts'
import type { Queries, SqlClient } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { ask, POSTGRES } from './dialect.ts'
import { readVector, SELECT_MEMORY, type StoredRow, selectVector, toStoredMemory } from './row.ts'
import { findPlaces } from './scopes.ts'

export async function getMemories(
  queries: Queries,
  model: CurrentModel,
  ids: readonly string[],
): Promise<StoredMemory[]> {
  const among = POSTGRES.among('m.ulid', ids)
  const query = sql`SELECT ${SELECT_MEMORY}, ${selectVector(model)} FROM memories m WHERE ${among}`
  const rows = await ask<StoredRow>(queries, query)
  return rows.map((row) => toStoredMemory(row, model))
}

export async function listMemories(client: SqlClient, model: CurrentModel, query: MemoryQuery): Promise<MemoryPage> {
  const { limit, after, count, vectors } = query
  const order = MEMORY_ORDERS[query.order]
  const rest = behind(order, after)
  const [place] = await findPlaces(client, [query])
  const condition = whereConditions(query.where, POSTGRES, model.id)
  const ids = pageIds(place!, order, sql`${condition}${rest}`, limit + 1)
  const vector = vectors ? selectVector(model) : raw('NULL AS vector')
  const [rows, counted] = await client.reading((queries) =>
    Promise.all([
      ask<StoredRow & { visible_until: string }>(
        queries,
        sql`SELECT ${SELECT_MEMORY}, m.visible_until, ${vector} FROM (${ids}) p JOIN memories m ON m.id = p.id
          ORDER BY ${sortedBy(order)} LIMIT ${raw(limit + 1)}`,
      ),
      count
        ? ask<{ n: number }>(
            queries,
            sql`SELECT count(*)::int AS n FROM memories m WHERE ${within(POSTGRES, place!)}${condition}`,
          )
        : null,
    ]),
  )
  return { ...toPage(order, rows, limit, (row) => toStoredMemory(row, model)), totalCount: counted?.[0]?.n ?? null }
}

/** One subquery per scope, so that each comes sorted from its index, without duplicates. */
function pageIds({ scopes, sections }: Place, order: Order, condition: Sql, limit: number): Sql {
  const part = (from: Sql) =>
    sql`SELECT m.id FROM memories m WHERE ${from}${condition} ORDER BY ${sortedBy(order)} LIMIT ${raw(limit)}`
  if (scopes === null) return part(raw('true'))
  const whole = sql`SELECT m.id FROM unnest(${scopes}::int[]) AS s(key) CROSS JOIN LATERAL (${part(raw('m.scope_key = s.key'))}) m`
  // A memory belongs to the tasks of at most one section, since an identifier has one value.
  const tasks = sections.map((section) => sql`(${part(tasksOf(POSTGRES, section, scopes))})`)
  return join([whole, ...tasks], ' UNION ALL ')
}

export async function readEmbeddings(
  queries: Queries,
  model: CurrentModel,
  hashes: readonly string[],
): Promise<Map<string, Float32Array>> {
  if (hashes.length === 0) return new Map()
  const rows = await ask<{ hash: string; vector: Uint8Array }>(
    queries,
    sql`SELECT hash, halfvec_send(vector) AS vector FROM embeddings WHERE model = ${model.id} AND ${POSTGRES.among('hash', hashes)}`,
  )
  return new Map(rows.map(({ hash, vector }) => [hash, readVector(vector, model.dimensions)]))
}
