import { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Filter } from './filter.ts'
import { IDENTIFIER_NAMES, type IdentifierName, isLayer, LAYERS, type Layer } from './layer.ts'
import { DEFAULTS, LIMITS } from './limits.ts'
import {
  CATEGORIES,
  clampConfidence,
  DEFAULT_CONFIDENCE,
  DEFAULT_IMPORTANCE,
  type JsonObject,
  SOURCES,
  type Tier,
} from './memory.ts'

/** NUL and the other control characters that no text needs; tab and line breaks are text. */
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/

function issue(code: ErrorCode, message: string, facts: Record<string, unknown> = {}) {
  return { code: 'custom' as const, message, params: { code, ...facts } }
}

/** Text that is not empty, holds nothing a terminal or a database chokes on, and is no longer than `max`. */
export function text(max: number, tooLong: ErrorCode = 'INVALID_INPUT') {
  return z.string().check((ctx) => {
    const value = ctx.value
    if (value.trim() === '') ctx.issues.push({ ...issue('INVALID_INPUT', 'must not be empty'), input: value })
    else if (value.length > max)
      ctx.issues.push({
        ...issue(tooLong, `longer than ${max} characters`, { maxLength: max, length: value.length }),
        input: value,
      })
    else if (CONTROL.test(value))
      ctx.issues.push({ ...issue('INVALID_INPUT', 'holds control characters'), input: value })
    else if (!value.isWellFormed())
      ctx.issues.push({ ...issue('INVALID_INPUT', 'holds a lone surrogate'), input: value })
  })
}

export const layerSchema = z.custom<Layer>().check((ctx) => {
  const value: unknown = ctx.value
  if (isLayer(value)) return
  const given = typeof value === 'string' ? `'${value.slice(0, 40)}'` : value === null ? 'null' : typeof value
  ctx.issues.push({
    ...issue('INVALID_LAYER', `${given} is not a layer; use one of ${LAYERS.join(', ')}`, { layers: LAYERS }),
    input: value,
  })
})

const identifier = text(LIMITS.identifier)
export const identifiersSchema = z.strictObject(
  Object.fromEntries(IDENTIFIER_NAMES.map((name) => [name, identifier.optional()])) as Record<
    IdentifierName,
    z.ZodOptional<typeof identifier>
  >,
)

export const categorySchema = z.enum(CATEGORIES)
export const sourceSchema = z.enum(SOURCES)
export const serviceSchema = text(LIMITS.service).nullable()
export const tagsSchema = z
  .array(text(LIMITS.tag).regex(/^[^,\r\n\t]+$/, 'must not hold a comma or line break'))
  .max(LIMITS.tags)
  .transform((tags) => [...new Set(tags)])
export const importanceSchema = z.number().min(0).max(100)
/** Out of range is clamped, not refused: 1.5 is 1. */
export const confidenceSchema = z.number().transform(clampConfidence)
export const tierSchema = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]) as z.ZodType<Tier>
export const timeSchema = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z' })
  .refine((value) => !Number.isNaN(Date.parse(value)), 'must be a real date')
  .transform((value) => new Date(value).toISOString())
export const idSchema = text(128)

export const metadataSchema = z
  .custom<JsonObject>()
  .check((ctx) => {
    const value: unknown = ctx.value
    const problem = isPlainObject(value) ? metadataProblem(value, 0) : 'must be an object'
    if (problem) ctx.issues.push({ ...issue('INVALID_INPUT', problem), input: value })
    else if (JSON.stringify(value).length > LIMITS.metadata)
      ctx.issues.push({
        ...issue('INVALID_INPUT', `larger than ${LIMITS.metadata} characters as JSON`, { maxLength: LIMITS.metadata }),
        input: value,
      })
  })
  .transform((value) => structuredClone(value))

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
    const problem = problemOf(item)
    if (problem) return problem
  }
  return null
}

/** What no database keeps. */
function textProblem(value: string): string | null {
  if (value.includes('\0')) return 'holds a NUL character'
  return value.isWellFormed() ? null : 'holds a lone surrogate'
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const filterText = z
  .string()
  .refine((value) => textProblem(value) === null, 'holds a NUL character or a lone surrogate')
const scalar = z.union([filterText, z.number(), z.boolean(), z.null()])
const comparable = z.union([filterText, z.number()])
const condition = z
  .strictObject({
    eq: scalar.optional(),
    contains: z.union([filterText, z.number(), z.boolean()]).optional(),
    gt: comparable.optional(),
    gte: comparable.optional(),
    lt: comparable.optional(),
    lte: comparable.optional(),
  })
  .refine((value) => Object.keys(value).length > 0, 'needs an operator: eq, contains, gt, gte, lt or lte')

const filterPaths = z.record(
  z
    .string()
    .max(256)
    .regex(/^[^"\u0000-\u001F]+$/, 'a path must not hold quotes or control characters')
    .refine((path) => path.isWellFormed(), 'a path must not hold a lone surrogate')
    .regex(/^[^.]+(\.[^.]+)*$/, 'must be a dotted path'),
  z.unknown().transform((value, ctx): unknown => {
    const schema = typeof value === 'object' && value !== null ? condition : scalar
    const result = schema.safeParse(value)
    if (result.success) return result.data
    for (const problem of result.error.issues) {
      const message =
        problem.code === 'unrecognized_keys'
          ? `unknown operator ${problem.keys.join(', ')}; use eq, contains, gt, gte, lt or lte`
          : problem.message
      ctx.issues.push({ code: 'custom', message, input: value, path: [...problem.path] })
    }
    return z.NEVER
  }),
)

export const filterSchema = z
  // A record drops this key silently, and a condition that is dropped shows what it should have hidden.
  .custom<Record<string, unknown>>(
    (value) => typeof value !== 'object' || value === null || !Object.hasOwn(value, '__proto__'),
    {
      error: 'a path must not be __proto__',
    },
  )
  .pipe(filterPaths)
  .refine((value) => Object.keys(value).length <= LIMITS.filterPaths, `at most ${LIMITS.filterPaths} paths`)
  .transform((value) => value as Filter)

/** What a caller gives to have something remembered. */
export function newMemorySchema(maxContentLength: number) {
  return z.strictObject({
    content: text(maxContentLength, 'CONTENT_TOO_LONG'),
    layer: layerSchema,
    identifiers: identifiersSchema,
    category: categorySchema.default('learning'),
    service: serviceSchema.default(null),
    source: sourceSchema.default('manual'),
    tags: tagsSchema.default([]),
    metadata: metadataSchema.default({}),
    anchor: text(LIMITS.anchor).nullable().default(null),
    importance: importanceSchema.default(DEFAULT_IMPORTANCE),
    confidence: confidenceSchema.default(DEFAULT_CONFIDENCE),
    tier: tierSchema.default(0),
    session: idSchema.nullable().default(null),
    expiresAt: timeSchema.nullable().default(null),
  })
}

/** What a caller may change. Metadata is merged key by key; everything else is replaced. */
export function memoryPatchSchema(maxContentLength: number) {
  return z
    .strictObject({
      content: text(maxContentLength, 'CONTENT_TOO_LONG').optional(),
      category: categorySchema.optional(),
      service: serviceSchema.optional(),
      tags: tagsSchema.optional(),
      metadata: metadataSchema.optional(),
      anchor: text(LIMITS.anchor).nullable().optional(),
      importance: importanceSchema.optional(),
      confidence: confidenceSchema.optional(),
      active: z.boolean().optional(),
      expiresAt: timeSchema.nullable().optional(),
      /** The version the caller saw: a newer one in the store is a CONFLICT. */
      version: z.int().min(1).optional(),
    })
    .refine((patch) => Object.keys(patch).some((key) => key !== 'version'), 'needs at least one field to change')
}

const selection = {
  identifiers: identifiersSchema.default({}),
  layers: z.array(layerSchema).min(1).max(LAYERS.length).optional(),
  tags: tagsSchema.optional(),
  filter: filterSchema.optional(),
  category: categorySchema.optional(),
  /** null selects the general memories, those of no service. */
  service: serviceSchema.optional(),
  includeInactive: z.boolean().default(false),
}

export const SEARCH_MODES = ['hybrid', 'semantic', 'keyword'] as const
export const searchSchema = z.strictObject({
  ...selection,
  query: text(LIMITS.query, 'QUERY_TOO_LONG'),
  mode: z.enum(SEARCH_MODES).default('hybrid'),
  limit: z.int().min(1).max(LIMITS.searchLimit).default(DEFAULTS.searchLimit),
  threshold: z.number().min(0).max(1).default(DEFAULTS.threshold),
  order: z.enum(['precedence', 'relevance']).default('precedence'),
  explain: z.boolean().default(false),
  /** The query's embedding, when the caller has it already; of the engine's own model. */
  vector: z.union([z.custom<Float32Array>((value) => value instanceof Float32Array), z.array(z.number())]).optional(),
})

export const listSchema = z.strictObject({
  ...selection,
  source: sourceSchema.optional(),
  session: idSchema.optional(),
  limit: z.int().min(1).max(LIMITS.listLimit).default(DEFAULTS.listLimit),
  cursor: z.string().max(1024).optional(),
})

export type NewMemory = z.input<ReturnType<typeof newMemorySchema>>
export type MemoryPatch = z.input<ReturnType<typeof memoryPatchSchema>>
export type SearchRequest = z.input<typeof searchSchema>
export type ListRequest = z.input<typeof listSchema>
export type SearchMode = (typeof SEARCH_MODES)[number]

/** A list of inputs in one call. */
export function bulkSchema<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ memories: z.array(item).min(1).max(LIMITS.bulk) })
}
