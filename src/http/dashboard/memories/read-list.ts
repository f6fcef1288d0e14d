import type { MemoryStanding } from '../../../engine/standings.ts'
import type { MemoryList } from '../../../model/provider.ts'
import { type Standings, standingsOf } from '../standings.ts'
import { pageAfter, type View } from '../view.ts'
import { type Filters, serviceNamed, toRequest } from './filters.ts'

export interface Listed {
  found: MemoryList
  standings: Standings
}

/** The memories that the filters ask for, with their standing. */
export async function readList(view: View, filters: Filters): Promise<Listed> {
  const { state } = filters
  if (state === 'disputed' || state === 'corrected') return listContradicted(view, filters, state)
  const found = await view.own.list({ ...toRequest(filters), ...pageAfter(view) })
  return { found, standings: await standingsOf(view, found.memories) }
}

/** Memories do not store which side of a contradiction is shown, so the latest contradictions are read and judged. */
async function listContradicted(view: View, filters: Filters, state: MemoryStanding['state']): Promise<Listed> {
  const all = (await view.own.standings()).standings
  const wanted = all.filter((each) => each.state === state && isAskedFor(each.memory, filters))
  const memories = wanted.map(({ memory }) => memory)
  const found = { memories, totalCount: memories.length, nextCursor: null }
  return { found, standings: new Map(wanted.map((each) => [each.memory.id, each])) }
}

function isAskedFor(
  { content, service, category }: MemoryStanding['memory'],
  { text, service: asked, category: kind }: Filters,
): boolean {
  const words = text?.toLowerCase() ?? ''
  return (
    [content, service].some((each) => each?.toLowerCase().includes(words)) &&
    (asked === undefined || service === serviceNamed(asked)) &&
    (kind === undefined || category === kind)
  )
}
