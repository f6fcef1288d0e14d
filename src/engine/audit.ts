import { z } from 'zod'
import { invalidInput } from '../model/errors.ts'
import { timeSchema } from '../model/fields.ts'
import type { JsonObject } from '../model/memory.ts'
import { parseInput } from '../model/parse.ts'
import { AUDIT, type AuditEntry, type WorkflowEvent } from '../model/records.ts'
import { pageFields } from '../model/schema.ts'
import type { Commit } from '../storage/commit.ts'
import { withMethods } from '../storage/handle.ts'
import { currentActor } from './actor.ts'
import type { Caller, Core } from './core.ts'
import { isOperator, requireOperator } from './operator.ts'

/** Which entries to read, newest first. */
export const auditSchema = z.strictObject({ since: timeSchema.optional(), ...pageFields })
export type AuditRequest = z.input<typeof auditSchema>

/** Ids that an entry names; more are only counted. */
const MOST_NAMED = 20
/** Bytes that an entry may take in a commit. */
const ENTRY_BYTES = 8192

// biome-ignore lint/suspicious/noExplicitAny: arguments as they came; the operation itself checks them.
type Given = any

/** The log entry for each operation of an operator; null if these arguments need no entry. */
const ACTS: Record<string, (...values: Given[]) => [act: string, what: JsonObject] | null> = {
  review: (memory, decision) => ['review', { memory, decision }],
  undo: (memory) => ['undo', { memory }],
  settle: ([memory, other], as) => ['relate', { memory, other, as }],
  retract: (memory, { why }) => ['retract', { memory, why }],
  update: (memory, { pinned }) => (pinned === undefined ? null : [pinned ? 'pin' : 'unpin', { memory }]),
  delete: (memory) => ['delete', { memory }],
  bulkDelete: (ids) => ['delete', { memories: ids.slice(0, MOST_NAMED), count: ids.length }],
  restore: (memory) => ['undelete', { memory }],
  import: (_, { keepTrust = false, dryRun } = {}) => (dryRun ? null : ['import', { keepTrust }]),
  'tokens.create': ({ name, scope, identifiers = {}, quota = {} }) => [
    'token create',
    { name, scope, identifiers, quota },
  ],
  'tokens.revoke': (token) => ['token revoke', { token }],
  'directory.set': (chain) => ['directory set', { ...chain }],
  'directory.remove': (layer, id) => ['directory remove', { layer, id }],
  'personality.set': ({ agentName: agent }) => ['personality set', { agent }],
  'personality.delete': (agent) => ['personality delete', { agent }],
}

/** The operations, with each operator act recorded in the commit that makes the change: both are stored, or neither. */
export function withAudit<Calls extends object>(
  core: Core,
  caller: Caller,
  build: (core: Core) => Calls,
  group?: string,
): Calls {
  const plain = build(core)
  if (!isOperator(core, caller)) return plain
  type Call = (...values: unknown[]) => Promise<unknown>
  const calls = Object.entries(plain).map(([name, call]: [string, Call]) => {
    const operation = group === undefined ? name : `${group}.${name}`
    const describe = ACTS[operation]
    if (describe === undefined) return [name, call]
    const recorded = async (...values: unknown[]) => {
      const found = tried(() => describe(...values))
      if (found === null) return call(...values)
      const own = recording(core, caller.by, () => entryOf(core, caller, ...found))
      return (build(own) as Record<string, Call>)[name]!(...values)
    }
    return [name, recorded]
  })
  return Object.fromEntries(calls)
}

/** Arguments that cannot be read are refused by the operation itself. */
function tried<Found>(read: () => Found): Found | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** Records an act that has no commit of its own, such as an export. */
export async function recordAct(core: Core, caller: Caller, act: string, what: JsonObject): Promise<void> {
  const commit = commitOf(await entryOf(core, caller, act, what), caller.by)
  await core.attempt(() => core.storage.commit(commit))
}

function commitOf(event: WorkflowEvent, by: string): Commit {
  return { key: event.id, at: event.at, by, writes: [{ kind: 'event', event }] }
}

async function entryOf(core: Core, caller: Caller, act: string, what: JsonObject): Promise<WorkflowEvent> {
  const at = core.now()
  const { guardData } = await import('./guard-input.ts')
  const data = guardData({ act, ...currentActor(caller.by), what: JSON.parse(JSON.stringify(what)) })
  return {
    id: core.nextId(at),
    at: at.toISOString(),
    type: AUDIT.type,
    session: null,
    identifiers: AUDIT.identifiers,
    data,
  }
}

/** The engine for one act: its first commit also stores the entry. */
function recording(core: Core, by: string, entry: () => Promise<WorkflowEvent>): Core {
  const { storage } = core
  const { maxWrites, maxBytes } = storage.capabilities
  const joins = maxWrites > 1
  let isStored = false
  // Created once the operation has checked its arguments, and reused by retries.
  let made: Promise<WorkflowEvent> | null = null
  const commit = async (given: Commit, signal?: AbortSignal) => {
    if (isStored || given.writes.length === 0) return storage.commit(given, signal)
    made ??= entry()
    const event = await made
    if (!joins) {
      // Before the act: an extra entry is better than an unrecorded act.
      await storage.commit(commitOf(event, by))
      isStored = true
      return storage.commit(given, signal)
    }
    const result = await storage.commit({ ...given, writes: [...given.writes, { kind: 'event', event }] }, signal)
    if (!result.applied) return result
    isStored = true
    return { ...result, changed: result.changed - 1 }
  }
  const capabilities = joins
    ? { ...storage.capabilities, maxWrites: maxWrites - 1, maxBytes: maxBytes - ENTRY_BYTES }
    : storage.capabilities
  return { ...core, storage: withMethods(storage, { commit, capabilities }) }
}

/** Entries of the log. Nobody changes them: a sweep removes those older than `memory.keepDays.events`. */
export async function readAudit(
  core: Core,
  caller: Caller,
  request: AuditRequest = {},
): Promise<{ entries: AuditEntry[]; nextCursor: string | null }> {
  requireOperator(core, caller, 'reads the audit log')
  const { since = '', limit, cursor } = parseInput(auditSchema, request, 'audit')
  const any = [{ project: AUDIT.identifiers.projectId }]
  const { items, next } = await core.attempt(() => core.storage.events({ any, after: cursor ?? null, limit }))
  const entries = items.filter((event) => isAudit(event) && event.at >= since).map(toEntry)
  const isOver = items.some(({ at }) => at < since)
  return { entries, nextCursor: isOver ? null : next }
}

/** Others may claim the name of its project, but only the engine writes this type. */
export function isAudit({ type }: Pick<WorkflowEvent, 'type'>): boolean {
  return type === AUDIT.type
}

function toEntry({ id, at, data }: WorkflowEvent): AuditEntry {
  return { id, at, ...(data as Omit<AuditEntry, 'id' | 'at'>) }
}

/** A file could hold any entry. */
export function refuseForged(event: WorkflowEvent, keepTrust: boolean): void {
  if (isAudit(event) && !keepTrust) {
    throw invalidInput('event', 'Entries of the audit log are restored only with --keep-trust.')
  }
}
