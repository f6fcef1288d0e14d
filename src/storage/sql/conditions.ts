import type { FilterTest } from '../../model/filter.ts'
import { serviceKey } from '../../model/service-name.ts'
import type { Conditions } from '../conditions.ts'
import { raw, type Sql, sql } from './sql.ts'

/** The SQL differences between SQLite and PostgreSQL. */
export interface Dialect {
  among(column: string, texts: readonly string[]): Sql
  isIn(scopes: readonly number[]): Sql
  /** Equality that treats null as a value. */
  isSame(column: string, value: string | null): Sql
  /** Whether a column contains this text, ignoring the case of A to Z. */
  holds(column: string, text: string): Sql
  /** Lower-cases A to Z. */
  lower(expression: string): Sql
  /** Any number that JavaScript has. */
  number(value: number): Sql
  hasAnyTag(tags: readonly string[]): Sql
  /** Equivalent to `matchesFilter`. */
  meetsFilter(test: FilterTest): Sql
  isEmbedded(model: number): Sql
}

/**
 * Conditions on `memories m`, each with a leading AND; empty if there are none. `model` is the number of the current
 * one, `visibleUntil` the name of that column.
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
  if (where.contradicted) parts.push(raw(`CAST(m.links AS text) LIKE '%"contradict%'`))
  if (embedded !== undefined) parts.push(sql`${raw(embedded ? '' : 'NOT ')}${dialect.isEmbedded(model)}`)
  return parts.reduce((all, part) => sql`${all} AND ${part}`, raw(''))
}
