import { z } from 'zod'
import { schemas } from '../../engine/schemas.ts'
import { tagSchema } from '../../model/fields.ts'
import type { Filter } from '../../model/filter.ts'
import { LIMITS } from '../../model/limits.ts'
import { listSchema } from '../../model/schema.ts'
import { claimed } from '../body.ts'
import { endpointsOf } from '../endpoint.ts'
import { claimQuery, etag, flag, numeric, several } from '../request.ts'
import type { Route } from '../route.ts'

const { shape } = listSchema
/** The engine reads its conditions. */
const anyFilter = z.record(z.string(), z.unknown()) as z.ZodType as z.ZodType<Filter, Filter>
const listQuery = z.strictObject({
  ...claimQuery,
  layers: several(shape.layers.unwrap()),
  tags: several(z.array(tagSchema).max(LIMITS.tags)),
  category: shape.category,
  /** `general` means memories without a service. */
  service: z
    .string()
    .transform((value) => (value === 'general' ? null : value))
    .pipe(shape.service.unwrap())
    .optional(),
  source: shape.source,
  session: shape.session,
  trust: several(shape.trust.unwrap()),
  includeInactive: flag,
  /** A filter on metadata, as JSON: `{"owner":"ann"}`. */
  filter: z
    .string()
    .transform((value, ctx): Filter => {
      try {
        const given = JSON.parse(value) as Filter
        // The record below would drop it, and an empty filter matches everything.
        if (typeof given !== 'object' || given === null || !Object.hasOwn(given, '__proto__')) return given
        ctx.issues.push({ code: 'custom', message: 'a path must not be __proto__', input: value })
      } catch {
        ctx.issues.push({ code: 'custom', message: 'must be JSON', input: value })
      }
      return z.NEVER
    })
    .pipe(anyFilter)
    .optional(),
  limit: numeric(z.int().min(1).max(LIMITS.listLimit)),
  cursor: shape.cursor,
})

const endpoint = endpointsOf('Memories')

/** What to show, and what it was chosen from. */
export const memoryRoutes: readonly Route[] = [
  endpoint('addMemory', 'POST /api/memories', 'write', {
    summary: 'Adds an observation: repeats reinforce, corrections correct; `exact` stores it as given',
    body: claimed(schemas.add.input.omit({ key: true })),
    answer: [201, 'The memory, and the outcome of the observation', schemas.add.output],
    async run({ context, access, body: { claim, rest }, once }) {
      const added = await access.memory(claim).add(rest, await once())
      context.header('etag', etag(added.memory))
      context.header('location', `/api/memories/${added.memory.id}`)
      return added
    },
  }),
  endpoint('listMemories', 'GET /api/memories', 'read', {
    summary: 'Lists memories, newest first',
    query: listQuery,
    answer: [200, 'A page', schemas.list.output],
    run: ({ access, claim, query }) => access.memory(claim).list(query),
  }),
  endpoint('searchMemories', 'POST /api/memories/search', 'read', {
    summary: 'Finds memories by meaning and by word',
    body: claimed(schemas.search.input),
    answer: [200, 'The results', schemas.search.output],
    run: ({ access, body: { claim, rest } }) => access.memory(claim).search(rest),
  }),
  endpoint('remember', 'POST /api/memories/remember', 'write', {
    summary: 'Records observations: repeats reinforce, contradictions weaken',
    body: claimed(schemas.remember.input.omit({ key: true })),
    answer: [200, 'The outcome of each', schemas.remember.output],
    async run({ access, body, once }) {
      const { candidates, ...target } = body.rest
      return access.memory(body.claim).remember(candidates, { ...target, ...(await once()) })
    },
  }),
]
