import { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import { IDENTIFIER_NAMES, type IdentifierName, LAYERS } from './layer.ts'
import { LIMITS } from './limits.ts'

/** Schemas of single fields, shared by every parser. */

/** NUL and the other control characters, except tab and line breaks. */
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/

/** A validation problem with the error code to report; `parseInput` reads the code. */
function problem(code: ErrorCode, message: string, facts: Record<string, unknown> = {}) {
  return { code: 'custom' as const, message, params: { code, ...facts } }
}

/** Text that is not empty, contains nothing a terminal or database cannot handle, and is no longer than `max`. */
export function text(max: number, tooLong: ErrorCode = 'INVALID_INPUT') {
  return z
    .string()
    .check((ctx) => {
      const value = ctx.value
      if (value.trim() === '') ctx.issues.push({ ...problem('INVALID_INPUT', 'must not be empty'), input: value })
      else if (value.length > max)
        ctx.issues.push({
          ...problem(tooLong, `longer than ${max} characters`, { maxLength: max, length: value.length }),
          input: value,
        })
      else if (CONTROL.test(value))
        ctx.issues.push({ ...problem('INVALID_INPUT', 'contains control characters'), input: value })
      else if (!value.isWellFormed())
        ctx.issues.push({ ...problem('INVALID_INPUT', 'contains a lone surrogate'), input: value })
    })
    .meta({ minLength: 1, ...(Number.isFinite(max) ? { maxLength: max } : {}) })
}

/** An unknown layer is reported as INVALID_LAYER, with the list of layers. */
export const layerSchema = z.enum(LAYERS, {
  error: ({ input }) => {
    const given = typeof input === 'string' ? `'${input.slice(0, 40)}'` : input === null ? 'null' : typeof input
    return `${given} is not a layer; use one of ${LAYERS.join(', ')}`
  },
})

/**
 * One line without invisible or direction-changing characters, because it is shown in prompts and tables. Joiners are
 * allowed: words and emoji need them.
 */
const identifier = text(LIMITS.identifier).regex(
  /^(?:[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|[\u200C\u200D])+$/u,
  'must be one line without control or invisible characters',
)

/** An identifier has a value or is absent: `undefined` or an empty text would silently mean "everybody's". */
export const identifiersSchema = z.strictObject(
  Object.fromEntries(IDENTIFIER_NAMES.map((name) => [name, z.exactOptional(identifier)])) as Record<
    IdentifierName,
    z.ZodExactOptional<typeof identifier>
  >,
)

export const idSchema = text(128)
export const serviceSchema = text(LIMITS.service).nullable()
export const tagSchema = text(LIMITS.tag).regex(/^[^,\r\n\t]+$/, 'must not contain a comma or line break')
export const importanceSchema = z.number().min(0).max(100)
export const tierSchema = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)])
export const countSchema = z.int().min(0)

const DATE_TIME = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z' })

const DAY = /^\d{4}-\d\d-\d\d$/

/** A time as a caller gives it: ISO 8601, a day (midnight UTC) or a `Date`. Converted to the record's format. */
export const timeSchema = z.preprocess(
  (value) => {
    if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString()
    return typeof value === 'string' && DAY.test(value) ? `${value}T00:00:00Z` : value
  },
  DATE_TIME.refine((value) => !Number.isNaN(Date.parse(value)), 'must be a real date').transform((value) =>
    new Date(value).toISOString(),
  ),
) as z.ZodType<string, string | Date>

const EXACT_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** `2026-02-30` parses as a day in March, so the output must equal the input. */
function isRealTime(value: string): boolean {
  const time = Date.parse(value)
  return !Number.isNaN(time) && new Date(time).toISOString() === value
}

/** A time in the record's format: UTC, milliseconds, Z. */
export const exactTimeSchema = z
  .string()
  .refine((value) => EXACT_TIME.test(value) && isRealTime(value), {
    error: 'must be a time such as 2026-01-31T12:00:00.000Z',
  })
  .meta({ format: 'date-time' })

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type JsonObject = { [key: string]: JsonValue }

const anyObject = z.custom<JsonObject>()

/** A JSON object of bounded depth and size, without keys that reach a prototype. The result is a copy. */
export const metadataSchema: z.ZodType<JsonObject> = z.preprocess(
  (value, ctx) => {
    const found = isPlainObject(value) ? metadataProblem(value, 0) : 'must be an object'
    if (found === null) {
      const json = JSON.stringify(value)
      if (json === '{}') return {}
      if (json.length <= LIMITS.metadata) return JSON.parse(json) as JsonObject
    }
    const message = found ?? `larger than ${LIMITS.metadata} characters as JSON`
    const facts = found === null ? { maxLength: LIMITS.metadata } : {}
    ctx.issues.push({ ...problem('INVALID_INPUT', message, facts), input: value })
    return z.NEVER
  },
  z.record(z.string(), z.unknown()) as unknown as typeof anyObject,
)

const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

/** Walked by hand: a record schema would silently drop `__proto__`, and a recursive one has no depth limit. */
function metadataProblem(value: unknown, depth: number): string | null {
  if (depth > LIMITS.metadataDepth) return `nested deeper than ${LIMITS.metadataDepth}`
  if (value === null || typeof value === 'boolean') return null
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'contains a number that is not finite'
  if (typeof value === 'string') return textProblem(value)
  if (Array.isArray(value)) return firstProblem(value, (item) => metadataProblem(item, depth + 1))
  if (!isPlainObject(value)) return 'contains something that JSON cannot'
  return firstProblem(Object.keys(value), (key) =>
    PROTOTYPE_KEYS.has(key)
      ? `must not have a key named ${key}`
      : (textProblem(key) ?? metadataProblem(value[key], depth + 1)),
  )
}

function firstProblem<Item>(items: readonly Item[], problemOf: (item: Item) => string | null): string | null {
  for (const item of items) {
    const found = problemOf(item)
    if (found) return found
  }
  return null
}

/** Returns why a database cannot store this text; null if it can. */
export function textProblem(value: string): string | null {
  if (value.includes('\0')) return 'contains a NUL character'
  return value.isWellFormed() ? null : 'contains a lone surrogate'
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
