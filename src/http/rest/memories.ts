import { z } from 'zod'
import { schemas } from '../../engine/schemas.ts'
import { tagSchema } from '../../model/fields.ts'
import type { Filter } from '../../model/filter.ts'
import { LIMITS } from '../../model/limits.ts'
import { listSchema } from '../../model/schema.ts'
import { claimQuery, etag, flag, numeric, readClaimed, readQuery, repeatable, several, splitClaim } from '../request.ts'
import type { Route } from '../route.ts'

const { shape } = listSchema
/** The engine reads its conditions. */
const anyFilter = z.record(z.string(), z.unknown()) as z.ZodType as z.ZodType<Filter, Filter>
const listQuery = z.strictObject({
  ...claimQuery,
  layers: several(shape.layers.unwrap()),
  tags: several(z.array(tagSchema).max(LIMITS.tags)),
  category: shape.category,
  /** `general` is the memories of no service. */
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
        // The record below would drop it, and a filter of nothing matches everything.
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

const newBody = schemas.add.input.omit({ key: true })
const rememberBody = schemas.remember.input.omit({ key: true })
const tag = 'Memories'

/** What somebody is to know, and what is known. */
export function memoryRoutes(): Route[] {
  return [
    {
      method: 'POST',
      path: '/api/memories',
      needs: 'write',
      summary: 'Adds a memory, as it is given',
      api: {
        operation: 'addMemory',
        tag,
        body: newBody,
        answers: { 201: { description: 'The memory', schema: schemas.add.output } },
      },
      async handle(context) {
        const { claim, rest } = await readClaimed(context, newBody)
        const added = await context
          .get('access')
          .memory(claim)
          .add(rest, await repeatable(context))
        return context.json(added, 201, { ...etag(added.memory), location: `/api/memories/${added.memory.id}` })
      },
    },
    {
      method: 'GET',
      path: '/api/memories',
      needs: 'read',
      summary: 'Lists memories, newest first',
      api: {
        operation: 'listMemories',
        tag,
        query: listQuery,
        answers: { 200: { description: 'A page', schema: schemas.list.output } },
      },
      async handle(context) {
        const { claim, rest } = splitClaim(readQuery(context, listQuery))
        return context.json(await context.get('access').memory(claim).list(rest))
      },
    },
    {
      method: 'POST',
      path: '/api/memories/search',
      needs: 'read',
      summary: 'Finds memories by meaning and by word',
      api: {
        operation: 'searchMemories',
        tag,
        body: schemas.search.input,
        answers: { 200: { description: 'What was found', schema: schemas.search.output } },
      },
      async handle(context) {
        const { claim, rest } = await readClaimed(context, schemas.search.input)
        return context.json(await context.get('access').memory(claim).search(rest))
      },
    },
    {
      method: 'POST',
      path: '/api/memories/remember',
      needs: 'write',
      summary: 'Has observations remembered: the same again reinforces, a correction corrects',
      api: {
        operation: 'remember',
        tag,
        body: rememberBody,
        answers: { 200: { description: 'What became of each', schema: schemas.remember.output } },
      },
      async handle(context) {
        const { claim, rest } = await readClaimed(context, rememberBody)
        const { candidates, ...target } = rest
        const memory = context.get('access').memory(claim)
        return context.json(await memory.remember(candidates, { ...target, ...(await repeatable(context)) }))
      },
    },
  ]
}
