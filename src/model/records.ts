import { z } from 'zod'
import {
  countSchema,
  exactTimeSchema,
  identifiersSchema,
  idSchema,
  metadataSchema,
  text,
  tierSchema,
} from './fields.ts'
import { LIMITS } from './limits.ts'
import { memorySchema } from './memory.ts'

const keptSchema = z.int().min(1).or(z.literal(false))

export const sessionSchema = z.strictObject({
  id: idSchema,
  agent: text(LIMITS.identifier).nullable(),
  project: text(LIMITS.identifier).nullable(),
  tier: tierSchema.nullable(),
  role: text(LIMITS.identifier).nullable(),
  startedAt: exactTimeSchema,
  endedAt: exactTimeSchema.nullable(),
  exitCode: z.int().nullable(),
  outcome: text(LIMITS.outcome).nullable(),
})
export type Session = z.output<typeof sessionSchema>

/** One entry of a memory's history: the memory after the change, or null after a deletion. */
export const changeSchema = z.strictObject({
  memory: idSchema,
  /** The version the change led to. */
  version: z.int().min(1),
  operation: z.enum(['create', 'update', 'delete']),
  at: exactTimeSchema,
  /** Who made the change; `session:ID` for a run. */
  by: text(LIMITS.actor),
  after: memorySchema.nullable(),
})
export type Change = z.output<typeof changeSchema>

/** One memory shown to a session. */
export const injectionSchema = z.strictObject({
  id: idSchema,
  session: idSchema,
  memory: idSchema,
  /** Position within one showing, counted from 0. */
  position: countSchema,
  tokens: countSchema,
  format: text(64),
  at: exactTimeSchema,
})
export type Injection = z.output<typeof injectionSchema>

/** Something that happened in a workflow. */
export const workflowEventSchema = z.strictObject({
  id: idSchema,
  at: exactTimeSchema,
  type: text(64),
  session: idSchema.nullable(),
  identifiers: identifiersSchema,
  data: metadataSchema,
})
export type WorkflowEvent = z.output<typeof workflowEventSchema>

/** How the entries of the audit log are stored: as events of a project of their own. */
export const AUDIT = { type: 'audit', identifiers: { projectId: 'nokosu:audit' } } as const

/** What an operator did. */
export const auditEntrySchema = z.strictObject({
  id: idSchema,
  at: exactTimeSchema,
  act: z.string(),
  /** The name of the token or person; `cli` or `library` for a process with the store itself. */
  by: z.string(),
  via: z.enum(['token', 'sso', 'key', 'nothing', 'process']),
  /** The address of the caller, or the user and machine of the process. */
  from: z.string(),
  /** What it was done to. */
  what: metadataSchema,
})
export type AuditEntry = z.output<typeof auditEntrySchema>

/** Days after which records are removed by a sweep; false, or left out: never. */
export const keepDaysSchema = z.strictObject({
  sessions: keptSchema.exactOptional(),
  events: keptSchema.exactOptional(),
  showings: keptSchema.exactOptional(),
})
export type KeepDays = z.output<typeof keepDaysSchema>

/** Which team, org and company a project belongs to. */
export const directoryEntrySchema = z.strictObject({
  layer: z.enum(['project', 'team', 'org']),
  id: idSchema,
  teamId: idSchema.nullable(),
  orgId: idSchema.nullable(),
  companyId: idSchema.nullable(),
})
export type DirectoryEntry = z.output<typeof directoryEntrySchema>

const limitSchema = z.int().min(1).max(1_000_000_000)
/** What a token may do at most; left out: no limit of its own. */
export const quotaSchema = z.strictObject({
  requestsPerMinute: limitSchema.exactOptional(),
  /** Memories that it adds, changes or deletes on one day (UTC). */
  writesPerDay: limitSchema.exactOptional(),
})
export type Quota = z.output<typeof quotaSchema>

/** A server access token. The token itself is shown once and never stored. */
export const accessTokenSchema = z.strictObject({
  id: idSchema,
  name: text(LIMITS.identifier),
  /** SHA-256 of the token, in hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  scope: z.enum(['read', 'write', 'admin']),
  /** The identifiers its bearer may use; empty allows any. */
  identifiers: identifiersSchema,
  quota: quotaSchema.exactOptional(),
  createdAt: exactTimeSchema,
  lastUsedAt: exactTimeSchema.nullable(),
  revokedAt: exactTimeSchema.nullable(),
})
export type AccessToken = z.output<typeof accessTokenSchema>
