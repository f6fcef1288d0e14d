import type { OwnMemories } from '../../../engine/nokosu.ts'
import { decayed } from '../../../lifecycle/decay.ts'
import { LIMITS } from '../../../model/limits.ts'
import type { Memory } from '../../../model/memory.ts'
import { everyPage } from '../../../model/page.ts'
import type { Change } from '../../../model/records.ts'

/** A memory as a run saw it, and as it is now; null if it is deleted, or nothing is known of that time. */
export interface Met {
  was: Memory | null
  is: Memory | null
}

/** Looks up memories at a given time. A page about the past must not show later edits. */
export type AsOf = (id: string, at: string) => Met

export async function readPast(own: OwnMemories, memories: ReadonlyMap<string, Memory | null>): Promise<AsOf> {
  const ids = [...memories.keys()]
  const histories = new Map(
    await Promise.all(ids.map(async (id): Promise<[string, Change[]]> => [id, await historyOf(own, id)])),
  )
  return (id, at) => {
    const states = (histories.get(id) ?? []).filter(({ after }) => after !== null)
    // An imported memory is older than its history.
    const state = states.findLast((change) => change.at <= at) ?? states[0]
    const is = memories.get(id) ?? null
    return { was: state ? decayed(state.after!, new Date(at)) : is, is }
  }
}

async function historyOf(own: OwnMemories, id: string): Promise<Change[]> {
  const all: Change[] = []
  for await (const { changes } of everyPage((from) => own.history(id, { limit: LIMITS.pageLimit, ...from }))) {
    all.push(...changes)
  }
  return all
}

export function sinceThen({ was, is }: Met): string[] {
  if (was === null) return []
  if (is === null) return ['deleted since']
  const released = was.trust === 'quarantined' && is.trust !== 'quarantined'
  const held = was.trust !== 'quarantined' && is.trust === 'quarantined'
  return [
    ...(is.content === was.content ? [] : ['edited since']),
    ...(released ? ['accepted since'] : []),
    ...(held ? ['held now'] : []),
    ...(is.confidence === was.confidence ? [] : [`now ${is.confidence.toFixed(2)}`]),
    ...(was.active && !is.active && !held ? ['inactive now'] : []),
  ]
}
