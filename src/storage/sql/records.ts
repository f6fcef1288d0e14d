import type { EventSelector, SessionSelector } from '../record-query.ts'
import type { Dialect } from './conditions.ts'
import { behind, type Order, sortedBy } from './orders.ts'
import { join, raw, type Sql, sql } from './sql.ts'

/** One kind of record, and how a database stores it. The last column of the order is unique. */
export interface RecordTable {
  /** Columns, aliased to the record's field names. */
  select: string
  from: string
  /** A condition that is true for all rows that are records. */
  where: string
  order: Order
}

/**
 * A page of the records that match any of these conditions, without duplicates; null for all. Rows come sorted from the
 * indexes.
 */
export function selectPage(
  { select, from, where, order }: RecordTable,
  any: readonly Sql[] | null,
  { after, limit }: { after: string | null; limit: number },
): Sql {
  const sorted = sql`ORDER BY ${sortedBy(order)} LIMIT ${limit + 1}`
  const rest = behind(order, after)
  const page = (columns: string, condition: Sql) =>
    sql`SELECT ${raw(columns)} FROM ${raw(from)} WHERE ${raw(where)} AND ${condition}${rest} ${sorted}`
  if (any === null) return page(select, raw('1 = 1'))
  if (any.length === 1) return page(select, any[0]!)
  const key = order.columns.at(-1)!.sql
  const each = any.map((condition, i) => sql`SELECT k FROM (${page(`${key} AS k`, condition)}) AS a${raw(i)}`)
  return sql`SELECT ${raw(select)} FROM ${raw(from)} WHERE ${raw(key)} IN (${join(each, ' UNION ')}) ${sorted}`
}

/** An empty list of selectors selects nothing. */
function orNothing(conditions: readonly Sql[]): readonly Sql[] {
  return conditions.length === 0 ? [raw('1 = 0')] : conditions
}

/** Conditions on `sessions s`. */
export function sessionConditions(dialect: Dialect, any: readonly SessionSelector[] | null): readonly Sql[] | null {
  if (any === null) return null
  const ids = any.flatMap((selector) => ('id' in selector ? [selector.id] : []))
  const others = any.flatMap((selector) => {
    if ('id' in selector) return []
    return 'agent' in selector
      ? sql`s.project IS NULL AND s.agent = ${selector.agent}`
      : sql`s.project = ${selector.project}`
  })
  return orNothing(ids.length === 0 ? others : [dialect.among('s.key', ids), ...others])
}

/** Conditions on `events e`. */
export function eventConditions(
  any: readonly EventSelector[] | null,
  ofSession: (session: string) => Sql,
): readonly Sql[] | null {
  if (any === null) return null
  const conditions = any.map((selector) =>
    'session' in selector ? ofSession(selector.session) : sql`e.identifiers ->> 'projectId' = ${selector.project}`,
  )
  return orNothing(conditions)
}

const text = (column: string, key: string) => ({ sql: column, key, type: 'string' as const })

export const sessionOrder = (startedAt: string): Order => ({
  name: 'sessions',
  columns: [text(startedAt, 'startedAt'), text('s.key', 'id')],
  direction: 'DESC',
})
export const eventOrder = (id: string): Order => ({
  name: 'events',
  columns: [text('e.at', 'at'), text(id, 'id')],
  direction: 'DESC',
})
export const injectionOrder = (id: string): Order => ({
  name: 'injections',
  columns: [text('i.at', 'at'), { sql: 'i.position', key: 'position', type: 'number' }, text(id, 'id')],
  direction: 'ASC',
})
