import type { MemoryStanding } from '../../engine/standings.ts'
import type { Memory } from '../../model/memory.ts'
import { byId, type View } from './view.ts'

export type Standings = ReadonlyMap<string, MemoryStanding>

/** The standing of a page's memories: one may be active and yet hidden by its correction. */
export async function standingsOf(view: View, memories: readonly Memory[]): Promise<Standings> {
  if (memories.length === 0) return new Map()
  const { standings } = await byId(view).standings({ ids: memories.map(({ id }) => id) })
  return new Map(standings.map((standing) => [standing.memory.id, standing]))
}
