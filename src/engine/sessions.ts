import { createHash } from 'node:crypto'
import { z } from 'zod'
import { isRetracted } from '../lifecycle/decisions.ts'
import { MemoryError } from '../model/errors.ts'
import { countSchema, identifiersSchema, idSchema, text, tierSchema, timeSchema } from '../model/fields.ts'
import { EVERY_AGENT, type Identifiers } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import { repeatKey } from '../model/once-keys.ts'
import { type Refusal, refusalSchema } from '../model/outcome.ts'
import { parseInput } from '../model/parse.ts'
import type { Injection, Session } from '../model/records.ts'
import { claimFields, keySchema } from '../model/schema.ts'
import type { Write } from '../storage/commit.ts'
import type { SessionSelector } from '../storage/record-query.ts'
import { readable, readerOf, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { tidings } from './retract.ts'
import { promptEvent, refusalEvent, showingEvent } from './run-events.ts'
import { storeUses } from './uses.ts'
import { commitAll, partition } from './write.ts'

/** What is known about a run at its start. */
export const sessionStartSchema = z.strictObject({
  id: idSchema,
  agent: text(LIMITS.identifier).optional(),
  project: text(LIMITS.identifier).optional(),
  role: text(LIMITS.identifier).optional(),
  tier: tierSchema.optional(),
  /** Its prompt: only the first line is kept, without secrets. */
  prompt: text(LIMITS.candidate).optional(),
  /** Default: now. */
  at: timeSchema.optional(),
  key: keySchema,
})
export type SessionStart = z.input<typeof sessionStartSchema>

export const sessionEndSchema = z.strictObject({
  exitCode: z.int().optional(),
  outcome: text(LIMITS.outcome).optional(),
  /** The session's owner, if known: another owner's session is not ended. */
  agent: text(LIMITS.identifier).optional(),
  project: text(LIMITS.identifier).optional(),
  /** What it said that could not be remembered, with reasons. */
  refusals: z.array(refusalSchema).max(LIMITS.refusals).optional(),
  /** Memories that it acted on, among those it was shown. Each counts once per session. */
  used: z.array(idSchema).max(LIMITS.bulk).optional(),
  /** Default: now. */
  at: timeSchema.optional(),
  key: keySchema,
})
export type SessionEnd = z.input<typeof sessionEndSchema>

export const showingSchema = z.strictObject({
  ...claimFields,
  session: idSchema,
  format: text(64),
  entries: z
    .array(z.strictObject({ memory: idSchema, position: countSchema, tokens: countSchema }))
    .min(1)
    .max(LIMITS.bulk),
  /** What could have been shown but was not, with reasons. */
  omitted: z
    .array(z.strictObject({ memory: idSchema, reason: text(1000) }))
    .max(LIMITS.bulk)
    .default([]),
  /** Default: now. */
  at: timeSchema.optional(),
  key: keySchema,
})
export type Showing = z.input<typeof showingSchema>

const idArgument = z.strictObject({
  id: idSchema,
  identifiers: identifiersSchema.optional(),
  everything: claimFields.everything,
})

/** A session about which nothing else is known. */
export function bareSession(id: string, startedAt: string, known: Partial<Session> = {}): Session {
  const unknown = { agent: null, project: null, tier: null, role: null, endedAt: null, exitCode: null, outcome: null }
  return { ...unknown, id, startedAt, ...known }
}

/** The write that begins a session, unless it already exists. */
export function beginning(id: string, identifiers: Identifiers, at: Date, known: Partial<Session> = {}): Write {
  const { agentId, projectId } = identifiers
  return {
    kind: 'session',
    session: bareSession(id, at.toISOString(), { agent: agentId ?? null, project: projectId ?? null, ...known }),
  }
}

export async function beginSession(core: Core, caller: Caller, input: SessionStart): Promise<Session> {
  const { id, at, key, prompt = '', ...start } = parseInput(sessionStartSchema, input, 'beginSession')
  requireOwn(caller, { agentId: start.agent, projectId: start.project })
  const session = bareSession(id, at ?? core.now().toISOString(), {
    agent: start.agent ?? caller.identifiers?.agentId ?? null,
    project: start.project ?? caller.identifiers?.projectId ?? null,
    role: start.role ?? null,
    tier: start.tier ?? null,
  })
  let isNew = true
  const asked = (known: Session | null) => {
    isNew = known === null
    return promptEvent(id, whoRan(known ?? session), new Date(session.startedAt), prompt)
  }
  const once = repeatKey(key, 'beginSession', caller.identifiers, session)
  const begun = await store(core, caller, session, once, asked)
  const opened = whoRan(session)
  if (isNew && Object.keys(opened).length > 0) {
    const { writeDecayOf } = await import('./sweep.ts')
    await writeDecayOf(core, (await readable(core, opened, undefined)).scopes)
  }
  return begun
}

export async function endSession(core: Core, caller: Caller, id: string, input: SessionEnd = {}): Promise<Session> {
  parseInput(idArgument, { id }, 'endSession')
  const given = parseInput(sessionEndSchema, input, 'endSession')
  const { exitCode, outcome, agent, project, refusals = [], used = [], at, key } = given
  requireOwn(caller, { agentId: agent, projectId: project })
  const endedAt = at ?? core.now().toISOString()
  const own = caller.identifiers
  const session = bareSession(id, endedAt, {
    agent: agent ?? own?.agentId ?? null,
    project: project ?? own?.projectId ?? null,
    endedAt,
    exitCode: exitCode ?? null,
    outcome: outcome === undefined ? null : await withoutSecrets(outcome),
  })
  const cleaned = await cleanRefusals(refusals)
  const told = (known: Session | null) => refusalEvent(id, whoRan(known ?? session), new Date(endedAt), cleaned)
  const once = repeatKey(key, 'endSession', caller.identifiers, id, project ?? null)
  const ended = await store(core, caller, session, once, told)
  await storeUses(core, caller, id, used)
  return ended
}

function whoRan({ agent, project }: Session): Identifiers {
  return { ...(project === null ? {} : { projectId: project }), ...(agent === null ? {} : { agentId: agent }) }
}

async function cleanRefusals(refusals: readonly Refusal[]): Promise<Refusal[]> {
  if (refusals.length === 0) return []
  const { cleanRefusal } = await import('../guard/clean-refusal.ts')
  return refusals.map(({ reason, excerpt }) => cleanRefusal({ reason, text: excerpt }))
}

/** How a run ended is often its last line of output. */
async function withoutSecrets(told: string): Promise<string> {
  const { redactSecrets } = await import('../guard/redact-secrets.ts')
  return redactSecrets(told).text.slice(0, LIMITS.outcome)
}

async function store(
  core: Core,
  caller: Caller,
  session: Session,
  key: string | undefined,
  also: (known: Session | null) => Write[] = () => [],
): Promise<Session> {
  const mine = (known: Session | null) =>
    known === null || (ownsSession(caller.identifiers, known) && isSameSession(known, session))
  const before = await readSession(core, session.id)
  if (!mine(before)) throw otherSession(session.id)
  await commitAll(core, {
    ...(key === undefined ? {} : { key }),
    by: caller.by,
    writes: [{ kind: 'session', session }, ...also(before)],
  })
  const stored = await readSession(core, session.id)
  // Someone else may have begun a session with this name at the same moment.
  if (!mine(stored)) throw otherSession(session.id)
  return stored ?? session
}

/** If two projects or agents use the same session name, they are two sessions. */
function isSameSession(known: Session, said: Session): boolean {
  const agree = (a: string | null, b: string | null) => a === null || b === null || a === b
  return agree(known.project, said.project) && agree(known.agent, said.agent)
}

export async function readSession({ storage, attempt }: Core, id: string): Promise<Session | null> {
  return (await attempt(() => storage.sessions({ any: [{ id }], after: null, limit: 1 }))).items[0] ?? null
}

export async function findSession(
  core: Core,
  caller: Caller,
  id: string,
  claim: z.input<z.ZodObject<typeof claimFields>> = {},
): Promise<Session | null> {
  const { id: checked, ...who } = parseInput(idArgument, { ...claim, id }, 'session')
  const reader = resolveClaim(caller, who)
  const session = await readSession(core, checked)
  return session && ownsSession(reader, session) ? session : null
}

/** Which sessions a reader sees: those of its project, its own, and those of its agent that belong to no project. */
export function sessionSelectors(identifiers: Identifiers | null): SessionSelector[] | null {
  if (identifiers === null) return null
  const { projectId, agentId, sessionId } = identifiers
  return [
    ...(projectId === undefined ? [] : [{ project: projectId }]),
    ...(agentId === undefined ? [] : [{ agent: agentId, project: null }]),
    ...(sessionId === undefined ? [] : [{ id: sessionId }]),
  ]
}

/** The same for one session. A session without agent and project is visible to anyone who knows its id. */
export function ownsSession(identifiers: Identifiers | null, session: Session): boolean {
  if (identifiers === null) return true
  if (session.agent === null && session.project === null) return true
  return sessionSelectors(identifiers)!.some((selector) => {
    if ('id' in selector) return selector.id === session.id
    if ('agent' in selector) return selector.agent === session.agent && session.project === null
    return selector.project === session.project
  })
}

/** Records what a session was shown, and counts it as recalled, in one commit. */
export async function recordShowing(core: Core, caller: Caller, input: Showing): Promise<void> {
  const { session, format, entries, omitted, at, key, ...claim } = parseInput(showingSchema, input, 'recordShowing')
  const reader = resolveClaim(caller, claim)
  const mayRead = await readerOf(core, reader)
  const found = await core.attempt(() => core.storage.get(entries.map(({ memory }) => memory)))
  const legible = found.map(({ memory }) => memory).filter(mayRead)
  const visible = new Set(legible.map(({ id }) => id))
  const shown = entries.filter(({ memory }) => visible.has(memory))
  if (shown.length === 0) return
  const time = at === undefined ? core.now() : new Date(at)
  const once = repeatKey(key, 'recordShowing', reader, session, format)
  const identifiers = reader ?? {}
  const left = await Promise.all(omitted.map(async (each) => ({ ...each, reason: await withoutSecrets(each.reason) })))
  const told = showingEvent(session, identifiers, time, { format, shown: shown.length, omitted: left })
  // Retracted between reading and this commit: the session still has to be told.
  const own = { id: session, project: identifiers.projectId ?? null, agent: identifiers.agentId ?? null }
  const withdrawn = legible.filter(isRetracted)
  const also = [...told, ...withdrawn.map(({ id }) => tidings(id, own, core.now()))]
  await storeShowing(core, caller, { session, format, entries: shown, identifiers, at: time, key: once, also })
}

export interface ShowingRecord {
  session: string
  format: string
  entries: readonly Pick<Injection, 'memory' | 'position' | 'tokens'>[]
  identifiers: Identifiers
  at: Date
  key?: string | undefined
  /** Written in the same commit. */
  also?: readonly Write[]
}

export async function storeShowing(core: Core, caller: Caller, record: ShowingRecord): Promise<void> {
  const { session, format, entries, identifiers, at, also = [] } = record
  await requireOwnSession(core, caller, session)
  const key = record.key ?? core.nextId(at)
  const id = createHash('sha256').update(key).digest('hex').slice(0, 32)
  const injections = entries.map(
    (entry, i): Write => ({
      kind: 'injection',
      // The same showing reported twice has the same ids.
      injection: { ...entry, id: `${id}:${i}`, session, format, at: at.toISOString() },
      recall: true,
    }),
  )
  const writes = [beginning(session, identifiers, at), ...also, ...injections]
  const parts = partition(core, writes)
  for (const [i, part] of parts.entries()) {
    await commitAll(core, { key: parts.length === 1 ? key : `${key}/${i}`, by: caller.by, at, writes: part })
  }
  core.sessions.noteShown(
    session,
    entries.map(({ memory }) => memory),
  )
}

/** An agent reads its project's sessions, and writes to its own. */
function isSameAgent({ agentId }: Identifiers, { agent }: Session): boolean {
  return agentId === undefined || agentId === EVERY_AGENT || agent === null || agent === agentId
}

/** A known caller cannot write to a session that belongs to another. */
export async function requireOwnSession(core: Core, caller: Caller, id: string): Promise<void> {
  if (caller.identifiers === null) return
  const known = await readSession(core, id)
  if (known && !(ownsSession(caller.identifiers, known) && isSameAgent(caller.identifiers, known)))
    throw otherSession(id)
}

function requireOwn(caller: Caller, given: { agentId: string | undefined; projectId: string | undefined }): void {
  if (caller.identifiers === null) return
  const identifiers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  resolveClaim(caller, { identifiers })
}

function otherSession(id: string): MemoryError {
  return new MemoryError('UNAUTHORIZED', `The session ${id} belongs to another project or agent.`, {
    details: { session: id },
  })
}
