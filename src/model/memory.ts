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

/** `observed`: found in the course of a run, not said by anybody. */
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

/** 0 is an operator; 1 observes, 2 investigates, 3 remediates. */
export type Tier = z.output<typeof tierSchema>

/**
 * How far a memory is trusted: an operator's word, an agent's own, that of several, marked by the guard, or held back from
 * every reader until an operator accepts it.
 */
export const TRUSTS = ['operator', 'agent', 'corroborated', 'flagged', 'quarantined'] as const
export type Trust = (typeof TRUSTS)[number]

/** The tag of a memory that is shown, and that an operator is to look at: it contradicts an operator's word, or rests on what was retracted. */
export const REVIEW_TAG = 'review'

/** In the metadata of a memory that is up for review because runs that were shown it ended worse than others: in which figures. */
export const HARM_NOTE = 'looksHarmful'

/** Why a memory that agents are shown is put up for review. */
export function whyPutUp({ tags, links, metadata }: Pick<Memory, 'tags' | 'links' | 'metadata'>): string[] {
  if (!tags.includes(REVIEW_TAG)) return []
  const contradicts = links.some(({ relation }) => relation === 'contradicts')
  const harm = typeof metadata[HARM_NOTE] === 'string' ? [metadata[HARM_NOTE]] : []
  if (harm.length > 0 && !contradicts) return harm
  return [contradicts ? 'contradicts what an operator said' : 'rests on a memory that was retracted', ...harm]
}

/** How a memory stands to another. Both ends keep the link. */
const RELATIONS = ['contradicts', 'contradictedBy', 'confirms', 'confirmedBy'] as const
export const linkSchema = z.strictObject({ relation: z.enum(RELATIONS), memory: idSchema })
export type Link = z.output<typeof linkSchema>

/** A conversation, transcript or timeline, and the place in it, counted from 0. */
export const threadSchema = z.strictObject({ id: idSchema, index: countSchema })
export type Thread = z.output<typeof threadSchema>

/** One observation that an agent, a workflow or a person left behind. Times are ISO 8601, UTC, with milliseconds. */
export const memorySchema = z.strictObject({
  /** ULID, monotonic within a process. */
  id: idSchema,
  /** The backend's own limit holds when it is written. */
  content: text(LIMITS.content, 'CONTENT_TOO_LONG'),
  layer: layerSchema,
  identifiers: identifiersSchema,
  category: categorySchema,
  /** The service it is about; null is general. */
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
  /** When what it tells happened, where that is known and not now. */
  occurredAt: exactTimeSchema.nullable(),
  /** The session (run) that produced it. */
  session: idSchema.nullable(),
  expiresAt: exactTimeSchema.nullable(),
  lastRecalledAt: exactTimeSchema.nullable(),
  recallCount: countSchema,
  /** An operator's mark: first in line when space is short, and it does not fade. */
  pinned: z.boolean(),
  /** How often a session that was shown it acted on it, and when last. */
  useCount: countSchema,
  lastUsedAt: exactTimeSchema.nullable(),
  createdAt: exactTimeSchema,
  updatedAt: exactTimeSchema,
  /** Grows by one with every change; the basis of optimistic concurrency. */
  version: z.int().min(1),
})

export type Memory = z.output<typeof memorySchema>

/** What a caller may say of a memory besides, in any of the ways to give or change one. Left out, it is null. */
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

/** Fields that came after version 0.1.0, as a record that was written before has them. */
export function laterFields() {
  return {
    ...{ decayedWeeks: 0, trust: 'agent', links: [], thread: null, occurredAt: null },
    ...{ pinned: false, useCount: 0, lastUsedAt: null },
  } satisfies Partial<Memory>
}

export const DEFAULT_CONFIDENCE = 0.7
export const DEFAULT_IMPORTANCE = 50
/** Below this a memory is inactive: kept for audit, on no read path. */
export const ACTIVE_CONFIDENCE = 0.3

/** The setting `memory.decay`. */
export const decaySchema = z.partialRecord(categorySchema, z.union([z.literal(false), z.int().min(1).max(36_500)]))

/** What is not reinforced for `graceDays` loses `step` of its confidence for every whole `stepDays` after. */
export const DECAY = { graceDays: 30, stepDays: 7, step: 0.1 } as const
/** Of a lesson that nobody has said, and that has not been confirmed since. */
export const UNCONFIRMED_GRACE_DAYS = 7
/** What a lesson begins with; whatever confirms it raises that. */
export const LESSON_CONFIDENCE = 0.5

/** Exact two-decimal arithmetic inside [0, 1]: 0.7 + 0.1 is 0.8. */
export function clampConfidence(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 100) / 100
}

export function isExpired(memory: Pick<Memory, 'expiresAt'>, now: Date): boolean {
  return memory.expiresAt !== null && Date.parse(memory.expiresAt) <= now.getTime()
}

/** What every read path shows unless inactive memories are asked for. Of a memory as it is now, decay included. */
export function isVisible(memory: Pick<Memory, 'active' | 'expiresAt' | 'trust'>, now: Date): boolean {
  return memory.active && memory.trust !== 'quarantined' && !isExpired(memory, now)
}
