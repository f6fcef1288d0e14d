import { z } from 'zod'
import { idSchema } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'
import { pagesOf } from '../model/page.ts'
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

/** Scans all ids that the caller may read: stores only look up whole ids. */
export async function findIds(
  core: Core,
  caller: Caller,
  input: z.input<typeof findIdsSchema>,
): Promise<{ ids: string[] }> {
  const { part, deleted, limit, ...claim } = parseInput(findIdsSchema, input, 'findIds')
  const reader = resolveClaim(caller, claim)
  const scopes = reader === null ? null : (await readable(core, reader, undefined)).scopes
  const found = new Set<string>()
  const query = { scopes, where: {}, order: 'newest', limit: LIMITS.pageLimit, count: false, vectors: false } as const
  for await (const { items } of pagesOf((after) => core.attempt(() => core.storage.memories({ ...query, after })))) {
    for (const { memory } of items) if (found.size < limit && isPartOf(part, memory.id)) found.add(memory.id)
    if (found.size === limit) break
  }
  if (deleted && found.size < limit) {
    const mayRead = await readerOf(core, reader)
    const gone = new Set<string>()
    for await (const { memory, after: state } of allChanges(core, null)) {
      if (state !== null && isPartOf(part, memory) && mayRead(state) && !found.has(memory)) gone.add(memory)
    }
    // Stores return changes in their own order.
    const latest = [...gone].sort().reverse()
    for (const id of latest.slice(0, limit - found.size)) found.add(id)
  }
  return { ids: [...found] }
}
