import type { SQLInputValue } from 'node:sqlite'
import type { FilterTest } from '../../model/filter.ts'
import type { Conditions } from '../conditions.ts'
import type { SqlCondition } from './scopes.ts'

/** A row that is damaged matches nothing, rather than failing the query for all others. */
const METADATA = 'CASE WHEN json_valid(m.metadata) THEN m.metadata END'
const TAGS = `CASE WHEN json_valid(m.tags) THEN m.tags ELSE '[]' END`

/**
 * Translates conditions; the meaning is that of `matchesFilter`. Starts with AND, or is empty. `model` is the number of the
 * current one.
 */
export function whereConditions(where: Conditions, model: number): SqlCondition {
  const parts: SqlCondition[] = []
  const add = (sql: string, ...values: SQLInputValue[]) => parts.push({ sql, values })
  const addList = (column: string, values: readonly string[] | undefined) => {
    if (values !== undefined) add(`m.${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values))
  }
  if (where.visibleAt !== undefined) add('m.visible_until > ?', where.visibleAt)
  if (where.hiddenAt !== undefined) add('m.visible_until <= ?', where.hiddenAt)
  if (where.text !== undefined) {
    const text = where.text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    add(`(instr(lower(m.observation), ?) > 0 OR instr(lower(coalesce(m.service, '')), ?) > 0)`, text, text)
  }
  addList('scope', where.layers)
  addList('category', where.categories)
  addList('trust', where.trust)
  if (where.service !== undefined) add('m.service IS ?', where.service)
  if (where.source !== undefined) add('m.source = ?', where.source)
  if (where.session !== undefined) add('m.session_id = (SELECT s.id FROM sessions s WHERE s.key = ?)', where.session)
  if (where.tags !== undefined) {
    add(
      `EXISTS (SELECT 1 FROM json_each(${TAGS}) t WHERE t.value IN (SELECT value FROM json_each(?)))`,
      JSON.stringify(where.tags),
    )
  }
  for (const test of where.filter ?? []) parts.push(filterCondition(test))
  if (where.thread !== undefined) {
    const { id, from, to } = where.thread
    add('m.thread_id = ? AND m.thread_index BETWEEN ? AND ?', id, from, to)
  }
  if (where.expiredAt !== undefined) add('m.expires_at <= ?', where.expiredAt)
  if (where.updatedBy !== undefined) add('m.updated_at <= ?', where.updatedBy)
  if (where.embedded !== undefined) {
    const has = 'EXISTS (SELECT 1 FROM embeddings e WHERE e.id = m.embedding_id AND e.model = ?)'
    add(where.embedded ? has : `NOT ${has}`, model)
  }
  return { sql: parts.map((part) => ` AND ${part.sql}`).join(''), values: parts.flatMap((part) => part.values) }
}

/** Whether anything but visibility narrows the search. */
export function isNarrowed({ visibleAt: _, ...rest }: Conditions): boolean {
  return Object.values(rest).some((value) => value !== undefined)
}

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function filterCondition({ path, operator, value }: FilterTest): SqlCondition {
  const at = `$${path.map((key) => `."${key}"`).join('')}`
  const type = `json_type(${METADATA}, ?)`
  const extract = `json_extract(${METADATA}, ?)`
  const isNumber = `${type} IN ('integer', 'real')`
  if (operator === 'eq') {
    if (value === null || typeof value === 'boolean') return { sql: `${type} = ?`, values: [at, String(value)] }
    const rightType = typeof value === 'string' ? `${type} = 'text'` : isNumber
    return { sql: `(${rightType} AND ${extract} = ?)`, values: [at, at, value] }
  }
  if (operator === 'contains') {
    const element = `(${type} = 'array' AND EXISTS (SELECT 1 FROM json_each(${METADATA}, ?) e WHERE ${elementEquals(value)}))`
    const bound = typeof value === 'boolean' ? String(value) : value
    if (typeof value !== 'string') return { sql: element, values: [at, at, bound] }
    return {
      sql: `(${element} OR (${type} = 'text' AND instr(${extract}, ?) > 0))`,
      values: [at, at, bound, at, at, value],
    }
  }
  const rightType = typeof value === 'string' ? `${type} = 'text'` : isNumber
  return { sql: `(${rightType} AND ${extract} ${COMPARISONS[operator]} ?)`, values: [at, at, value as string | number] }
}

function elementEquals(value: FilterTest['value']): string {
  if (typeof value === 'boolean') return 'e.type = ?'
  return typeof value === 'string' ? `e.type = 'text' AND e.value = ?` : `e.type IN ('integer', 'real') AND e.value = ?`
}
