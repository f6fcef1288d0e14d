import type { FilterTest } from '../../model/filter.ts'
import { serviceKey } from '../../model/service-name.ts'
import type { Conditions } from '../conditions.ts'
import { raw, type Sql, sql } from './sql.ts'

/** What SQLite and PostgreSQL write differently. */
export interface Dialect {
  among(column: string, texts: readonly string[]): Sql
  isIn(scopes: readonly number[]): Sql
  /** Whether a column has this value, null being one. */
  isSame(column: string, value: string | null): Sql
  /** Whether a column holds this text; the case of the letters A to Z does not matter. */
  holds(column: string, text: string): Sql
  /** With the letters A to Z in lower case. */
  lower(expression: string): Sql
  /** A number that may be any that JavaScript has. */
  number(value: number): Sql
  hasAnyTag(tags: readonly string[]): Sql
  /** The meaning is that of `matchesFilter`. */
  meetsFilter(test: FilterTest): Sql
  isEmbedded(model: number): Sql
}

/**
 * Conditions on `memories m`, each behind an AND; empty where there are none. `model` is the number of the current one, `visibleUntil` how
 * that column is named.
 */
export function whereConditions(
  where: Conditions,
  dialect: Dialect,
  model: number,
  visibleUntil: Sql = raw('m.visible_until'),
): Sql {
  const { text, layers, categories, exceptCategories, trust, service, source, session, tags, thread, embedded } = where
  const parts: Sql[] = []
  if (where.visibleAt !== undefined) parts.push(sql`${visibleUntil} > ${where.visibleAt}`)
  if (where.hiddenAt !== undefined) parts.push(sql`${visibleUntil} <= ${where.hiddenAt}`)
  if (text !== undefined)
    parts.push(sql`(${dialect.holds('m.observation', text)} OR ${dialect.holds('m.service', text)})`)
  if (layers !== undefined) parts.push(dialect.among('m.scope', layers))
  if (categories !== undefined) parts.push(dialect.among('m.category', categories))
  if (exceptCategories !== undefined) parts.push(sql`NOT (${dialect.among('m.category', exceptCategories)})`)
  if (trust !== undefined) parts.push(dialect.among('m.trust', trust))
  if (service === null) parts.push(sql`m.service IS NULL`)
  else if (service !== undefined)
    parts.push(sql`${dialect.lower("replace(replace(m.service, '_', '-'), ' ', '-')")} = ${serviceKey(service)}`)
  if (source !== undefined) parts.push(sql`m.source = ${source}`)
  if (session !== undefined) parts.push(sql`m.session_id = (SELECT s.id FROM sessions s WHERE s.key = ${session})`)
  if (tags !== undefined) parts.push(dialect.hasAnyTag(tags))
  for (const test of where.filter ?? []) parts.push(dialect.meetsFilter(test))
  if (thread !== undefined) {
    const [from, to] = [dialect.number(thread.from), dialect.number(thread.to)]
    parts.push(sql`m.thread_id = ${thread.id} AND m.thread_index BETWEEN ${from} AND ${to}`)
  }
  if (where.expiredAt !== undefined) parts.push(sql`m.expires_at <= ${where.expiredAt}`)
  if (where.updatedBy !== undefined) parts.push(sql`m.updated_at <= ${where.updatedBy}`)
  if (embedded !== undefined) parts.push(sql`${raw(embedded ? '' : 'NOT ')}${dialect.isEmbedded(model)}`)
  return parts.reduce((all, part) => sql`${all} AND ${part}`, raw(''))
}
