import { z } from 'zod'
import { MemoryError } from '../model/errors.ts'
import { exactTimeSchema, idSchema, text } from '../model/fields.ts'
import { scopeOf } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import { memorySchema } from '../model/memory.ts'
import { parseInput } from '../model/parse.ts'
import { personalitySchema } from '../model/personality.ts'
import {
  accessTokenSchema,
  changeSchema,
  directoryEntrySchema,
  injectionSchema,
  sessionSchema,
  workflowEventSchema,
} from '../model/records.ts'
import type { Commit } from './commit.ts'
import { COLLECTIONS } from './documents.ts'
import { withMethods } from './handle.ts'
import type { Storage } from './storage.ts'

const embeddingSchema = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{32}$/),
  vector: z.instanceof(Float32Array).refine(isUnit, 'must be of unit length, or zero'),
})
const rowFields = {
  memory: memorySchema,
  visibleUntil: z.literal('').or(exactTimeSchema),
  tokens: z.array(z.string().min(1)),
}
/** A stored memory may have a category that only another version knows. */
const storedSchema = memorySchema.extend({ category: text(LIMITS.once) })
const once = z.array(text(LIMITS.once)).optional()
const version = z.int().min(1)

const writeSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('insert'),
    row: z.strictObject({ ...rowFields, embedding: embeddingSchema.nullable() }),
    once,
    imported: z.literal(true).optional(),
  }),
  z.strictObject({
    kind: z.literal('update'),
    row: z.strictObject({ ...rowFields, memory: storedSchema, embedding: embeddingSchema.nullable().optional() }),
    once,
  }),
  z.strictObject({ kind: z.literal('delete'), id: idSchema, version: version.optional() }),
  z.strictObject({ kind: z.literal('embed'), id: idSchema, version, embedding: embeddingSchema }),
  z.strictObject({ kind: z.literal('mark'), memory: idSchema, once: z.array(text(LIMITS.once)) }),
  z.strictObject({ kind: z.literal('change'), change: changeSchema }),
  z.strictObject({ kind: z.literal('session'), session: sessionSchema }),
  z.strictObject({ kind: z.literal('injection'), injection: injectionSchema, recall: z.boolean() }),
  z.strictObject({ kind: z.literal('event'), event: workflowEventSchema }),
  z.discriminatedUnion('collection', [
    z.strictObject({ kind: z.literal('put'), collection: z.literal('personality'), document: personalitySchema }),
    z.strictObject({ kind: z.literal('put'), collection: z.literal('directory'), document: directoryEntrySchema }),
    z.strictObject({ kind: z.literal('put'), collection: z.literal('token'), document: accessTokenSchema }),
  ]),
  z.strictObject({ kind: z.literal('remove'), collection: z.enum(COLLECTIONS), key: text(LIMITS.once) }),
])

const commitSchema = z.strictObject({
  key: text(LIMITS.once),
  at: exactTimeSchema,
  by: text(LIMITS.actor),
  writes: z.array(writeSchema),
  note: z.string().optional(),
})

/** A longer vector would be close to everything, NaN to nothing. */
function isUnit(vector: Float32Array): boolean {
  let sum = 0
  for (const value of vector) sum += value * value
  return sum === 0 || Math.abs(sum - 1) < 0.05
}

/**
 * Wraps every backend: each write is validated against its schema once more, so that nothing invalid is stored by any
 * path. An invalid value here means a bug in the engine.
 */
export function checkedStorage(storage: Storage): Storage {
  const { maxContentLength, maxWrites } = storage.capabilities
  const commit = async (given: Commit, signal?: AbortSignal) => {
    const parsed = parseInput(commitSchema, given, 'commit') as Commit
    if (parsed.writes.length > maxWrites) {
      throw new MemoryError(
        'INVALID_INPUT',
        `A commit of ${parsed.writes.length} writes; the store takes ${maxWrites}.`,
      )
    }
    for (const write of parsed.writes) {
      if (!('row' in write)) continue
      const { content, layer, identifiers } = write.row.memory
      scopeOf(layer, identifiers)
      if (content.length > maxContentLength) {
        throw new MemoryError('CONTENT_TOO_LONG', `The content is longer than ${maxContentLength} characters.`, {
          details: { maxLength: maxContentLength, length: content.length },
        })
      }
    }
    return storage.commit(parsed, signal)
  }
  return withMethods(storage, { commit })
}
