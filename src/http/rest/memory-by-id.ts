import { schemas } from '../../engine/schemas.ts'
import { usefulnessResultSchema } from '../../engine/usefulness.ts'
import { notFound } from '../../engine/write.ts'
import { memorySchema } from '../../model/memory.ts'
import { unchecked } from '../body.ts'
import { endpointsOf } from '../endpoint.ts'
import { claimOnly, etag, pageQuery } from '../request.ts'
import type { Route } from '../route.ts'
import { withPrecondition } from './answers.ts'

const endpoint = endpointsOf('Memories')

export const memoryByIdRoutes: readonly Route[] = [
  endpoint('getMemory', 'GET /api/memories/:id', 'read', {
    summary: 'One memory',
    query: claimOnly,
    answer: [200, 'The memory; its version is the ETag', memorySchema],
    async run({ context, access, claim, param }) {
      const memory = await access.byId(claim).get(param('id'))
      if (!memory) throw notFound(param('id'))
      context.header('etag', etag(memory))
      return memory
    },
  }),
  endpoint('updateMemory', 'PATCH /api/memories/:id', 'write', {
    summary: 'Changes a memory; metadata is merged',
    query: claimOnly,
    body: unchecked(schemas.update.input.shape.patch),
    answer: [200, 'The memory as it is now', schemas.update.output],
    async run({ context, access, claim, body, param, once }) {
      const changed = await withPrecondition(context, async (expected) =>
        access.byId(claim).update(param('id'), { ...body, ...expected }, await once()),
      )
      context.header('etag', etag(changed.memory))
      return changed
    },
  }),
  endpoint('deleteMemory', 'DELETE /api/memories/:id', 'write', {
    summary: 'Deletes a memory; succeeds if it does not exist',
    query: claimOnly,
    answer: [200, 'It is deleted', schemas.delete.output],
    async run({ context, access, claim, param, once }) {
      const options = await once()
      return withPrecondition(context, (expected) =>
        access.byId(claim).delete(param('id'), { ...options, ...expected }),
      )
    },
  }),
  endpoint('getHistory', 'GET /api/memories/:id/history', 'read', {
    summary: 'Every change to a memory, oldest first, even if it was deleted',
    query: pageQuery,
    answer: [200, 'A page', schemas.history.output],
    async run({ access, claim, query, param }) {
      const [own, id] = [access.byId(claim), param('id')]
      const found = await own.history(id, query)
      const nothing = found.changes.length === 0 && query.cursor === undefined
      if (nothing && !(await own.get(id))) throw notFound(id)
      return found
    },
  }),
  endpoint('getUsefulness', 'GET /api/memories/:id/usefulness', 'read', {
    summary: 'How often it was shown and used, and how those runs ended compared with similar runs without it',
    query: claimOnly,
    answer: [200, 'The figures', usefulnessResultSchema],
    async run({ access, claim, param }) {
      const [found] = await access.byId(claim).usefulness([param('id')])
      if (found === undefined) throw notFound(param('id'))
      return found
    },
  }),
]
