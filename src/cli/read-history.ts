import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import { LIMITS } from '../model/limits.ts'
import { everyPage } from '../model/page.ts'
import type { Change } from '../model/records.ts'
import type { Claim } from '../model/schema.ts'

/** Every change to a memory, oldest first. Fails if it has none. */
export async function readHistory(engine: Nokosu, claim: Claim, id: string): Promise<Change[]> {
  const pages = everyPage((position) => engine.history(id, { ...claim, limit: LIMITS.pageLimit, ...position }))
  const found = (await Array.fromAsync(pages)).flatMap(({ changes }) => changes)
  if (found.length > 0) return found
  throw new MemoryError('MEMORY_NOT_FOUND', `There is no memory with the id ${id}.`, { details: { id } })
}
