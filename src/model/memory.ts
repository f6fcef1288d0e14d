import { z } from 'zod'
import { CATEGORIES } from './categories.ts'
import {
  countSchema,
  exactTimeSchema,
  identifiersSchema,
  idSchema,
  importanceSchema,
  layerSchema,
  metadataSchema,
  serviceSchema,
  tagSchema,
  text,
  tierSchema,
  timeSchema,
} from './fields.ts'
import { LIMITS } from './limits.ts'

export type { JsonObject, JsonValue } from './fields.ts'

/** `observed`: seen during a run, not stated by anyone. */
export const SOURCES = [
  'extraction',
  'manual',
  'system',
  'coder',
  'reviewer',
  'orchestrator',
  'coordinator',
  'observed',
] as const
export type Source = (typeof SOURCES)[number]

export const categorySchema = z.enum(CATEGORIES)
export const sourceSchema = z.enum(SOURCES)

/** 0 is an operator, 1 observes, 2 investigates, 3 remediates. */
export type Tier = z.output<typeof tierSchema>

/**
 * How far a memory is trusted: from an operator, from an agent, confirmed by several agents, marked by the guard, or
 * held back from all readers until an operator accepts it.
 */
export const TRUSTS = ['operator', 'agent', 'corroborated', 'flagged', 'quarantined'] as const
export type Trust = (typeof TRUSTS)[number]

/**
 * Tag of a visible memory that an operator should look at: it contradicts an operator, or depends on something that was
 * retracted.
 */
export const REVIEW_TAG = 'review'

/**
 * Metadata key with the figures of a memory that is up for review because runs that were shown it did worse than
 * others.
 */
export const HARM_NOTE = 'looksHarmful'

/** Why a visible memory is up for review. */
export function whyPutUp({ tags, links, metadata }: Pick<Memory, 'tags' | 'links' | 'metadata'>): string[] {
  if (!tags.includes(REVIEW_TAG)) return []
  const contradicts = links.some(({ relation }) => relation === 'contradicts')
  const harm = typeof metadata[HARM_NOTE] === 'string' ? [metadata[HARM_NOTE]] : []
  if (harm.length > 0 && !contradicts) return harm
  return [contradicts ? 'contradicts what an operator said' : 'depends on a retracted memory', ...harm]
}

/** How a memory relates to another. Both memories store the link. */
const RELATIONS = ['contradicts', 'contradictedBy', 'confirms', 'confirmedBy'] as const
export const linkSchema = z.strictObject({ relation: z.enum(RELATIONS), memory: idSchema })
export type Link = z.output<typeof linkSchema>

/** A conversation, transcript or timeline, and the position in it, counted from 0. */
export const threadSchema = z.strictObject({ id: idSchema, index: countSchema })
export type Thread = z.output<typeof threadSchema>

/** One observation recorded by an agent, a workflow or a person. Times are ISO 8601, UTC, with milliseconds. */
export const memorySchema = z.strictObject({
  /** ULID, monotonic within a process. */
  id: idSchema,
  /** The backend's own limit is checked on writing. */
  content: text(LIMITS.content, 'CONTENT_TOO_LONG'),
  layer: layerSchema,
  identifiers: identifiersSchema,
  category: categorySchema,
  /** The service it is about; null for general memories. */
  service: serviceSchema,
  source: sourceSchema,
  tags: z.array(tagSchema).max(LIMITS.tags),
  metadata: metadataSchema,
  /** A compact pointer such as `task_id:T7|commit:ab12cd`. */
  anchor: text(LIMITS.anchor).nullable(),
  /** 0 to 100. */
  importance: importanceSchema,
  /** 0 to 1, two decimals. */
  confidence: z.number().min(0).max(1),
  active: z.boolean(),
  /** Whole weeks of decay already taken from the confidence since `updatedAt`. */
  decayedWeeks: countSchema.max(LIMITS.decayedWeeks),
  tier: tierSchema,
  trust: z.enum(TRUSTS),
  links: z.array(linkSchema).max(LIMITS.links),
  thread: threadSchema.nullable(),
  /** When the described event happened, if known and not now. */
  occurredAt: exactTimeSchema.nullable(),
  /** The session (run) that recorded it. */
  session: idSchema.nullable(),
  expiresAt: exactTimeSchema.nullable(),
  lastRecalledAt: exactTimeSchema.nullable(),
  recallCount: countSchema,
  /** Set by an operator: included first when space is short, and never fades. */
  pinned: z.boolean(),
  /** How many sessions acted on it after seeing it, and when one last did. */
  useCount: countSchema,
  lastUsedAt: exactTimeSchema.nullable(),
  createdAt: exactTimeSchema,
  updatedAt: exactTimeSchema,
  /** Incremented by every change, for optimistic concurrency. */
  version: z.int().min(1),
})

export type Memory = z.output<typeof memorySchema>

/** Optional fields, the same for every way to add or change a memory. If left out, null. */
export const optionalFields = {
  expiresAt: timeSchema.nullable(),
  thread: threadSchema.nullable(),
  occurredAt: timeSchema.nullable(),
}
type OptionalField = keyof typeof optionalFields

export function optionalOf(given: { [Name in OptionalField]?: Memory[Name] | undefined }): Pick<Memory, OptionalField> {
  const names = Object.keys(optionalFields) as OptionalField[]
  return Object.fromEntries(names.map((name) => [name, given[name] ?? null])) as Pick<Memory, OptionalField>
}

/** Defaults for fields added after version 0.1.0, for records written earlier. */
export function laterFields() {
  return {
    ...{ decayedWeeks: 0, trust: 'agent', links: [], thread: null, occurredAt: null },
    ...{ pinned: false, useCount: 0, lastUsedAt: null },
  } satisfies Partial<Memory>
}

export const DEFAULT_CONFIDENCE = 0.7
export const DEFAULT_IMPORTANCE = 50
/** A memory below this confidence is inactive: kept for audit, but hidden from reads. */
export const ACTIVE_CONFIDENCE = 0.3

/** The setting `memory.decay`. */
export const decaySchema = z.partialRecord(
  categorySchema,
  z.union([z.literal(false), z.int().min(1).max(36_500)], 'must be a number of days from 1 to 36500, or false'),
)

/** A memory that is not reinforced for `graceDays` loses `step` of confidence for every full `stepDays` after that. */
export const DECAY = { graceDays: 30, stepDays: 7, step: 0.1 } as const
/** Grace period of a lesson that was inferred and not confirmed since. */
export const UNCONFIRMED_GRACE_DAYS = 7
/** The initial confidence of an inferred lesson; confirmations raise it. */
export const LESSON_CONFIDENCE = 0.5

/** Exact two-decimal arithmetic inside [0, 1]: 0.7 + 0.1 is 0.8. */
export function clampConfidence(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 100) / 100
}

export function isExpired(memory: Pick<Memory, 'expiresAt'>, now: Date): boolean {
  return memory.expiresAt !== null && Date.parse(memory.expiresAt) <= now.getTime()
}

/** Whether reads show this memory without `includeInactive`. Expects the current state, decay included. */
export function isVisible(memory: Pick<Memory, 'active' | 'expiresAt' | 'trust'>, now: Date): boolean {
  return memory.active && memory.trust !== 'quarantined' && !isExpired(memory, now)
}
