import { z } from 'zod'
import { exactTimeSchema, idSchema, serviceSchema } from '../../model/fields.ts'
import { LIMITS } from '../../model/limits.ts'
import { categorySchema, type Memory, memorySchema } from '../../model/memory.ts'
import { checked } from '../body.ts'
import { endpointsOf } from '../endpoint.ts'
import { claimOnly, claimQuery, etag, numeric } from '../request.ts'
import type { RequestContext, Route, ServerParts } from '../route.ts'
import { projectNeeded, withPrecondition } from './answers.ts'

const { content } = memorySchema.shape
const rowSchema = z.strictObject({
  ...memorySchema.pick({ id: true, service: true, category: true, confidence: true, active: true }).shape,
  /** `quarantined` is held for review: only operators see it. */
  ...memorySchema.pick({ trust: true, tier: true }).shape,
  observation: content,
  created_at: exactTimeSchema,
  updated_at: exactTimeSchema,
  session_id: idSchema.nullable(),
})
const pageSchema = z.strictObject({
  memories: z.array(rowSchema),
  nextCursor: z.string().nullable(),
  totalCount: z.int(),
})
const listQuery = z.strictObject({
  ...claimQuery,
  category: categorySchema.optional(),
  service: z.string().optional(),
  limit: numeric(z.int().min(1).max(LIMITS.listLimit)),
  cursor: z.string().max(1024).optional(),
})
const changeBody = z.strictObject({
  service: serviceSchema.optional(),
  category: categorySchema.optional(),
  observation: content.optional(),
  /** Values outside 0 to 1 are clamped. */
  confidence: z.number().optional(),
  active: z.boolean().optional(),
})
const newBody = changeBody
  .omit({ active: true })
  .required({ category: true, observation: true })
  /** With `exact` it is a separate observation, whatever is known. */
  .extend({ exact: z.boolean().optional() })
const endpoint = endpointsOf('Operators')

/** Observations about services. Includes inactive ones, which return when their confidence is raised. */
export function operatorMemoryRoutes({ project }: ServerParts): Route[] {
  return [
    endpoint('listObservations', 'GET /api/v1/memories', 'read', {
      summary: 'Lists observations, inactive ones too, newest first',
      query: listQuery,
      answer: [200, 'A page', pageSchema],
      async run({ access, claim, query: { service, ...page } }) {
        const about = service === undefined ? {} : { service: service === 'general' ? null : service }
        const found = await access.own(claim).list({ ...page, ...about, includeInactive: true })
        return { ...found, memories: found.memories.map(toRow) }
      },
    }),
    endpoint('addObservation', 'POST /api/v1/memories', 'write', {
      summary: 'Adds an observation to a project: `projectId` of the query, or the server’s own',
      query: claimOnly.omit({ everything: true }),
      body: checked(newBody),
      answer: [201, 'The observation', rowSchema],
      async run({ context, access, claim, body: { observation, ...input }, once }) {
        const projectId = claim.identifiers?.projectId ?? access.caller.identifiers.projectId ?? project
        if (projectId === null) throw projectNeeded()
        const memory = access.memory({ identifiers: { ...claim.identifiers, projectId } })
        const added = await memory.add({ ...input, layer: 'project', content: observation }, await once())
        return answerRow(context, added.memory)
      },
    }),
    endpoint('updateObservation', 'PUT /api/v1/memories/:id', 'write', {
      summary: 'Changes an observation; omitted fields stay as they are',
      query: claimOnly,
      body: checked(changeBody),
      answer: [200, 'The observation as it is now', rowSchema],
      async run({ context, access, claim, body: { observation, ...rest }, param, once }) {
        const patch = observation === undefined ? rest : { ...rest, content: observation }
        const { memory } = await withPrecondition(context, async (expected) =>
          access.byId(claim).update(param('id'), { ...patch, ...expected }, await once()),
        )
        return answerRow(context, memory)
      },
    }),
    endpoint('deleteObservation', 'DELETE /api/v1/memories/:id', 'write', {
      summary: 'Deletes an observation; succeeds if it does not exist',
      query: claimOnly,
      answer: [204, 'It is deleted', null],
      run: ({ context, access, claim, param }) =>
        withPrecondition(context, (expected) => access.byId(claim).delete(param('id'), expected)),
    }),
  ]
}

function answerRow(context: RequestContext, memory: Memory): z.output<typeof rowSchema> {
  context.header('etag', etag(memory))
  return toRow(memory)
}

function toRow(memory: Memory): z.output<typeof rowSchema> {
  const { id, service, category, confidence, active, trust, tier } = memory
  const { content: observation, createdAt: created_at, updatedAt: updated_at, session: session_id } = memory
  return { id, service, category, observation, confidence, active, trust, created_at, updated_at, session_id, tier }
}
