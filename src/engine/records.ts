import { z } from 'zod'
import { idSchema } from '../model/fields.ts'
import type { Identifiers } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import { parseInput } from '../model/parse.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../model/records.ts'
import { claimFields, pageFields, pageSchema } from '../model/schema.ts'
import type { EventSelector } from '../storage/record-query.ts'
import { isAudit } from './audit.ts'
import { canRead, type GivenClaim, readerOf, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { ownsSession, readSession, sessionSelectors } from './sessions.ts'

export const historySchema = z.strictObject({ id: idSchema, ...claimFields, ...pageFields })
export const injectionsSchema = z.union([
  z.strictObject({ session: idSchema, ...claimFields, ...pageFields }),
  z.strictObject({ memory: idSchema, ...claimFields, ...pageFields }),
])

/** Every change to a memory that the caller may read, oldest first. */
export async function readHistory(
  core: Core,
  caller: Caller,
  input: z.input<typeof historySchema>,
): Promise<{ changes: Change[]; nextCursor: string | null }> {
  const { id, limit, cursor, ...claim } = parseInput(historySchema, input, 'history')
  const reader = resolveClaim(caller, claim)
  const page = await core.attempt(() => core.storage.changes({ memory: id, after: cursor ?? null, limit }))
  // All states of a deleted memory are in one scope, so any of them shows whether the caller may read it.
  const known = reader === null ? null : await stateOf(core, id, page.items)
  if (reader !== null && (!known || !(await canRead(core, reader, known)))) return { changes: [], nextCursor: null }
  return { changes: page.items, nextCursor: page.next }
}

/** Any known state of the memory: one of those in `seen`, otherwise its first, otherwise its current one. */
async function stateOf({ storage, attempt }: Core, id: string, seen: readonly Change[]): Promise<Memory | null> {
  const state = seen.find(({ after }) => after !== null)?.after
  if (state) return state
  const first = await attempt(() => storage.changes({ memory: id, after: null, limit: 1 }))
  return first.items[0]?.after ?? (await attempt(() => storage.get([id])))[0]?.memory ?? null
}

export async function listSessions(
  core: Core,
  caller: Caller,
  input: z.input<typeof pageSchema>,
): Promise<{ sessions: Session[]; nextCursor: string | null }> {
  const { limit, cursor, ...claim } = parseInput(pageSchema, input, 'sessions')
  const any = sessionSelectors(resolveClaim(caller, claim))
  if (any?.length === 0) return { sessions: [], nextCursor: null }
  const page = await core.attempt(() => core.storage.sessions({ any, after: cursor ?? null, limit }))
  return { sessions: page.items, nextCursor: page.next }
}

/** What a session was shown, or which sessions were shown a memory; empty if the caller may not see that one. */
export async function listInjections(
  core: Core,
  caller: Caller,
  input: z.input<typeof injectionsSchema>,
): Promise<{ injections: Injection[]; nextCursor: string | null }> {
  const request = parseInput(injectionsSchema, input, 'injections')
  const reader = resolveClaim(caller, request as GivenClaim)
  const session = 'session' in request ? request.session : null
  const memory = 'memory' in request ? request.memory : null
  const query = { session, memory, after: request.cursor ?? null, limit: request.limit }
  const nothing = { injections: [], nextCursor: null }
  if (session !== null && reader !== null) {
    const known = await readSession(core, session)
    if (!known || !ownsSession(reader, known)) return nothing
  }
  if (memory !== null && reader !== null) {
    const known = (await core.attempt(() => core.storage.get([memory])))[0]?.memory
    if (!known || !(await canRead(core, reader, known))) return nothing
  }
  const page = await core.attempt(() => core.storage.injections(query))
  return { injections: await visibleTo(core, reader, page.items), nextCursor: page.next }
}

/** A showing is visible to callers who may see both the session and the memory. */
async function visibleTo(core: Core, reader: Identifiers | null, items: readonly Injection[]): Promise<Injection[]> {
  if (reader === null || items.length === 0) return [...items]
  const mayRead = await readerOf(core, reader)
  const ids = [...new Set(items.map(({ memory }) => memory))]
  const any = [...new Set(items.map(({ session }) => session))].map((id) => ({ id }))
  const [memories, sessions] = await Promise.all([
    core.attempt(() => core.storage.get(ids)),
    core.attempt(() => core.storage.sessions({ any, after: null, limit: any.length })),
  ])
  const seen = new Set(
    memories
      .map(({ memory }) => memory)
      .filter(mayRead)
      .map(({ id }) => id),
  )
  const own = new Set(sessions.items.filter((session) => ownsSession(reader, session)).map(({ id }) => id))
  return items.filter(({ memory, session }) => seen.has(memory) && own.has(session))
}

export async function listEvents(
  core: Core,
  caller: Caller,
  input: z.input<typeof pageSchema>,
): Promise<{ events: WorkflowEvent[]; nextCursor: string | null }> {
  const { limit, cursor, ...claim } = parseInput(pageSchema, input, 'events')
  const reader = resolveClaim(caller, claim)
  const any: EventSelector[] | null = reader && [
    ...(reader.projectId === undefined ? [] : [{ project: reader.projectId }]),
    ...(reader.sessionId === undefined ? [] : [{ session: reader.sessionId }]),
  ]
  if (any?.length === 0) return { events: [], nextCursor: null }
  const events: WorkflowEvent[] = []
  let after = cursor ?? null
  do {
    const query = { any, after, limit: limit - events.length }
    const page = await core.attempt(() => core.storage.events(query))
    events.push(...page.items.filter((event) => !isAudit(event)))
    after = page.next
  } while (after !== null && events.length < limit)
  return { events, nextCursor: after }
}
