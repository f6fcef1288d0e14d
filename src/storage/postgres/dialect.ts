import type { FilterTest } from '../../model/filter.ts'
import type { Dialect } from '../sql/conditions.ts'
import { raw, type Sql, sql } from '../sql/sql.ts'
import type { Queries } from './client.ts'

export function ask<Row>(queries: Queries, query: Sql): Promise<Row[]> {
  return queries.query<Row>(
    query.text((place) => `$${place}`),
    query.values,
  )
}

export const POSTGRES: Dialect = {
  among: (column, texts) => sql`${raw(column)} = ANY (${texts}::text[])`,
  isIn: (scopes) => sql`(m.scope_key = ANY (${scopes}::int[]))`,
  isSame: (column, value) => sql`${raw(column)} IS NOT DISTINCT FROM ${value}::text`,
  // In the "C" collation, lower() only affects A to Z.
  holds: (column, text) => sql`coalesce(strpos(lower(${raw(column)}), lower(${text}::text COLLATE "C")) > 0, false)`,
  lower: (expression) => sql`lower(${raw(expression)} COLLATE "C")`,
  number: (value) => sql`${value}::float8`,
  hasAnyTag: (tags) => sql`m.tags && ${tags}::text[]`,
  isEmbedded: (model) => sql`(m.model IS NOT DISTINCT FROM ${model}::int)`,
  meetsFilter: filterCondition,
}

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function filterCondition({ path, operator, value }: FilterTest): Sql {
  // Key by key: a path expression would also descend into arrays.
  const at = path.reduce((all, key) => sql`${all} -> ${key}::text`, raw('m.metadata'))
  if (operator === 'eq') return equals(sql`(${at})`, value)
  if (operator === 'contains') return contains(sql`(${at})`, value)
  return compares(sql`(${at})`, COMPARISONS[operator], value as string | number)
}

function compares(at: Sql, comparison: string, value: string | number): Sql {
  const operator = raw(comparison)
  return typeof value === 'string'
    ? ifType(at, 'string', sql`(${at} #>> '{}') COLLATE "C" ${operator} ${value}::text`)
    : ifType(at, 'number', sql`(${at} #>> '{}')::float8 ${operator} ${value}::float8`)
}

function equals(at: Sql, value: FilterTest['value']): Sql {
  if (value === null) return sql`json_typeof(${at}) = 'null'`
  if (typeof value === 'boolean') return ifType(at, 'boolean', sql`(${at} #>> '{}') = ${String(value)}::text`)
  return compares(at, '=', value)
}

function contains(at: Sql, value: FilterTest['value']): Sql {
  const element = sql`EXISTS (SELECT 1 FROM json_array_elements(${at}) AS e(v) WHERE ${equals(raw('e.v'), value)})`
  const isElement = ifType(at, 'array', element)
  if (typeof value !== 'string') return isElement
  return sql`(${isElement} OR ${ifType(at, 'string', sql`strpos(${at} #>> '{}', ${value}::text) > 0`)})`
}

/**
 * Reads a value as a type only if it has that type: the server may otherwise evaluate the conditions in another order.
 */
function ifType(at: Sql, type: 'string' | 'number' | 'boolean' | 'array', condition: Sql): Sql {
  return sql`(CASE WHEN json_typeof(${at}) = ${raw(`'${type}'`)} THEN ${condition} ELSE false END)`
}
