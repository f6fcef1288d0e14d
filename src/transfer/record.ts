import { createHash } from 'node:crypto'
import { z } from 'zod'
import { laterFields, memorySchema } from '../model/memory.ts'
import { personalitySchema } from '../model/personality.ts'
import {
  accessTokenSchema,
  changeSchema,
  directoryEntrySchema,
  injectionSchema,
  sessionSchema,
  workflowEventSchema,
} from '../model/records.ts'

/** The first line of an export. Version 1 lacks fields that version 2 has; both are read. */
export const FORMAT = { nokosu: 'export', version: 2 } as const
export const READ_VERSIONS: readonly unknown[] = [1, 2]

/** Fills in fields that version 1 lacks. */
const memory = z.preprocess(
  (value) => (typeof value === 'object' && value !== null ? { ...laterFields(), ...value } : value),
  memorySchema,
)
const { id: _, ...injectionFields } = injectionSchema.shape
const { id: __, ...eventFields } = workflowEventSchema.shape

/** Records of version 1 have no id: equal records get equal ids, so that importing again changes nothing. */
function withId<Record extends { id?: string | undefined }>(record: Record): Record & { id: string } {
  const { id, ...rest } = record
  const made = id ?? createHash('sha256').update(JSON.stringify(rest)).digest('hex').slice(0, 32)
  return { ...record, id: made }
}

/** One line of an export, for each kind of record in a store. */
export const recordSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('directory'), entry: directoryEntrySchema }),
  /** With the hash of its secret: only in a backup made with tokens. */
  z.strictObject({ type: z.literal('token'), token: accessTokenSchema }),
  z.strictObject({ type: z.literal('session'), session: sessionSchema }),
  z.strictObject({
    type: z.literal('memory'),
    memory,
    /** `vector`: float32, little-endian, base64. */
    embedding: z.strictObject({ model: z.string().min(1), vector: z.base64() }).optional(),
  }),
  z.strictObject({
    type: z.literal('change'),
    // Version 1 also kept the previous state.
    change: changeSchema
      .extend({ after: memory.nullable(), before: z.unknown().optional() })
      .transform(({ before: ___, ...change }) => change),
  }),
  z.strictObject({ type: z.literal('personality'), personality: personalitySchema }),
  z.strictObject({
    type: z.literal('injection'),
    injection: z.strictObject({ ...injectionFields, id: injectionSchema.shape.id.optional() }).transform(withId),
  }),
  z.strictObject({
    type: z.literal('event'),
    event: z.strictObject({ ...eventFields, id: workflowEventSchema.shape.id.optional() }).transform(withId),
  }),
])
export type TransferRecord = z.output<typeof recordSchema>
