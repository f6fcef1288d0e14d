import { z } from 'zod'
import type { OwnMemories } from '../../engine/nokosu.ts'
import { schemas } from '../../engine/schemas.ts'
import { identifiersSchema, idSchema } from '../../model/fields.ts'
import type { Identifiers } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import { memoriesOf, type Outcome } from '../../model/outcome.ts'
import { parseInput } from '../../model/parse.ts'
import { checked, unchecked } from '../body.ts'
import { endpointsOf } from '../endpoint.ts'
import type { Route } from '../route.ts'

const BULK_BODY = 32 * 1024 * 1024

const bulkBody = schemas.bulkAdd.input
type Given = z.input<typeof bulkBody>['memories'][number]
/** Only the identifiers of each: the engine reads the rest. */
const ownedBody = z.strictObject({
  exact: z.boolean().optional(),
  memories: z
    .array(z.looseObject({ identifiers: identifiersSchema.optional() }))
    .min(1)
    .max(LIMITS.bulk),
})
const idsBody = z.strictObject({
  ids: z.array(idSchema).min(1).max(LIMITS.bulk),
  ...schemas.delete.input.omit({ id: true }).shape,
})
const endpoint = endpointsOf('Memories')

export const bulkMemoryRoutes: readonly Route[] = [
  endpoint('addMemories', 'POST /api/memories/bulk', 'write', {
    summary: 'Adds many observations, and reports the outcome of each',
    body: unchecked(bulkBody),
    answer: [201, 'The memories, and the outcome of each observation', schemas.bulkAdd.output],
    maxBody: BULK_BODY,
    async run({ access, body, once }) {
      parseInput(ownedBody, body, 'request')
      const { exact, memories } = body
      return addAll((identifiers) => access.memory({ identifiers }), memories, {
        ...(exact === undefined ? {} : { exact }),
        ...(await once()),
      })
    },
  }),
  endpoint('deleteMemories', 'DELETE /api/memories', 'write', {
    summary: 'Deletes the memories with these ids',
    body: checked(idsBody),
    answer: [200, 'How many are deleted, and which are not', schemas.bulkDelete.output],
    maxBody: BULK_BODY,
    run: async ({ access, body: { ids, ...claim }, once }) => access.byId(claim).bulkDelete(ids, await once()),
  }),
]

/** Each memory names its owner. Those of one owner are decided together; the answer has the order of the request. */
export async function addAll(
  open: (owner: Identifiers) => OwnMemories,
  given: readonly Given[],
  options: { key?: string; exact?: boolean },
): Promise<z.output<typeof schemas.bulkAdd.output>> {
  const groups = new Map<string, { owner: Identifiers; places: number[] }>()
  for (const [i, { identifiers = {} }] of given.entries()) {
    const name = JSON.stringify(Object.entries(identifiers).sort())
    const group = groups.get(name) ?? { owner: identifiers, places: [] }
    group.places.push(i)
    groups.set(name, group)
  }
  // An invalid memory is found before anything is written, and reported with its index.
  if (groups.size > 1) parseInput(bulkBody, { memories: given }, 'bulkAdd')
  const owners = [...groups.values()].map(({ owner, places }) => ({ memory: open(owner), places }))
  const all = new Array<Outcome>(given.length)
  for (const { memory, places } of owners) {
    const inputs = places.map((i) => {
      const { identifiers: _, ...input } = given[i]!
      return input
    })
    const { outcomes } = await memory.bulkAdd(inputs, options)
    for (const [n, i] of places.entries()) all[i] = outcomes[n]!
  }
  return { memories: memoriesOf(all), outcomes: all }
}
