import type { SQLInputValue } from 'node:sqlite'
import type { FilterTest } from '../../model/filter.ts'
import type { Conditions } from '../storage.ts'

/** A piece of SQL over `memories m` with the values it binds. */
export interface SqlCondition {
  sql: string
  values: SQLInputValue[]
}

/** Translates conditions; the meaning is that of `matchesFilter` and `isVisible`. Starts with AND, or is empty. */
export function whereConditions(where: Conditions): SqlCondition {
  const parts: SqlCondition[] = []
  const add = (sql: string, ...values: SQLInputValue[]) => parts.push({ sql, values })
  if (where.visibleAt) add('m.active = 1 AND (m.expires_at IS NULL OR m.expires_at > ?)', where.visibleAt.toISOString())
  if (where.category !== undefined) add('m.category = ?', where.category)
  if (where.categories !== undefined) {
    add('m.category IN (SELECT value FROM json_each(?))', JSON.stringify(where.categories))
  }
  if (where.taskOfSection !== undefined) {
    const { sectionId, projectId } = where.taskOfSection
    add(
      `m.scope = 'task' AND m.identifiers ->> 'sectionId' = ? AND m.identifiers ->> 'projectId' IS ?`,
      sectionId,
      projectId,
    )
  }
  if (where.service !== undefined) add('m.service IS ?', where.service)
  if (where.source !== undefined) add('m.source = ?', where.source)
  if (where.session !== undefined) {
    add('m.session_id = (SELECT s.id FROM sessions s WHERE coalesce(s.key, CAST(s.id AS TEXT)) = ?)', where.session)
  }
  if (where.tags !== undefined) {
    add(
      'EXISTS (SELECT 1 FROM json_each(m.tags) t WHERE t.value IN (SELECT value FROM json_each(?)))',
      JSON.stringify(where.tags),
    )
  }
  for (const test of where.filter ?? []) parts.push(filterCondition(test))
  return { sql: parts.map((part) => ` AND ${part.sql}`).join(''), values: parts.flatMap((part) => part.values) }
}

/** Whether anything but visibility narrows the search. */
export function isNarrowed({ visibleAt: _, ...rest }: Conditions): boolean {
  return Object.values(rest).some((value) => value !== undefined && !(Array.isArray(value) && value.length === 0))
}

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function filterCondition({ path, operator, value }: FilterTest): SqlCondition {
  const at = `$${path.map((key) => `."${key}"`).join('')}`
  const type = 'json_type(m.metadata, ?)'
  const extract = 'json_extract(m.metadata, ?)'
  const isNumber = `${type} IN ('integer', 'real')`
  if (operator === 'eq') {
    if (value === null || typeof value === 'boolean') return { sql: `${type} = ?`, values: [at, String(value)] }
    const rightType = typeof value === 'string' ? `${type} = 'text'` : isNumber
    return { sql: `(${rightType} AND ${extract} = ?)`, values: [at, at, value] }
  }
  if (operator === 'contains') {
    const element = `(${type} = 'array' AND EXISTS (SELECT 1 FROM json_each(m.metadata, ?) e WHERE ${elementEquals(value)}))`
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
