import { MemoryError } from '../../model/errors.ts'
import { scopeOf } from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'
import type { Change } from '../../model/records.ts'
import type { CommitOptions, ListQuery, Write } from '../storage.ts'
import type { Connection } from './connection.ts'
import { type ChangeRow, type MemoryRow, SELECT_MEMORY, toChange, toMemory, toRow } from './row.ts'
import { scopeKey, selectScopes } from './scopes.ts'
import { sessionKey } from './sessions.ts'
import type { VectorPages, VectorPosition } from './vector-pages.ts'
import { whereConditions } from './where.ts'

/** Stands in `changed_by` for a row that brings its history along: the trigger then writes none. */
const IMPORTED = '@import'

/** Applies the writes. The caller holds the transaction. */
export function commitWrites(
  connection: Connection,
  pages: VectorPages,
  writes: readonly Write[],
  by: string,
  { skipConflicts = false, oncePerSession = false }: CommitOptions = {},
): void {
  for (const write of writes) {
    if (write.kind === 'insert') {
      if (oncePerSession) refuseRepeat(connection, write.memory)
      insert(connection, pages, write, by)
    } else if (write.kind === 'update') update(connection, pages, write, by, skipConflicts)
    else remove(connection, pages, write.id, by)
  }
}

const INSERT = `INSERT INTO memories (ulid, observation, scope, scope_id, scope_key, identifiers, category, service, source, tags,
  metadata, anchor, importance, confidence, active, tier, session_id, expires_at, last_recalled_at, recall_count, created_at,
  updated_at, version, embedding_id, changed_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (ulid) DO NOTHING`

function insert(
  connection: Connection,
  pages: VectorPages,
  { memory, embedding, imported }: Extract<Write, { kind: 'insert' }>,
  by: string,
): void {
  const scope = scopeOf(memory.layer, memory.identifiers)
  const scopeId = scopeKey(connection, scope)
  const { changes } = connection.run(
    INSERT,
    memory.id,
    memory.content,
    memory.layer,
    scope.owner,
    scopeId,
    JSON.stringify(memory.identifiers),
    memory.category,
    memory.service,
    memory.source,
    JSON.stringify(memory.tags),
    JSON.stringify(memory.metadata),
    memory.anchor,
    memory.importance,
    memory.confidence,
    memory.active ? 1 : 0,
    memory.tier,
    sessionKey(connection, memory.session, memory.createdAt),
    memory.expiresAt,
    memory.lastRecalledAt,
    memory.recallCount,
    memory.createdAt,
    memory.updatedAt,
    memory.version,
    embedding && pages.store(embedding),
    imported ? IMPORTED : by,
  )
  if (changes === 0) throw conflict(memory.id, 'A memory with this id exists already.')
  if (embedding) pages.grow(scopeId)
}

/** Two captures of one run may go on at once: the one that comes second must see what the first one left. */
function refuseRepeat(connection: Connection, memory: Memory): void {
  if (memory.session === null) return
  const said = connection.get<{ ulid: string }>(
    `SELECT ulid FROM memories
     WHERE session_id = ? AND scope_key = ? AND category = ? AND service IS ? AND observation = ?`,
    sessionKey(connection, memory.session, memory.createdAt),
    scopeKey(connection, scopeOf(memory.layer, memory.identifiers)),
    memory.category,
    memory.service,
    memory.content,
  )
  if (said) throw conflict(said.ulid, 'The session has said this already.')
}

/** History from elsewhere; returns how many entries were new. */
export function putChanges(connection: Connection, changes: readonly Change<Memory>[]): number {
  let added = 0
  for (const change of changes) {
    added += connection.run(
      `INSERT INTO changes (memory, row_id, version, operation, at, by, before, after)
       VALUES (?1, coalesce((SELECT id FROM memories WHERE ulid = ?1), 0), ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      change.memory,
      change.version,
      change.operation,
      change.at,
      change.by,
      change.before && JSON.stringify(toRow(change.before)),
      change.after && JSON.stringify(toRow(change.after)),
    ).changes
  }
  return added
}

const UPDATE = `UPDATE memories SET observation = ?, category = ?, service = ?, tags = ?, metadata = ?, anchor = ?, importance = ?,
  confidence = ?, active = ?, expires_at = ?, decayed_weeks = coalesce(?, CASE WHEN updated_at = ? THEN decayed_weeks ELSE 0 END),
  updated_at = ?, version = ?, embedding_id = ?, vector_page = ?, changed_by = ? WHERE id = ?`

interface Position extends VectorPosition {
  version: number
  embedding_id: number | null
}

function locate(connection: Connection, ulid: string): Position | undefined {
  return connection.get<Position>(
    'SELECT id, version, scope_key, embedding_id, vector_page FROM memories WHERE ulid = ?',
    ulid,
  )
}

function update(
  connection: Connection,
  pages: VectorPages,
  { memory, embedding, decayedWeeks }: Extract<Write, { kind: 'update' }>,
  by: string,
  skipConflicts: boolean,
): void {
  const row = locate(connection, memory.id)
  if (skipConflicts && row?.version !== memory.version - 1) return
  if (!row) throw notFound(memory.id)
  if (row.version !== memory.version - 1) {
    throw conflict(memory.id, `The memory was changed meanwhile (version ${row.version}).`, { version: row.version })
  }
  // In one statement with the text: a text that changes alone loses its vector.
  const position = embedding === undefined ? row : { embedding_id: pages.replace(row, embedding), vector_page: null }
  connection.run(
    UPDATE,
    memory.content,
    memory.category,
    memory.service,
    JSON.stringify(memory.tags),
    JSON.stringify(memory.metadata),
    memory.anchor,
    memory.importance,
    memory.confidence,
    memory.active ? 1 : 0,
    memory.expiresAt,
    decayedWeeks ?? null,
    memory.updatedAt,
    memory.updatedAt,
    memory.version,
    position.embedding_id,
    position.vector_page,
    by,
    row.id,
  )
}

function remove(connection: Connection, pages: VectorPages, ulid: string, by: string): void {
  const row = locate(connection, ulid)
  if (!row) return
  pages.assign(row, null)
  connection.run(`UPDATE memories SET changed_by = '@' || ? WHERE id = ?`, by, row.id)
  connection.run('DELETE FROM memories WHERE id = ?', row.id)
}

export function getMemories(connection: Connection, ids: readonly string[]): Memory[] {
  return connection.map(
    toMemory,
    `SELECT ${SELECT_MEMORY} FROM memories m WHERE m.ulid IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids),
  )
}

const ORDERS = { newest: '', confidence: 'm.confidence DESC, ', importance: 'm.importance DESC, ' } as const

export function listMemories(
  connection: Connection,
  { scopes, where, order = 'newest', limit, after, count: counted = true }: ListQuery,
): { memories: Memory[]; totalCount: number } {
  const condition = whereConditions(where)
  const behind = after === null ? '' : ' AND (m.created_at, m.ulid) < (?, ?)'
  const position = after === null ? [] : [after.createdAt, after.id]
  const page = (inScope: string, values: (string | number)[]) =>
    connection.all<MemoryRow>(
      `SELECT ${SELECT_MEMORY} FROM memories m WHERE ${inScope}${condition.sql}${behind} ORDER BY ${ORDERS[order]}m.created_at DESC, m.ulid DESC LIMIT ?`,
      ...values,
      ...condition.values,
      ...position,
      limit,
    )
  const count = (inScope: string, values: (string | number)[]) =>
    counted
      ? connection.get<{ n: number }>(
          `SELECT count(*) AS n FROM memories m WHERE ${inScope}${condition.sql}`,
          ...values,
          ...condition.values,
        )!.n
      : 0
  return connection.read(() => {
    if (scopes === null) return { memories: page('1', []).map(toMemory), totalCount: count('1', []) }
    // Scope by scope, so that each part comes sorted from the index.
    const keys = [...new Set(scopes.flatMap((selector) => selectScopes(connection, selector)))]
    const rows = keys.flatMap((key) => page('m.scope_key = ?', [key]))
    rows.sort((a, b) => (order === 'newest' ? 0 : b[order] - a[order]) || newestFirst(a, b))
    const totalCount = keys.reduce((sum, key) => sum + count('m.scope_key = ?', [key]), 0)
    return { memories: rows.slice(0, limit).map(toMemory), totalCount }
  })
}

function newestFirst(a: MemoryRow, b: MemoryRow): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1
  return a.ulid < b.ulid ? 1 : -1
}

export function readHistory(connection: Connection, id: string): Change<Memory>[] {
  return connection.map(
    toChange,
    'SELECT memory, version, operation, at, by, before, after FROM changes WHERE memory = ? ORDER BY version',
    id,
  )
}

export function listChanges(
  connection: Connection,
  after: number | null,
  limit: number,
): { changes: Change<Memory>[]; position: number | null } {
  const rows = connection.map(
    (row: ChangeRow & { seq: number }) => ({ seq: row.seq, change: toChange(row) }),
    'SELECT seq, memory, version, operation, at, by, before, after FROM changes WHERE seq > ? ORDER BY seq LIMIT ?',
    after ?? 0,
    limit,
  )
  return { changes: rows.map((row) => row.change), position: rows.length < limit ? null : rows.at(-1)!.seq }
}

function conflict(id: string, message: string, facts: Record<string, unknown> = {}): MemoryError {
  return new MemoryError('CONFLICT', message, { details: { id, ...facts } })
}

export function notFound(id: string): MemoryError {
  return new MemoryError('MEMORY_NOT_FOUND', `There is no memory with the id ${id}.`, { details: { id } })
}
