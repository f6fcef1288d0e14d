import { z } from 'zod'
import { idSchema } from '../model/fields.ts'
import { parseInput } from '../model/parse.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../model/records.ts'
import { claimFields, pageFields, pageSchema } from '../model/schema.ts'
import type { EventSelector } from '../storage/record-query.ts'
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
  // A deleted memory is known by what it last was: all its states are of one scope.
  const known =
    page.items.find(({ after }) => after !== null)?.after ??
    (await core.attempt(() => core.storage.get([id])))[0]?.memory
  if (reader !== null && (!known || !(await canRead(core, reader, known)))) return { changes: [], nextCursor: null }
  return { changes: page.items, nextCursor: page.next }
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

/** What a session was shown, or which sessions were shown a memory; nothing where the caller may not see that one. */
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
  const page = await core.attempt(() => core.storage.injections(query))
  const mayRead = await readerOf(core, reader)
  if (session !== null && reader !== null) {
    const known = await readSession(core, session)
    if (!known || !ownsSession(reader, known)) return { injections: [], nextCursor: null }
  }
  // A session may have been shown memories of an agent or user that this reader is not.
  const ids = [...new Set(page.items.map((injection) => injection.memory))]
  const visible =
    reader === null
      ? null
      : new Set(
          (await core.attempt(() => core.storage.get(ids)))
            .map((stored) => stored.memory)
            .filter(mayRead)
            .map(({ id }) => id),
        )
  return { injections: page.items.filter((injection) => visible?.has(injection.memory) ?? true), nextCursor: page.next }
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
  const page = await core.attempt(() => core.storage.events({ any, after: cursor ?? null, limit }))
  return { events: page.items, nextCursor: page.next }
}
