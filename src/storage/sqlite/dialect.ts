import type { FilterTest } from '../../model/filter.ts'
import type { Dialect } from '../sql/conditions.ts'
import { raw, type Sql, sql } from '../sql/sql.ts'

/** A damaged row matches nothing, so the query works for all others. */
const METADATA = raw('CASE WHEN json_valid(m.metadata) THEN m.metadata END')
const TAGS = raw(`CASE WHEN json_valid(m.tags) THEN m.tags ELSE '[]' END`)

/** A list as one bound value: the statement is the same for any length. */
export function listed(values: readonly (string | number)[]): Sql {
  return sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`
}

export const SQLITE: Dialect = {
  among: (column, texts) => sql`${raw(column)} IN ${listed(texts)}`,
  isIn: (scopes) => sql`m.scope_key IN ${listed(scopes)}`,
  isSame: (column, value) => sql`${raw(column)} IS ${value}`,
  holds: (column, text) => {
    const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    return sql`instr(lower(coalesce(${raw(column)}, '')), ${lower}) > 0`
  },
  lower: (expression) => sql`lower(${raw(expression)})`,
  number: (value) => sql`${value}`,
  hasAnyTag: (tags) => sql`EXISTS (SELECT 1 FROM json_each(${TAGS}) t WHERE t.value IN ${listed(tags)})`,
  isEmbedded: (model) => sql`EXISTS (SELECT 1 FROM embeddings e WHERE e.id = m.embedding_id AND e.model = ${model})`,
  meetsFilter: filterCondition,
}

const COMPARISONS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function filterCondition({ path, operator, value }: FilterTest): Sql {
  const at = `$${path.map((key) => `."${key}"`).join('')}`
  const type = sql`json_type(${METADATA}, ${at})`
  const extract = sql`json_extract(${METADATA}, ${at})`
  if (operator === 'contains') {
    const element = sql`(${type} = 'array' AND EXISTS (SELECT 1 FROM json_each(${METADATA}, ${at}) e
      WHERE ${isOfType(raw('e.type'), value)}${typeof value === 'boolean' ? raw('') : sql` AND e.value = ${value}`}))`
    return typeof value === 'string'
      ? sql`(${element} OR (${type} = 'text' AND instr(${extract}, ${value}) > 0))`
      : element
  }
  if (value === null || typeof value === 'boolean') return isOfType(type, value)
  return sql`(${isOfType(type, value)} AND ${extract} ${raw(COMPARISONS[operator])} ${value})`
}

/** For true, false and null, the JSON type is the value. */
function isOfType(type: Sql, value: FilterTest['value']): Sql {
  if (typeof value === 'string') return sql`${type} = 'text'`
  return typeof value === 'number' ? sql`${type} IN ('integer', 'real')` : sql`${type} = ${String(value)}`
}
