import { LIMITS } from '../../../model/limits.ts'
import type { Memory } from '../../../model/memory.ts'
import type { Injection, Session, WorkflowEvent } from '../../../model/records.ts'
import { isObject, listOf } from '../parts/event-text.tsx'
import { byId, type View } from '../view.ts'

/** Memories of a run that are looked up one by one; it is rarely shown more. */
const MOST_SHOWN = 200
const MOST_EVENTS = 200

export interface SessionDetail {
  session: Session
  /** What it was shown, in order. `memory` is null when that is gone. */
  shown: (Injection & { current: Memory | null })[]
  left: Memory[]
  /** Of this run, the earliest first. */
  events: WorkflowEvent[]
  /** By id: what the events speak of. */
  memories: ReadonlyMap<string, Memory>
}

/** Everything that is known of a run; null when there was none, or it is not for the caller. */
export async function readSession(view: View, id: string): Promise<SessionDetail | null> {
  const own = byId(view)
  const session = await own.session(id)
  if (!session) return null
  const [{ injections }, { memories: left }, events] = await Promise.all([
    own.injections({ session: id, limit: MOST_SHOWN }),
    own.list({ session: id, includeInactive: true, limit: LIMITS.listLimit, sort: 'oldest' }),
    eventsOf(view, id),
  ])
  const known = new Map<string, Memory>(left.map((memory) => [memory.id, memory]))
  const named = new Set([
    ...injections.map(({ memory }) => memory),
    ...events
      .flatMap(({ data }) => [...listOf(data.outcomes), ...listOf(data.omitted)])
      .flatMap((each) => (isObject(each) ? String(each.memory) : [])),
  ])
  const wanted = [...named].filter((memory) => !known.has(memory)).slice(0, MOST_SHOWN)
  for (const memory of await Promise.all(wanted.map((each) => own.get(each)))) if (memory) known.set(memory.id, memory)
  const shown = injections.map((injection) => ({ ...injection, current: known.get(injection.memory) ?? null }))
  return { session, shown, left, events, memories: known }
}

/** Whoever is bound to a project may not claim to be one of its runs, and finds its events among the project’s latest. */
async function eventsOf({ access }: View, id: string): Promise<WorkflowEvent[]> {
  const isBound = Object.keys(access.caller.identifiers).length > 0
  const own = isBound ? access.own() : access.memory({ identifiers: { sessionId: id } })
  const { events } = await own.events({ limit: isBound ? LIMITS.pageLimit : MOST_EVENTS })
  return events.filter(({ session }) => session === id).reverse()
}
