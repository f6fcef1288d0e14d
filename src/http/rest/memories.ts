import { z } from 'zod'
import { schemas } from '../../engine/schemas.ts'
import { identifiersSchema, idSchema, tagSchema } from '../../model/fields.ts'
import type { Identifiers } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import { type Memory, memorySchema } from '../../model/memory.ts'
import { parseInput } from '../../model/parse.ts'
import { listSchema } from '../../model/schema.ts'
import type { Access } from '../caller.ts'
import {
  claimQuery,
  etag,
  flag,
  numeric,
  readBody,
  readJson,
  readObject,
  readQuery,
  repeatable,
  several,
  splitBodyClaim,
  splitClaim,
} from '../request.ts'
import type { Route } from '../route.ts'
import { notThere, withPrecondition } from './answers.ts'

/** Bytes of a body with many memories. */
const BULK_BODY = 32 * 1024 * 1024

const { shape } = listSchema
export const claimOnly = z.strictObject(claimQuery)
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
    .transform((value, ctx) => {
      try {
        const given = JSON.parse(value) as unknown
        // The record below would drop it, and a filter of nothing matches everything.
        if (typeof given !== 'object' || given === null || !Object.hasOwn(given, '__proto__')) return given
        ctx.issues.push({ code: 'custom', message: 'a path must not be __proto__', input: value })
      } catch {
        ctx.issues.push({ code: 'custom', message: 'must be JSON', input: value })
      }
      return z.NEVER
    })
    .pipe(z.record(z.string(), z.unknown()))
    .optional(),
  limit: numeric(z.int().min(1).max(LIMITS.listLimit)),
  cursor: shape.cursor,
})

const bulkBody = schemas.bulkAdd.input
/** Only whose each is: the engine reads the rest. */
const ownedBody = z.strictObject({
  memories: z
    .array(z.looseObject({ identifiers: identifiersSchema.default({}) }))
    .min(1)
    .max(LIMITS.bulk),
})
type OwnedInput = z.output<typeof ownedBody>['memories'][number]
const idsBody = z.strictObject({
  ids: z.array(idSchema).min(1).max(LIMITS.bulk),
  ...schemas.delete.input.omit({ id: true }).shape,
})
const patchBody = schemas.update.input.shape.patch
const tag = 'Memories'

/** The routes of the provider's contract. */
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
        body: schemas.add.input.omit({ key: true }),
        answers: { 201: { description: 'The memory', schema: schemas.add.output } },
      },
      async handle(context) {
        const { claim, rest } = splitBodyClaim(await readJson(context))
        const added = await context
          .get('access')
          .memory(claim)
          .add(rest as never, await repeatable(context))
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
        return context.json(
          await context
            .get('access')
            .memory(claim)
            .list(rest as never),
        )
      },
    },
    {
      method: 'DELETE',
      path: '/api/memories',
      needs: 'write',
      summary: 'Deletes the memories with these ids',
      api: {
        operation: 'deleteMemories',
        tag,
        body: idsBody,
        answers: { 200: { description: 'How many are gone, and which are not', schema: schemas.bulkDelete.output } },
      },
      maxBody: BULK_BODY,
      async handle(context) {
        const { ids, identifiers, everything } = await readBody(context, idsBody)
        const own = context.get('access').byId({ identifiers, everything })
        return context.json(await own.bulkDelete(ids, await repeatable(context)))
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
        const { claim, rest } = splitBodyClaim(await readJson(context))
        return context.json(
          await context
            .get('access')
            .memory(claim)
            .search(rest as never),
        )
      },
    },
    {
      method: 'POST',
      path: '/api/memories/bulk',
      needs: 'write',
      summary: 'Adds many memories',
      api: {
        operation: 'addMemories',
        tag,
        body: bulkBody,
        answers: { 201: { description: 'The memories', schema: schemas.bulkAdd.output } },
      },
      maxBody: BULK_BODY,
      async handle(context) {
        const { memories } = await readBody(context, ownedBody)
        return context.json({ memories: await addAll(context.get('access'), memories, await repeatable(context)) }, 201)
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
        body: schemas.remember.input.omit({ key: true }),
        answers: { 200: { description: 'What became of each', schema: schemas.remember.output } },
      },
      async handle(context) {
        const { claim, rest } = splitBodyClaim(await readJson(context))
        const { candidates, ...target } = rest
        const memory = context.get('access').memory(claim)
        return context.json(
          await memory.remember(candidates as never, { ...target, ...(await repeatable(context)) } as never),
        )
      },
    },
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
        const patch = await readObject(context)
        const own = context.get('access').byId(claim)
        const changed = await withPrecondition(context, async (expected) =>
          own.update(context.req.param('id')!, { ...patch, ...expected } as never, await repeatable(context)),
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
  ]
}

/** Each memory says whose it is. Those of one owner are written together; the answer has the order of the request. */
async function addAll(access: Access, given: readonly OwnedInput[], key: { key?: string }): Promise<Memory[]> {
  const groups = new Map<string, { owner: Identifiers; places: number[] }>()
  for (const [i, { identifiers }] of given.entries()) {
    const name = JSON.stringify(Object.entries(identifiers).sort())
    const group = groups.get(name) ?? { owner: identifiers, places: [] }
    group.places.push(i)
    groups.set(name, group)
  }
  // What is wrong with one is found before anything is written, and is told with its place in the request.
  if (groups.size > 1) parseInput(bulkBody, { memories: given }, 'bulkAdd')
  const owners = [...groups.values()].map(({ owner, places }) => ({
    memory: access.memory({ identifiers: owner }),
    places,
  }))
  const stored = new Array<Memory>(given.length)
  for (const { memory, places } of owners) {
    const inputs = places.map((i) => {
      const { identifiers: _, ...input } = given[i]!
      return input
    })
    const { memories } = await memory.bulkAdd(inputs as never, key)
    for (const [n, i] of places.entries()) stored[i] = memories[n]!
  }
  return stored
}
