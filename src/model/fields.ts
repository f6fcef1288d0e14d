import { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import { IDENTIFIER_NAMES, type IdentifierName, LAYERS } from './layer.ts'
import { LIMITS } from './limits.ts'

/** The schemas of single fields. Whatever is read anywhere is read with these. */

/** NUL and the other control characters that no text needs; tab and line breaks are text. */
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/

/** A problem with the error code that it is reported under; `parseInput` reads the code. */
function problem(code: ErrorCode, message: string, facts: Record<string, unknown> = {}) {
  return { code: 'custom' as const, message, params: { code, ...facts } }
}

/** Text that is not empty, holds nothing a terminal or a database chokes on, and is no longer than `max`. */
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
        ctx.issues.push({ ...problem('INVALID_INPUT', 'holds control characters'), input: value })
      else if (!value.isWellFormed())
        ctx.issues.push({ ...problem('INVALID_INPUT', 'holds a lone surrogate'), input: value })
    })
    .meta({ minLength: 1, ...(Number.isFinite(max) ? { maxLength: max } : {}) })
}

/** An unknown layer is INVALID_LAYER: `parseInput` knows the list. */
export const layerSchema = z.enum(LAYERS, {
  error: ({ input }) => {
    const given = typeof input === 'string' ? `'${input.slice(0, 40)}'` : input === null ? 'null' : typeof input
    return `${given} is not a layer; use one of ${LAYERS.join(', ')}`
  },
})

/** One line without anything that hides or turns text (joiners belong to words and emoji): it is shown in prompts and tables. */
const identifier = text(LIMITS.identifier).regex(
  /^(?:[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|[\u200C\u200D])+$/u,
  'must be one line without control or invisible characters',
)

/** An identifier is there with a value, or not there: `undefined` or an empty text would silently mean "everybody's". */
export const identifiersSchema = z.strictObject(
  Object.fromEntries(IDENTIFIER_NAMES.map((name) => [name, z.exactOptional(identifier)])) as Record<
    IdentifierName,
    z.ZodExactOptional<typeof identifier>
  >,
)

export const idSchema = text(128)
export const serviceSchema = text(LIMITS.service).nullable()
export const tagSchema = text(LIMITS.tag).regex(/^[^,\r\n\t]+$/, 'must not hold a comma or line break')
export const importanceSchema = z.number().min(0).max(100)
export const tierSchema = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)])
export const countSchema = z.int().min(0)

const DATE_TIME = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z' })

const DAY = /^\d{4}-\d\d-\d\d$/

/** A time as a caller gives it, as ISO 8601, a day (its first moment in UTC) or a `Date`; read as the record keeps it. */
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

/** `2026-02-30` reads as a day in March: what comes out must be what went in. */
function isRealTime(value: string): boolean {
  const time = Date.parse(value)
  return !Number.isNaN(time) && new Date(time).toISOString() === value
}

/** A time as the record keeps it: UTC, milliseconds, Z. */
export const exactTimeSchema = z
  .string()
  .refine((value) => EXACT_TIME.test(value) && isRealTime(value), {
    error: 'must be a time such as 2026-01-31T12:00:00.000Z',
  })
  .meta({ format: 'date-time' })

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type JsonObject = { [key: string]: JsonValue }

const anyObject = z.custom<JsonObject>()

/** An object that JSON can hold, bounded in depth and size, without keys that would reach a prototype. Read as a copy. */
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

/** Walked by hand: a record schema would drop `__proto__` silently, and a recursive one has no depth limit. */
function metadataProblem(value: unknown, depth: number): string | null {
  if (depth > LIMITS.metadataDepth) return `nested deeper than ${LIMITS.metadataDepth}`
  if (value === null || typeof value === 'boolean') return null
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'holds a number that is not finite'
  if (typeof value === 'string') return textProblem(value)
  if (Array.isArray(value)) return firstProblem(value, (item) => metadataProblem(item, depth + 1))
  if (!isPlainObject(value)) return 'holds something that JSON cannot'
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

/** What no database keeps. */
export function textProblem(value: string): string | null {
  if (value.includes('\0')) return 'holds a NUL character'
  return value.isWellFormed() ? null : 'holds a lone surrogate'
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
