import { z } from 'zod'

const text = z.string().max(1_000_000)
const title = z.string().trim().min(1).max(1_000)
/** Taken as given, as everywhere else: surrounding spaces are part of an identifier. */
const identifier = z
  .string()
  .max(256)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
  .regex(/\S/, 'must not be empty')
const commit = z.string().regex(/^[\w./-]{1,64}$/, 'must be a commit hash or name')
const changedFiles = z.union([z.array(z.string().min(1).max(4_096)).max(10_000), text])
const tag = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[^,\p{Cc}]+$/u, 'must not contain commas or control characters')

/** The fields of every event: where it belongs, and what overrides the defaults of its type. */
const common = {
  projectId: identifier,
  sectionId: identifier.nullish(),
  taskId: identifier.nullish(),
  source: z.enum(['coder', 'reviewer', 'orchestrator', 'coordinator']).optional(),
  importance: z.int().min(0).max(100).optional(),
  tags: z.array(tag).max(20).default([]),
  details: z.record(z.string(), z.unknown()).default({}),
  /** ISO 8601 with a time zone. */
  expiresAt: z.iso.datetime({ offset: true }).nullish(),
}

const submission = { commit: commit.optional(), changedFiles: changedFiles.optional(), summary: text.optional() }
const answer = { notes: text, commit: commit.optional(), cycle: z.int().min(1).max(10_000).optional() }
const followUp = z.union([title, z.strictObject({ title, taskId: identifier.optional() })])

/** The workflow events that an orchestrator reports. */
export const workflowEventSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('submission'), ...common, ...submission }),
  z.strictObject({ type: z.literal('commit'), ...common, ...submission, commit }),
  z.strictObject({
    type: z.literal('rejection'),
    ...common,
    notes: text,
    /** Which rejection of the task this is, counted from 1. */
    cycle: z.int().min(1).max(10_000),
    commit: commit.optional(),
  }),
  z.strictObject({
    type: z.literal('approval'),
    ...common,
    notes: text.optional(),
    commit: commit.optional(),
    followUps: z.array(followUp).max(50).default([]),
  }),
  z.strictObject({ type: z.literal('follow_up'), ...common, title, followUpTaskId: identifier.optional() }),
  z.strictObject({
    type: z.literal('decision'),
    ...common,
    ...answer,
    decision: z.enum(['guide_coder', 'override_reviewer', 'narrow_scope', 'wont_fix', 'dispute']),
  }),
  z.strictObject({ type: z.literal('wont_fix'), ...common, ...answer }),
  z.strictObject({ type: z.literal('dispute'), ...common, ...answer }),
  z.strictObject({ type: z.literal('hint'), ...common, summary: text }),
])

/** An event as a caller passes it: fields with a default are optional. */
export type WorkflowEventInput = z.input<typeof workflowEventSchema>
export type WorkflowEvent = z.output<typeof workflowEventSchema>
