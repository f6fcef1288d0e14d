import type { JsonObject, JsonValue } from './memory.ts'

export type FilterScalar = string | number | boolean | null
export interface FilterCondition {
  eq?: FilterScalar
  /** A substring of a text, or an element of an array. */
  contains?: string | number | boolean
  gt?: string | number
  gte?: string | number
  lt?: string | number
  lte?: string | number
}
/** Metadata conditions by dotted path; a bare value means equality. All must match. */
export type Filter = { [path: string]: FilterScalar | FilterCondition }

/** One test on one path, for storage backends to translate. */
export interface FilterTest {
  path: readonly string[]
  operator: keyof FilterCondition
  value: FilterScalar
}

export function filterTests(filter: Filter): FilterTest[] {
  return Object.entries(filter).flatMap(([path, condition]) => {
    const conditions: FilterCondition =
      typeof condition === 'object' && condition !== null ? condition : { eq: condition }
    return Object.entries(conditions).map(([operator, value]) => ({
      path: path.split('.'),
      operator: operator as keyof FilterCondition,
      value: value as FilterScalar,
    }))
  })
}

/** The reference implementation of filters, also used for backends that cannot express one. */
export function matchesFilter(metadata: JsonObject, tests: readonly FilterTest[]): boolean {
  return tests.every(({ path, operator, value }) => {
    const actual = valueAt(metadata, path)
    return actual !== undefined && holds(actual, operator, value)
  })
}

function valueAt(metadata: JsonObject, path: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = metadata
  for (const key of path) {
    if (typeof current !== 'object' || current === null || Array.isArray(current)) return undefined
    current = Object.hasOwn(current, key) ? current[key] : undefined
  }
  return current
}

function holds(actual: JsonValue, operator: keyof FilterCondition, value: FilterScalar): boolean {
  if (operator === 'eq') return actual === value
  if (operator === 'contains') {
    if (Array.isArray(actual)) return actual.includes(value)
    return typeof actual === 'string' && typeof value === 'string' && actual.includes(value)
  }
  if (typeof actual !== typeof value) return false
  const order = compare(actual as string | number, value as string | number)
  if (operator === 'gt') return order > 0
  if (operator === 'gte') return order >= 0
  if (operator === 'lt') return order < 0
  return order <= 0
}

/** Compares texts by code point, as databases do, so that ISO times sort as times. */
function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b)
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
