import { z } from 'zod'
import { DEFAULT_CATEGORY } from './categories.ts'
import {
  identifiersSchema,
  idSchema,
  importanceSchema,
  layerSchema,
  metadataSchema,
  serviceSchema,
  tagSchema,
  text,
  textProblem,
  tierSchema,
} from './fields.ts'
import type { Filter } from './filter.ts'
import { type Identifiers, LAYERS, type Layer, type REQUIRED_IDENTIFIER } from './layer.ts'
import { DEFAULTS, LIMITS } from './limits.ts'
import { categorySchema, clampConfidence, DEFAULT_IMPORTANCE, optionalFields, sourceSchema, TRUSTS } from './memory.ts'

const tagsSchema = z
  .array(tagSchema)
  .max(LIMITS.tags)
  .transform((tags) => [...new Set(tags)])
/** Out-of-range values are clamped, not refused: 1.5 becomes 1. */
const confidenceSchema = z.number().transform(clampConfidence)

const filterText = z
  .string()
  .refine((value) => textProblem(value) === null, 'contains a NUL character or a lone surrogate')
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
    .regex(/^[^"\u0000-\u001F]+$/, 'a path must not contain quotes or control characters')
    .refine((path) => path.isWellFormed(), 'a path must not contain a lone surrogate')
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

const filterSchema: z.ZodType<Filter, Filter> = z.preprocess(
  (value, ctx) => {
    // A record drops this key silently, and a condition that is dropped shows what it should have hidden.
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')) {
      ctx.issues.push({ code: 'custom', message: 'a path must not be __proto__', input: value })
    }
    return value
  },
  filterPaths.refine((value) => Object.keys(value).length <= LIMITS.filterPaths, `at most ${LIMITS.filterPaths} paths`),
) as never

function nullByDefault<Shape extends Record<string, z.ZodNullable>>(shape: Shape) {
  const entries = Object.entries(shape).map(([name, schema]) => [name, schema.default(null)])
  return Object.fromEntries(entries) as { [Name in keyof Shape]: z.ZodDefault<Shape[Name]> }
}

/** Input for a new memory. */
export function newMemorySchema(maxContentLength: number) {
  return z.strictObject({
    content: text(maxContentLength, 'CONTENT_TOO_LONG'),
    /** Default: the project if one is given, else the nearest layer with an identifier. */
    layer: layerSchema.optional(),
    identifiers: identifiersSchema.default({}),
    category: categorySchema.default(DEFAULT_CATEGORY),
    service: serviceSchema.default(null),
    source: sourceSchema.default('manual'),
    tags: tagsSchema.default([]),
    metadata: metadataSchema.default({}),
    anchor: text(LIMITS.anchor).nullable().default(null),
    importance: importanceSchema.default(DEFAULT_IMPORTANCE),
    /** Default: 0.7, or less if the guard marked it. */
    confidence: confidenceSchema.optional(),
    tier: tierSchema.default(0),
    session: idSchema.nullable().default(null),
    ...nullByDefault(optionalFields),
    /** Always stored as a new memory, whatever is already known. */
    exact: z.boolean().default(false),
  })
}

/** Fields a caller may change. Metadata is merged key by key; everything else is replaced. */
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
      /** Only an operator may set it. */
      pinned: z.boolean().optional(),
      ...z.object(optionalFields).partial().shape,
      /** The version the caller saw: if the store has a newer one, fails with CONFLICT. */
      version: z.int().min(1).optional(),
    })
    .refine(
      (patch) => Object.entries(patch).some(([key, value]) => key !== 'version' && value !== undefined),
      'needs at least one field to change',
    )
}

/**
 * Who is calling. Without identifiers nothing can be read or changed; `everything` explicitly opens the whole store.
 * Inside `memory.as(...)` both are omitted: the caller is known.
 */
export const claimFields = { identifiers: identifiersSchema.optional(), everything: z.literal(true).optional() }
export const claimSchema = z.strictObject(claimFields)

const selection = {
  ...claimFields,
  layers: z.array(layerSchema).min(1).max(LAYERS.length).optional(),
  tags: tagsSchema.optional(),
  filter: filterSchema.optional(),
  category: categorySchema.optional(),
  /** null selects general memories, those without a service. */
  service: serviceSchema.optional(),
  trust: z.array(z.enum(TRUSTS)).min(1).optional(),
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
  /** The query's embedding by the engine's own model, if the caller already has it. */
  vector: z.array(z.number()).optional(),
})

/** `fading`: memories that will be hidden soonest come first. */
export const MEMORY_ORDERS = ['newest', 'oldest', 'confidence', 'importance', 'updated', 'fading'] as const
export const listSchema = z.strictObject({
  ...selection,
  sort: z.enum(MEMORY_ORDERS).default('newest'),
  /** Only memories hidden from readers: inactive, expired or held for review. */
  onlyInactive: z.boolean().default(false),
  /** Matches content or service, ignoring case. */
  text: text(LIMITS.identifier).optional(),
  source: sourceSchema.optional(),
  session: idSchema.optional(),
  limit: z.int().min(1).max(LIMITS.listLimit).default(DEFAULTS.listLimit),
  cursor: z.string().max(1024).optional(),
})

export const pageFields = {
  limit: z.int().min(1).max(LIMITS.pageLimit).default(DEFAULTS.listLimit),
  cursor: z.string().max(1024).optional(),
}
export const pageSchema = z.strictObject({ ...claimFields, ...pageFields })

export function bulkSchema<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ memories: z.array(item).min(1).max(LIMITS.bulk) })
}

/** Makes a call repeatable: a second call with the same key changes nothing and returns a result. */
export const keySchema = text(128).optional()

type Fields = z.input<ReturnType<typeof newMemorySchema>>

/** A layer with its required identifier. */
export type Addressed = {
  [Each in Layer]: { layer: Each; identifiers: Identifiers & Record<(typeof REQUIRED_IDENTIFIER)[Each], string> }
}[Layer]

/** A new memory. Without a layer it is inferred from the identifiers. */
export type NewMemory = Omit<Fields, 'layer' | 'identifiers'> &
  (Addressed | { layer?: undefined; identifiers: Identifiers })
/** Input inside `memory.as(...)`, where the identifiers are known. */
export type OwnMemory = Fields
export type MemoryPatch = z.input<ReturnType<typeof memoryPatchSchema>>
export type Claim = { identifiers: Identifiers; everything?: never } | { everything: true; identifiers?: never }
export type SearchRequest = Omit<z.input<typeof searchSchema>, 'vector'> & {
  vector?: number[] | Float32Array | undefined
}
export type ListRequest = z.input<typeof listSchema>
export type PageRequest = z.input<typeof pageSchema>
export type SearchMode = (typeof SEARCH_MODES)[number]
