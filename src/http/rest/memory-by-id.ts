import { schemas } from '../../engine/schemas.ts'
import { memorySchema } from '../../model/memory.ts'
import { claimOnly, etag, pageQuery, readFields, readQuery, repeatable, splitClaim } from '../request.ts'
import type { Route } from '../route.ts'
import { notThere, withPrecondition } from './answers.ts'

const patchBody = schemas.update.input.shape.patch
const tag = 'Memories'

/** One memory, which its id names. */
export function memoryByIdRoutes(): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/memories/:id',
      needs: 'read',
      summary: 'One memory',
      api: {
        operation: 'getMemory',
        tag,
        query: claimOnly,
        answers: { 200: { description: 'The memory; its version is the ETag', schema: memorySchema } },
      },
      async handle(context) {
        const { claim } = splitClaim(readQuery(context, claimOnly))
        const id = context.req.param('id')!
        const memory = await context.get('access').byId(claim).get(id)
        if (!memory) throw notThere(`memory with the id ${id}`, { id })
        return context.json(memory, 200, etag(memory))
      },
    },
    {
      method: 'PATCH',
      path: '/api/memories/:id',
      needs: 'write',
      summary: 'Changes a memory; metadata is merged',
      api: {
        operation: 'updateMemory',
        tag,
        query: claimOnly,
        body: patchBody,
        answers: { 200: { description: 'The memory as it is now', schema: schemas.update.output } },
      },
      async handle(context) {
        const { claim } = splitClaim(readQuery(context, claimOnly))
        const patch = await readFields(context, patchBody)
        const own = context.get('access').byId(claim)
        const changed = await withPrecondition(context, async (expected) =>
          own.update(context.req.param('id')!, { ...patch, ...expected }, await repeatable(context)),
        )
        return context.json(changed, 200, etag(changed.memory))
      },
    },
    {
      method: 'DELETE',
      path: '/api/memories/:id',
      needs: 'write',
      summary: 'Deletes a memory; an unknown one is gone already',
      api: {
        operation: 'deleteMemory',
        tag,
        query: claimOnly,
        answers: { 200: { description: 'It is gone', schema: schemas.delete.output } },
      },
      async handle(context) {
        const { claim } = splitClaim(readQuery(context, claimOnly))
        const own = context.get('access').byId(claim)
        const options = await repeatable(context)
        return context.json(
          await withPrecondition(context, (expected) =>
            own.delete(context.req.param('id')!, { ...options, ...expected }),
          ),
        )
      },
    },
    {
      method: 'GET',
      path: '/api/memories/:id/history',
      needs: 'read',
      summary: 'Every change to a memory, oldest first; of a deleted one too',
      api: {
        operation: 'getHistory',
        tag,
        query: pageQuery,
        answers: { 200: { description: 'A page', schema: schemas.history.output } },
      },
      async handle(context) {
        const { claim, rest } = splitClaim(readQuery(context, pageQuery))
        const own = context.get('access').byId(claim)
        const id = context.req.param('id')!
        const found = await own.history(id, rest)
        const nothing = found.changes.length === 0 && rest.cursor === undefined
        if (nothing && !(await own.get(id))) throw notThere(`memory with the id ${id}`, { id })
        return context.json(found)
      },
    },
  ]
}
