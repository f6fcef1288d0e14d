import { z } from 'zod'
import { LAYERS } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import { type Personality, personalitySchema } from '../model/personality.ts'
import {
  categorySchema,
  identifiersSchema,
  idSchema,
  layerSchema,
  metadataSchema,
  sourceSchema,
  tagsSchema,
  text,
  tierSchema,
  timeSchema,
} from '../model/schema.ts'
import type { Change, DirectoryEntry, Session } from '../model/records.ts'
import type { Injection, WorkflowRecord } from '../storage/storage.ts'

/** The first line of an export. */
export const FORMAT = { nokosu: 'export', version: 1 } as const

/** A line of an export, one of each kind of thing that a store holds. */
export type TransferRecord =
  | { type: 'directory'; entry: DirectoryEntry }
  | { type: 'session'; session: Session }
  /** `vector`: float32, little-endian, base64. */
  | { type: 'memory'; memory: Memory; embedding?: { model: string; vector: string } }
  | { type: 'change'; change: Change<Memory> }
  | { type: 'personality'; personality: Personality }
  | { type: 'injection'; injection: Injection }
  | { type: 'event'; event: WorkflowRecord }

const count = z.int().min(0)

function memorySchema(maxContentLength: number) {
  return z.strictObject({
    id: idSchema,
    content: text(maxContentLength, 'CONTENT_TOO_LONG'),
    layer: layerSchema,
    identifiers: identifiersSchema,
    category: categorySchema,
    service: z.string().nullable(),
    source: sourceSchema,
    tags: tagsSchema,
    metadata: metadataSchema,
    anchor: z.string().nullable(),
    importance: z.number().min(0).max(100),
    confidence: z.number().min(0).max(1),
    active: z.boolean(),
    tier: tierSchema,
    session: idSchema.nullable(),
    expiresAt: timeSchema.nullable(),
    lastRecalledAt: timeSchema.nullable(),
    recallCount: count,
    createdAt: timeSchema,
    updatedAt: timeSchema,
    version: z.int().min(1),
  })
}

export function recordSchema(maxContentLength: number): z.ZodType<TransferRecord> {
  const memory = memorySchema(maxContentLength)
  const schema = z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('directory'),
      entry: z.strictObject({
        layer: z.enum(
          LAYERS.filter((layer) => ['project', 'team', 'org'].includes(layer)) as ['project', 'team', 'org'],
        ),
        id: idSchema,
        teamId: idSchema.nullable(),
        orgId: idSchema.nullable(),
        companyId: idSchema.nullable(),
      }),
    }),
    z.strictObject({
      type: z.literal('session'),
      session: z.strictObject({
        id: idSchema,
        agent: z.string().nullable(),
        project: z.string().nullable(),
        tier: tierSchema.nullable(),
        role: z.string().nullable(),
        startedAt: timeSchema,
        endedAt: timeSchema.nullable(),
        exitCode: z.int().nullable(),
        outcome: z.string().nullable(),
      }),
    }),
    z.strictObject({
      type: z.literal('memory'),
      memory,
      embedding: z.strictObject({ model: z.string().min(1), vector: z.base64() }).optional(),
    }),
    z.strictObject({
      type: z.literal('change'),
      change: z.strictObject({
        memory: idSchema,
        version: z.int().min(1),
        operation: z.enum(['create', 'update', 'delete']),
        at: timeSchema,
        by: z.string(),
        before: memory.nullable(),
        after: memory.nullable(),
      }),
    }),
    z.strictObject({ type: z.literal('personality'), personality: personalitySchema }),
    z.strictObject({
      type: z.literal('injection'),
      injection: z.strictObject({
        session: idSchema,
        memory: idSchema,
        position: count,
        tokens: count,
        format: text(64),
        at: timeSchema,
      }),
    }),
    z.strictObject({
      type: z.literal('event'),
      event: z.strictObject({
        at: timeSchema,
        type: text(64),
        session: idSchema.nullable(),
        identifiers: identifiersSchema,
        data: metadataSchema,
      }),
    }),
  ])
  return schema as unknown as z.ZodType<TransferRecord>
}
