import { z } from 'zod'
import { MemoryError } from '../../model/errors.ts'
import { exactTimeSchema, idSchema, serviceSchema, tierSchema } from '../../model/fields.ts'
import { LIMITS } from '../../model/limits.ts'
import { categorySchema, type Memory, memorySchema } from '../../model/memory.ts'
import { claimOnly, claimQuery, etag, numeric, readBody, readQuery, repeatable, splitClaim } from '../request.ts'
import type { Route, ServerParts } from '../route.ts'
import { withPrecondition } from './answers.ts'

/** A memory as operators of services know it. */
const rowSchema = z.strictObject({
  id: idSchema,
  service: serviceSchema,
  category: categorySchema,
  observation: memorySchema.shape.content,
  confidence: memorySchema.shape.confidence,
  active: z.boolean(),
  /** `quarantined` is held for review: only operators see it, and no agent is shown it. */
  trust: memorySchema.shape.trust,
  created_at: exactTimeSchema,
  updated_at: exactTimeSchema,
  session_id: idSchema.nullable(),
  tier: tierSchema,
})
const listQuery = z.strictObject({
  ...claimQuery,
  category: categorySchema.optional(),
  service: z.string().optional(),
  limit: numeric(z.int().min(1).max(LIMITS.listLimit)),
  cursor: z.string().max(1024).optional(),
})
const fields = {
  service: serviceSchema.optional(),
  category: categorySchema.optional(),
  observation: memorySchema.shape.content.optional(),
  /** Out of 0 to 1 is clamped. */
  confidence: z.number().optional(),
}
const newBody = z.strictObject({ ...fields, category: categorySchema, observation: memorySchema.shape.content })
const changeBody = z.strictObject({ ...fields, active: z.boolean().optional() })
const tag = 'Operators'

/** Observations about services. Inactive ones are listed too, and come back when their confidence is raised. */
export function operatorMemoryRoutes({ project }: ServerParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/memories',
      needs: 'read',
      summary: 'Lists observations, inactive ones too, newest first',
      api: {
        operation: 'listObservations',
        tag,
        query: listQuery,
        answers: {
          200: {
            description: 'A page',
            schema: z.strictObject({
              memories: z.array(rowSchema),
              nextCursor: z.string().nullable(),
              totalCount: z.int(),
            }),
          },
        },
      },
      async handle(context) {
        const { claim, rest } = splitClaim(readQuery(context, listQuery))
        const { service, ...page } = rest
        const about = service === undefined ? {} : { service: service === 'general' ? null : service }
        const found = await context
          .get('access')
          .own(claim)
          .list({ ...page, ...about, includeInactive: true })
        return context.json({ ...found, memories: found.memories.map(toRow) })
      },
    },
    {
      method: 'POST',
      path: '/api/v1/memories',
      needs: 'write',
      summary: 'Adds an observation to a project: `projectId` of the query, or the server’s own',
      api: {
        operation: 'addObservation',
        tag,
        query: claimOnly.omit({ everything: true }),
        body: newBody,
        answers: { 201: { description: 'The observation', schema: rowSchema } },
      },
      async handle(context) {
        const { claim } = splitClaim(readQuery(context, claimOnly.omit({ everything: true })))
        const { observation, ...input } = await readBody(context, newBody)
        const access = context.get('access')
        const projectId = claim.identifiers?.projectId ?? access.caller.identifiers.projectId ?? project
        if (projectId === null) {
          throw new MemoryError('MISSING_IDENTIFIER', 'Say in which project: give projectId.', {
            details: { identifier: 'projectId' },
          })
        }
        const memory = access.memory({ identifiers: { ...claim.identifiers, projectId } })
        const added = await memory.add({ ...input, layer: 'project', content: observation }, await repeatable(context))
        return context.json(toRow(added.memory), 201, etag(added.memory))
      },
    },
    {
      method: 'PUT',
      path: '/api/v1/memories/:id',
      needs: 'write',
      summary: 'Changes an observation; what is left out stays as it is',
      api: {
        operation: 'updateObservation',
        tag,
        query: claimOnly,
        body: changeBody,
        answers: { 200: { description: 'The observation as it is now', schema: rowSchema } },
      },
      async handle(context) {
        const { claim } = splitClaim(readQuery(context, claimOnly))
        const { observation, ...rest } = await readBody(context, changeBody)
        const patch = observation === undefined ? rest : { ...rest, content: observation }
        const own = context.get('access').byId(claim)
        const { memory } = await withPrecondition(context, async (expected) =>
          own.update(context.req.param('id')!, { ...patch, ...expected }, await repeatable(context)),
        )
        return context.json(toRow(memory), 200, etag(memory))
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/memories/:id',
      needs: 'write',
      summary: 'Deletes an observation; an unknown one is gone already',
      api: {
        operation: 'deleteObservation',
        tag,
        query: claimOnly,
        answers: { 204: { description: 'It is gone', schema: null } },
      },
      async handle(context) {
        const { claim } = splitClaim(readQuery(context, claimOnly))
        const own = context.get('access').byId(claim)
        await withPrecondition(context, (expected) => own.delete(context.req.param('id')!, expected))
        return context.body(null, 204)
      },
    },
  ]
}

function toRow(memory: Memory): z.output<typeof rowSchema> {
  const { id, service, category, content, confidence, active, trust, createdAt, updatedAt, session, tier } = memory
  return {
    ...{ id, service, category, observation: content, confidence, active, trust },
    ...{ created_at: createdAt, updated_at: updatedAt, session_id: session, tier },
  }
}
