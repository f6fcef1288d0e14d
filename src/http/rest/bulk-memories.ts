import { z } from 'zod'
import { schemas } from '../../engine/schemas.ts'
import { identifiersSchema, idSchema } from '../../model/fields.ts'
import type { Identifiers } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import type { Memory } from '../../model/memory.ts'
import { parseInput } from '../../model/parse.ts'
import type { Access } from '../caller.ts'
import { readBody, readFields, repeatable } from '../request.ts'
import type { Route } from '../route.ts'

/** Bytes of a body with many memories. */
const BULK_BODY = 32 * 1024 * 1024

const bulkBody = schemas.bulkAdd.input
type Given = z.input<typeof bulkBody>['memories'][number]
/** Only whose each is: the engine reads the rest. */
const ownedBody = z.strictObject({
  memories: z
    .array(z.looseObject({ identifiers: identifiersSchema.optional() }))
    .min(1)
    .max(LIMITS.bulk),
})
const idsBody = z.strictObject({
  ids: z.array(idSchema).min(1).max(LIMITS.bulk),
  ...schemas.delete.input.omit({ id: true }).shape,
})
const tag = 'Memories'

/** Many memories in one request. */
export function bulkMemoryRoutes(): Route[] {
  return [
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
        const body = await readFields(context, bulkBody)
        parseInput(ownedBody, body, 'request')
        const memories = await addAll(context.get('access'), body.memories, await repeatable(context))
        return context.json({ memories }, 201)
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
  ]
}

/** Each memory says whose it is. Those of one owner are written together; the answer has the order of the request. */
async function addAll(access: Access, given: readonly Given[], key: { key?: string }): Promise<Memory[]> {
  const groups = new Map<string, { owner: Identifiers; places: number[] }>()
  for (const [i, { identifiers = {} }] of given.entries()) {
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
    const { memories } = await memory.bulkAdd(inputs, key)
    for (const [n, i] of places.entries()) stored[i] = memories[n]!
  }
  return stored
}
