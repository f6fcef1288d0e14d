import { z } from 'zod'
import { workflowEventSchema as workflowEventInput } from '../capture/workflow-events.ts'
import { candidateSchema } from '../model/candidate.ts'
import { decisionsSchema, retractedSchema, settledSchema, undoneSchema } from '../model/decision.ts'
import { exactTimeSchema, identifiersSchema, idSchema } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'
import { memorySchema } from '../model/memory.ts'
import { addResultSchema, outcomeSchema, refusalSchema } from '../model/outcome.ts'
import { personalityInputSchema, profileSchema } from '../model/personality.ts'
import { healthSchema, memoryListSchema, searchResultsSchema } from '../model/provider.ts'
import {
  changeSchema,
  directoryEntrySchema,
  injectionSchema,
  sessionSchema,
  workflowEventSchema,
} from '../model/records.ts'
import {
  claimSchema,
  keySchema,
  listSchema,
  memoryPatchSchema,
  newMemorySchema,
  pageSchema,
  searchSchema,
} from '../model/schema.ts'
import { asOfResultSchema, asOfSchema } from './as-of.ts'
import { captureReportSchema, captureSchema } from './capture.ts'
import { contextResultSchema, contextSchema } from './context.ts'
import { findIdsSchema } from './find-ids.ts'
import { fleetResultSchema, fleetSchema } from './fleet.ts'
import { recallResultSchema, recallSchema } from './recall.ts'
import { historySchema, injectionsSchema } from './records.ts'
import { rememberTargetSchema } from './remember/target.ts'
import { deletedSchema, restoreSchema } from './restore.ts'
import { retractSchema } from './retract.ts'
import { reviewSchema } from './review.ts'
import { runsResultSchema, runsSchema } from './runs.ts'
import { sessionEndSchema, sessionStartSchema, showingSchema } from './sessions.ts'
import { settleSchema } from './settle.ts'
import { standingsResultSchema, standingsSchema } from './standings.ts'
import { undoSchema } from './undo.ts'
import { usefulnessResultSchema, usefulnessSchema } from './usefulness.ts'

const nextCursor = z.string().nullable()
const newMemory = newMemorySchema(LIMITS.content)
const ids = z.strictObject({ ids: z.array(idSchema).min(1).max(LIMITS.bulk) }).extend(claimSchema.shape)
const repeatable = { key: keySchema }
const byId = z.strictObject({ id: idSchema }).extend(claimSchema.shape)

/**
 * Inputs and outputs of the engine, by operation: for OpenAPI, MCP and clients in other languages. The engine parses
 * with them; `z.toJSONSchema` accepts them all (with `io: 'input'` for inputs).
 */
export const schemas = {
  add: { input: newMemory.extend(repeatable), output: addResultSchema },
  bulkAdd: {
    input: z.strictObject({ memories: z.array(newMemory).min(1).max(LIMITS.bulk), exact: z.boolean().optional() }),
    output: z.strictObject({ memories: z.array(memorySchema), outcomes: z.array(outcomeSchema) }),
  },
  get: { input: byId, output: memorySchema.nullable() },
  update: {
    input: byId.extend({ patch: memoryPatchSchema(LIMITS.content), ...repeatable }),
    output: z.strictObject({ memory: memorySchema, embeddingRegenerated: z.boolean() }),
  },
  delete: { input: byId, output: z.strictObject({ success: z.literal(true) }) },
  bulkDelete: { input: ids, output: z.strictObject({ deleted: z.int(), failed: z.array(idSchema) }) },
  list: { input: listSchema, output: memoryListSchema },
  search: { input: searchSchema, output: searchResultsSchema },
  capture: { input: captureSchema, output: captureReportSchema },
  remember: {
    input: rememberTargetSchema.extend({ candidates: z.array(candidateSchema) }),
    output: z.array(outcomeSchema),
  },
  record: {
    input: z.strictObject({
      event: workflowEventInput,
      session: idSchema.optional(),
      dryRun: z.boolean().optional(),
      ...repeatable,
    }),
    output: z.strictObject({ outcomes: z.array(outcomeSchema), refusals: z.array(refusalSchema) }),
  },
  recall: { input: recallSchema, output: recallResultSchema },
  context: { input: contextSchema, output: contextResultSchema },
  review: { input: reviewSchema, output: z.strictObject({ memory: memorySchema.nullable() }) },
  decisions: { input: byId, output: decisionsSchema },
  undo: { input: undoSchema, output: undoneSchema },
  settle: { input: settleSchema, output: settledSchema },
  retract: { input: retractSchema, output: retractedSchema },
  history: { input: historySchema, output: z.strictObject({ changes: z.array(changeSchema), nextCursor }) },
  usefulness: { input: usefulnessSchema, output: z.array(usefulnessResultSchema) },
  restore: { input: restoreSchema, output: z.strictObject({ memory: memorySchema }) },
  deleted: {
    input: deletedSchema,
    output: z.strictObject({
      deleted: z.array(z.strictObject({ memory: memorySchema, at: exactTimeSchema, by: z.string() })),
      totalCount: z.int(),
    }),
  },
  findIds: { input: findIdsSchema, output: z.strictObject({ ids: z.array(idSchema) }) },
  beginSession: { input: sessionStartSchema, output: sessionSchema },
  endSession: { input: sessionEndSchema.extend({ id: idSchema }), output: sessionSchema },
  session: { input: byId, output: sessionSchema.nullable() },
  sessions: { input: pageSchema, output: z.strictObject({ sessions: z.array(sessionSchema), nextCursor }) },
  runs: { input: runsSchema, output: runsResultSchema },
  standings: { input: standingsSchema, output: standingsResultSchema },
  asOf: { input: asOfSchema, output: asOfResultSchema },
  fleet: { input: fleetSchema, output: fleetResultSchema },
  recordShowing: { input: showingSchema, output: z.null() },
  injections: { input: injectionsSchema, output: z.strictObject({ injections: z.array(injectionSchema), nextCursor }) },
  events: { input: pageSchema, output: z.strictObject({ events: z.array(workflowEventSchema), nextCursor }) },
  directory: { input: identifiersSchema, output: z.array(directoryEntrySchema) },
  personality: { input: personalityInputSchema, output: profileSchema.nullable() },
  healthCheck: { input: z.strictObject({}), output: healthSchema },
} as const
