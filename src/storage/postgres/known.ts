import { changeKey, type Known, type KnownMemory, type KnownSession, type Touched } from '../decide.ts'
import { selectDocuments } from '../sql/documents.ts'
import { join, raw, type Sql, sql } from '../sql/sql.ts'
import type { Queries, Reading } from './client.ts'
import { ask } from './dialect.ts'
import { storedKey } from './keys.ts'
import { assertKnown, LOCKS, REQUIRED_STEP } from './migrate.ts'
import { SELECT_SESSION } from './records.ts'

export interface Held extends KnownMemory {
  scope: number
  active: boolean
  model: number | null
}

/** Rows are locked. Missing rows are checked again on writing. */
export interface KnownRows extends Known {
  memories: Map<string, Held>
}

interface KnownRow {
  memories: (Omit<Held, 'active'> & { ulid: string; active: number })[] | null
  sessions: KnownSession[] | null
  once: string[] | null
  injections: string[] | null
  events: string[] | null
  changes: { memory: string; version: number }[] | null
  before: { changed: number; note: string | null } | null
  required: number
}

/**
 * One statement for any number of writes. Rows are locked in the order of their ids, so that commits cannot deadlock.
 * Changes committed while waiting for a lock are not visible here, but cause a conflict when this commit writes. What
 * was not asked for is left out, because the server plans every part of it anew.
 */
export function readKnown(key: string, touched: Touched): Reading {
  const { memories, once, injections, events, changes, sessions } = touched
  const found = (name: keyof KnownRow, keys: { size: number }, rows: Sql) =>
    sql`(${keys.size === 0 ? raw('NULL::json') : rows}) AS ${raw(name)}`
  const parts = [
    found(
      'memories',
      memories,
      sql`SELECT json_agg(l) FROM (
      SELECT ulid, version, scope_key AS scope, active, model, recall_count AS "recallCount", last_recalled_at AS "lastRecalledAt"
      FROM memories WHERE ulid = ANY (${[...memories]}::text[]) ORDER BY ulid FOR UPDATE) l`,
    ),
    found('once', once, sql`SELECT json_agg(key) FROM once_keys WHERE key = ANY (${[...once].map(storedKey)}::text[])`),
    found(
      'injections',
      injections,
      sql`SELECT json_agg(id) FROM injections WHERE id = ANY (${[...injections]}::text[])`,
    ),
    found('events', events, sql`SELECT json_agg(id) FROM events WHERE id = ANY (${[...events]}::text[])`),
    found(
      'changes',
      changes,
      sql`SELECT json_agg(json_build_object('memory', c.memory, 'version', c.version))
      FROM json_to_recordset(${JSON.stringify([...changes.values()])}::json) AS w(memory text, version int)
      JOIN changes c ON c.memory = w.memory AND c.version = w.version`,
    ),
    found(
      'sessions',
      sessions,
      sql`SELECT json_agg(t) FROM (
      SELECT ${raw(SELECT_SESSION)} FROM sessions s WHERE s.key = ANY (${[...sessions]}::text[]) ORDER BY s.key FOR UPDATE) t`,
    ),
    sql`(SELECT json_build_object('changed', k.changed, 'note', k.note) FROM commit_keys k WHERE k.key = ${key}) AS before`,
    raw(`${REQUIRED_STEP} AS required`),
  ]
  const lock = raw(`WITH shared AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${LOCKS.purge}))`)
  const whole = sql`${lock} SELECT ${join(parts, ', ')} FROM shared`
  return { sql: whole.text((place) => `$${place}`), values: whole.values }
}

/** `before` is the answer to an earlier applied commit with this key. */
export async function toKnown(
  queries: Queries,
  touched: Touched,
  read: unknown,
): Promise<KnownRows & Pick<KnownRow, 'before'>> {
  const found = read as KnownRow
  // The schema may have changed since this process opened the store.
  assertKnown(found.required)
  const taken = new Set(found.once)
  const documents: string[] = []
  for (const [name, { collection, key }] of touched.documents) {
    if ((await ask(queries, selectDocuments(collection, [key]))).length > 0) documents.push(name)
  }
  return {
    memories: new Map(found.memories?.map(({ ulid, active, ...row }) => [ulid, { ...row, active: active === 1 }])),
    sessions: new Map(found.sessions?.map((row) => [row.id, row])),
    once: [...touched.once].filter((key) => taken.has(storedKey(key))),
    injections: found.injections ?? [],
    events: found.events ?? [],
    changes: found.changes?.map(changeKey) ?? [],
    documents,
    before: found.before,
  }
}
