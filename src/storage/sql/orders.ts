import type { Page } from '../../model/page.ts'
import type { MemoryOrder } from '../memory-query.ts'
import { decodePosition, encodePosition, type PositionPart } from '../position.ts'
import { join, raw, type Sql, sql } from './sql.ts'

export interface Order {
  /** Names the list and its order, so that a position of another list is rejected. */
  name: string
  /** Sort columns, most significant first; together they are unique per row. */
  columns: readonly { sql: string; key: string; type: 'string' | 'number' }[]
  direction: 'ASC' | 'DESC'
}

type Sorted = 'confidence' | 'importance' | 'created_at' | 'updated_at' | 'visible_until' | 'ulid'

function memoryOrder(name: MemoryOrder, direction: Order['direction'], ...columns: readonly Sorted[]): Order {
  const type = (column: Sorted) => (column === 'confidence' || column === 'importance' ? 'number' : 'string')
  return { name, direction, columns: columns.map((key) => ({ sql: `m.${key}`, key, type: type(key) })) }
}

/** Orders of `memories m`. */
export const MEMORY_ORDERS: Record<MemoryOrder, Order> = {
  newest: memoryOrder('newest', 'DESC', 'created_at', 'ulid'),
  oldest: memoryOrder('oldest', 'ASC', 'created_at', 'ulid'),
  confidence: memoryOrder('confidence', 'DESC', 'confidence', 'created_at', 'ulid'),
  importance: memoryOrder('importance', 'DESC', 'importance', 'created_at', 'ulid'),
  updated: memoryOrder('updated', 'DESC', 'updated_at', 'ulid'),
  fading: memoryOrder('fading', 'ASC', 'visible_until', 'ulid'),
}

export function sortedBy({ columns, direction }: Order): Sql {
  return raw(columns.map((column) => `${column.sql} ${direction}`).join(', '))
}

/**
 * The condition for rows after a position, with a leading AND; empty at the start. Throws for a position of another
 * list.
 */
export function behind(order: Order, after: string | null): Sql {
  const { name, columns, direction } = order
  const types = columns.map((column) => column.type)
  const position = decodePosition(name, types, after)
  if (position === null) return raw('')
  const names = raw(columns.map((column) => column.sql).join(', '))
  const values = join(
    position.map((part) => sql`${part}`),
    ', ',
  )
  return sql` AND (${names}) ${raw(direction === 'DESC' ? '<' : '>')} (${values})`
}

function keysOf<Row extends object>({ columns }: Order, row: Row): PositionPart[] {
  return columns.map(({ key }) => (row as Record<string, PositionPart>)[key]!)
}

export function compareRows<Row extends object>(order: Order, a: Row, b: Row): number {
  const [own, other] = [keysOf(order, a), keysOf(order, b)]
  const at = own.findIndex((part, i) => part !== other[i])
  if (at < 0) return 0
  return own[at]! < other[at]! === (order.direction === 'ASC') ? -1 : 1
}

/** Makes a page from `limit + 1` rows: the extra row shows that there is more. */
export function toPage<Row extends object, Item>(
  order: Order,
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
): Page<Item> {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next = rows.length > limit && last ? encodePosition(order.name, keysOf(order, last)) : null
  return { items: page.map(toItem), next }
}
