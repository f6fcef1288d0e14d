import { z } from 'zod'
import { idSchema } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'
import { parseInput } from '../model/parse.ts'
import { claimFields } from '../model/schema.ts'
import { isPartOf } from '../text/id-part.ts'
import { readable, readerOf, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { allChanges } from './restore.ts'

export const findIdsSchema = z.strictObject({
  part: idSchema,
  deleted: z.boolean().default(false),
  limit: z.int().min(1).max(LIMITS.pageLimit).default(LIMITS.listLimit),
  ...claimFields,
})

/** Looks at every id that the caller may read: stores find a memory by its whole id only. */
export async function findIds(
  core: Core,
  caller: Caller,
  input: z.input<typeof findIdsSchema>,
): Promise<{ ids: string[] }> {
  const { part, deleted, limit, ...claim } = parseInput(findIdsSchema, input, 'findIds')
  const reader = resolveClaim(caller, claim)
  const scopes = reader === null ? null : (await readable(core, reader, undefined)).scopes
  const found = new Set<string>()
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<Core['storage']['memories']>> = await core.attempt(() =>
      core.storage.memories({
        ...{ scopes, where: {}, order: 'newest', after, limit: LIMITS.pageLimit, count: false, vectors: false },
      }),
    )
    for (const { memory } of page.items) if (found.size < limit && isPartOf(part, memory.id)) found.add(memory.id)
    after = page.next
  } while (after !== null && found.size < limit)
  if (deleted && found.size < limit) {
    const mayRead = await readerOf(core, reader)
    const gone = new Set<string>()
    for await (const { memory, after: state } of allChanges(core, null)) {
      if (state !== null && isPartOf(part, memory) && mayRead(state) && !found.has(memory)) gone.add(memory)
    }
    // Stores tell of changes in an order of their own.
    for (const id of [...gone]
      .sort()
      .reverse()
      .slice(0, limit - found.size))
      found.add(id)
  }
  return { ids: [...found] }
}
