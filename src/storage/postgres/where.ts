import type { FilterTest } from '../../model/filter.ts'
import type { Conditions } from '../conditions.ts'
import type { Values } from './values.ts'

/** Translates conditions on `memories m`; the meaning is that of `matchesFilter`. Starts with AND, or is empty. */
export function whereConditions(where: Conditions, model: number, values: Values): string {
  const parts: string[] = []
  const add = (sql: string) => parts.push(sql)
  const addList = (column: string, list: readonly string[] | undefined) => {
    if (list !== undefined) add(`m.${column} = ANY (${values.bind(list)}::text[])`)
  }
  if (where.visibleAt !== undefined) add(`m.visible_until > ${values.bind(where.visibleAt)}`)
  if (where.hiddenAt !== undefined) add(`m.visible_until <= ${values.bind(where.hiddenAt)}`)
  if (where.text !== undefined) {
    // Compared in "C", lower() knows A to Z only.
    const text = values.bind(where.text)
    add(`(strpos(lower(m.observation), lower(${text}::text COLLATE "C")) > 0
      OR strpos(lower(m.service), lower(${text}::text COLLATE "C")) > 0)`)
  }
  addList('scope', where.layers)
  addList('category', where.categories)
  addList('trust', where.trust)
  if (where.service === null) add('m.service IS NULL')
  else if (where.service !== undefined) add(`m.service = ${values.bind(where.service)}`)
  if (where.source !== undefined) add(`m.source = ${values.bind(where.source)}`)
  if (where.session !== undefined)
    add(`m.session_id = (SELECT s.id FROM sessions s WHERE s.key = ${values.bind(where.session)})`)
  if (where.tags !== undefined) add(`m.tags && ${values.bind(where.tags)}::text[]`)
  for (const test of where.filter ?? []) add(filterCondition(test, values))
  if (where.thread !== undefined) {
    const { id, from, to } = where.thread
    add(
      `m.thread_id = ${values.bind(id)} AND m.thread_index BETWEEN ${values.bind(from)}::float8 AND ${values.bind(to)}::float8`,
    )
  }
  if (where.expiredAt !== undefined) add(`m.expires_at <= ${values.bind(where.expiredAt)}`)
  if (where.updatedBy !== undefined) add(`m.updated_at <= ${values.bind(where.updatedBy)}`)
  if (where.embedded !== undefined)
    add(`m.model ${where.embedded ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM'} ${values.bind(model)}::int`)
  return parts.map((part) => ` AND ${part}`).join('')
}

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function filterCondition({ path, operator, value }: FilterTest, values: Values): string {
  // Key by key: a path as a whole would also count through arrays.
  const at = `(m.metadata${path.map((key) => ` -> ${values.bind(key)}::text`).join('')})`
  if (operator === 'eq') return equals(at, value, values)
  if (operator === 'contains') return contains(at, value, values)
  const comparison = COMPARISONS[operator]
  const bound = values.bind(value)
  return typeof value === 'string'
    ? ifType(at, 'string', `(${at} #>> '{}') COLLATE "C" ${comparison} ${bound}::text`)
    : ifType(at, 'number', `(${at} #>> '{}')::float8 ${comparison} ${bound}::float8`)
}

function equals(at: string, value: FilterTest['value'], values: Values): string {
  if (value === null) return `json_typeof(${at}) = 'null'`
  if (typeof value === 'number') return ifType(at, 'number', `(${at} #>> '{}')::float8 = ${values.bind(value)}::float8`)
  return ifType(at, typeof value as 'string' | 'boolean', `(${at} #>> '{}') = ${values.bind(String(value))}::text`)
}

function contains(at: string, value: FilterTest['value'], values: Values): string {
  const element = ifType(
    at,
    'array',
    `EXISTS (SELECT 1 FROM json_array_elements(${at}) AS e(v) WHERE ${equals('e.v', value, values)})`,
  )
  if (typeof value !== 'string') return element
  return `(${element} OR ${ifType(at, 'string', `strpos(${at} #>> '{}', ${values.bind(value)}::text) > 0`)})`
}

/** A value is read as what it is only when it is that: the server may otherwise test in another order. */
function ifType(at: string, type: 'string' | 'number' | 'boolean' | 'array', condition: string): string {
  return `(CASE WHEN json_typeof(${at}) = '${type}' THEN ${condition} ELSE false END)`
}
