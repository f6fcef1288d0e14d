import { type Scope, scopeOf } from '../../model/layer.ts'
import type { Session } from '../../model/records.ts'
import type { Write } from '../commit.ts'
import type { Queries, Reading } from './client.ts'
import { storedKey } from './keys.ts'
import { LOCKS } from './migrate.ts'
import { SELECT_SESSION } from './records.ts'
import { scopeKeys } from './scopes.ts'

/** A memory as a commit meets it. */
export interface Held {
  version: number
  scope: number
  active: boolean
  /** Of its vector. */
  model: number | null
  recallCount: number
  lastRecalledAt: string | null
}

/** A session of which perhaps only the name is known. */
export type HeldSession = Omit<Session, 'startedAt'> & { startedAt: string | null }

/** What the writes of a commit depend on. Rows are locked, and what is missing is looked at again when it is written. */
export interface State {
  memories: Map<string, Held>
  sessions: Map<string, HeldSession>
  /** Once-keys that are taken, as they are stored. */
  once: Set<string>
  /** See {@link changeKey}. */
  changes: Set<string>
  injections: Set<string>
  events: Set<string>
  scopes: ReadonlyMap<string, number>
}

export function changeKey({ memory, version }: { memory: string; version: number }): string {
  return `${version} ${memory}`
}

/** What has to be read before these writes can be decided. */
export function wantedBy(writes: readonly Write[]) {
  const memories = new Set<string>()
  const once = new Set<string>()
  const named = new Set<string>()
  const sessions = new Set<string>()
  const injections = new Set<string>()
  const events = new Set<string>()
  const changes: { memory: string; version: number }[] = []
  const scopes: Scope[] = []
  for (const write of writes) {
    if (write.kind === 'insert' || write.kind === 'update') {
      const { id, layer, identifiers, session } = write.row.memory
      memories.add(id)
      scopes.push(scopeOf(layer, identifiers))
      if (session !== null) named.add(session)
    } else if (write.kind === 'delete' || write.kind === 'embed') memories.add(write.id)
    else if (write.kind === 'change') changes.push(write.change)
    else if (write.kind === 'session') sessions.add(write.session.id)
    else if (write.kind === 'event') events.add(write.event.id)
    else if (write.kind === 'injection') {
      injections.add(write.injection.id)
      if (write.recall) memories.add(write.injection.memory)
    }
    if ('once' in write) for (const key of write.once ?? []) once.add(storedKey(key))
  }
  return { memories, once, named, sessions, injections, events, changes, scopes }
}

type Wanted = ReturnType<typeof wantedBy>

interface LockedRow {
  ulid: string
  version: number
  scope: number
  active: number
  model: number | null
  recall_count: number
  last_recalled_at: string | null
}

interface KnownRow {
  memories: LockedRow[] | null
  once: string[] | null
  injections: string[] | null
  events: string[] | null
  changes: { memory: string; version: number }[] | null
  before: { changed: number; note: string | null } | null
}

const KNOWN = `WITH shared AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${LOCKS.purge})),
  locked AS MATERIALIZED (
    SELECT ulid, version, scope_key AS scope, active, model, recall_count, last_recalled_at FROM memories
    WHERE ulid = ANY ($1::text[]) ORDER BY ulid FOR UPDATE)
  SELECT (SELECT json_agg(l) FROM locked l) AS memories,
    (SELECT json_agg(key) FROM once_keys WHERE key = ANY ($2::text[])) AS once,
    (SELECT json_agg(id) FROM injections WHERE id = ANY ($3::text[])) AS injections,
    (SELECT json_agg(id) FROM events WHERE id = ANY ($4::text[])) AS events,
    (SELECT json_agg(json_build_object('memory', c.memory, 'version', c.version))
     FROM json_to_recordset($5::json) AS w(memory text, version int)
     JOIN changes c ON c.memory = w.memory AND c.version = w.version) AS changes,
    (SELECT json_build_object('changed', k.changed, 'note', k.note) FROM commit_keys k WHERE k.key = $6) AS before
  FROM shared`

/**
 * One statement, however many writes there are. Rows are locked in the order of their ids, so that no two commits wait in a
 * circle. What somebody else wrote while a lock was waited for is not seen here, and is met again when this commit writes.
 */
export function readKnown(key: string, { memories, once, injections, events, changes }: Wanted): Reading {
  const sets = [memories, once, injections, events].map((set) => [...set])
  return { sql: KNOWN, values: [...sets, JSON.stringify(changes.map(versionOf)), key] }
}

/** `before` is the answer to a commit with this key that was applied. */
export function toKnown(read: unknown): Omit<State, 'scopes' | 'sessions'> & Pick<KnownRow, 'before'> {
  const found = read as KnownRow
  return {
    memories: new Map(found.memories?.map((row) => [row.ulid, toHeld(row)])),
    once: new Set(found.once),
    injections: new Set(found.injections),
    events: new Set(found.events),
    changes: new Set(found.changes?.map(changeKey)),
    before: found.before,
  }
}

/** Scopes that this process does not know and sessions take statements of their own. */
export async function completeState(
  queries: Queries,
  wanted: Wanted,
  read: Omit<State, 'scopes' | 'sessions'>,
  known: Map<string, number>,
): Promise<State> {
  const [scopes, sessions] = await Promise.all([
    scopeKeys(queries, wanted.scopes, known),
    lockSessions(queries, wanted.named, wanted.sessions),
  ])
  return { ...read, scopes, sessions }
}

function versionOf({ memory, version }: { memory: string; version: number }) {
  return { memory, version }
}

function toHeld({ version, scope, active, model, recall_count, last_recalled_at }: LockedRow): Held {
  return { version, scope, active: active === 1, model, recallCount: recall_count, lastRecalledAt: last_recalled_at }
}

/** Sessions that are named have a row from then on; those that are told of are locked. */
async function lockSessions(
  queries: Queries,
  named: ReadonlySet<string>,
  told: ReadonlySet<string>,
): Promise<Map<string, HeldSession>> {
  const all = [...new Set([...named, ...told])]
  if (all.length === 0) return new Map()
  const [, rows] = await Promise.all([
    queries.query(
      `INSERT INTO sessions (key) SELECT key FROM unnest($1::text[]) AS w(key)
       WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.key = w.key) ORDER BY key COLLATE "C" ON CONFLICT DO NOTHING`,
      [all],
    ),
    told.size === 0
      ? []
      : queries.query<HeldSession>(
          `SELECT ${SELECT_SESSION} FROM sessions s WHERE s.key = ANY ($1::text[]) ORDER BY s.key FOR UPDATE`,
          [[...told]],
        ),
  ])
  return new Map(rows.map((row) => [row.id, row]))
}
