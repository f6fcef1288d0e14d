import type { Run } from '../../../engine/runs.ts'
import { LIMITS } from '../../../model/limits.ts'
import type { Memory } from '../../../model/memory.ts'
import type { Injection, WorkflowEvent } from '../../../model/records.ts'
import { isObject, listOf } from '../parts/event-text.tsx'
import { byId, type View } from '../view.ts'
import { type AsOf, readPast } from './as-of.ts'

/** Maximum memories of a run that are looked up individually. */
const MOST_SHOWN = 200
const MOST_EVENTS = 200

export interface SessionDetail {
  run: Run
  shown: Injection[]
  left: Memory[]
  events: WorkflowEvent[]
  asOf: AsOf
}

/** Everything known about a run; null if it does not exist, or the caller may not see it. */
export async function readSession(view: View, id: string): Promise<SessionDetail | null> {
  const own = byId(view)
  const [run] = (await own.runs({ session: id })).runs
  if (!run) return null
  const [{ injections }, { memories: left }, events] = await Promise.all([
    own.injections({ session: id, limit: MOST_SHOWN }),
    own.list({ session: id, includeInactive: true, limit: LIMITS.listLimit, sort: 'oldest' }),
    eventsOf(view, id),
  ])
  const known = new Map<string, Memory | null>(left.map((memory) => [memory.id, memory]))
  const named = new Set([
    ...injections.map(({ memory }) => memory),
    ...events
      .flatMap(({ data }) => [...listOf(data.outcomes), ...listOf(data.omitted)])
      .flatMap((each) => (isObject(each) && typeof each.memory === 'string' ? each.memory : [])),
  ])
  const wanted = [...named].filter((memory) => !known.has(memory)).slice(0, MOST_SHOWN)
  await Promise.all(wanted.map(async (each) => known.set(each, await own.get(each))))
  return { run, shown: injections, left, events, asOf: await readPast(own, known) }
}

/** A caller bound to a project may not claim to be one of its runs: it finds a run's events among the project’s latest. */
async function eventsOf({ access }: View, id: string): Promise<WorkflowEvent[]> {
  const isBound = Object.keys(access.caller.identifiers).length > 0
  const own = isBound ? access.own() : access.memory({ identifiers: { sessionId: id } })
  const { events } = await own.events({ limit: isBound ? LIMITS.pageLimit : MOST_EVENTS })
  return events.filter(({ session }) => session === id).reverse()
}
