import { scopeOf } from '../../model/layer.ts'
import type { Change } from '../../model/records.ts'
import type { Commit, Embedding, Write, WriteFailure } from '../commit.ts'
import type { Connection } from './connection.ts'
import { stateOf } from './expressions.ts'
import { toColumns } from './row.ts'
import { MEMORY_COLUMNS } from './schema.ts'
import { scopeKey } from './scopes.ts'
import { sessionKey } from './sessions.ts'
import { indexTokens, unindexTokens } from './token-index.ts'
import type { VectorPages, VectorPosition } from './vector-pages.ts'

/** Whether a write changed something, or why it could not be applied. */
export type WriteOutcome = boolean | WriteFailure

type WriteOf<Kind extends Write['kind']> = Extract<Write, { kind: Kind }>

const INSERTED = [...MEMORY_COLUMNS, 'scope_id', 'scope_key', 'session_id', 'visible_until', 'embedding_id'] as const
const INSERT = `INSERT INTO memories (${INSERTED.join(', ')}) VALUES (${INSERTED.map(() => '?').join(', ')})
  ON CONFLICT (ulid) DO NOTHING`

/** An update leaves alone which memory it is, and how often it was recalled. */
const KEPT: readonly string[] = ['ulid', 'recall_count', 'last_recalled_at']
const UPDATED = MEMORY_COLUMNS.filter((column) => !KEPT.includes(column))
const UPDATE = `UPDATE memories SET ${UPDATED.map((column) => `${column} = ?`).join(', ')}, scope_id = ?, scope_key = ?, session_id = ?, visible_until = ?,
  embedding_id = ?, vector_page = ? WHERE id = ?`

/** An id that was deleted and is used again writes over its former life. */
const RECORD = `INSERT OR REPLACE INTO changes (memory, row_id, version, operation, at, by, recall_count, last_recalled_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
const WRITE_DOWN_STATE = `UPDATE changes SET after = (SELECT ${stateOf('m')} FROM memories m WHERE m.id = ?)
  WHERE memory = ? AND version = ? AND after IS NULL AND operation <> 'delete'`

interface Located extends VectorPosition {
  version: number
  embedding_id: number | null
  recall_count: number
  last_recalled_at: string | null
}

/** Writes of one commit to memories, their history, tokens and vectors. The caller holds the transaction. */
export class MemoryWriter {
  readonly #connection: Connection
  readonly #pages: VectorPages
  readonly #commit: Commit

  constructor(connection: Connection, pages: VectorPages, commit: Commit) {
    this.#connection = connection
    this.#pages = pages
    this.#commit = commit
  }

  insert({ row, once, imported }: WriteOf<'insert'>): WriteOutcome {
    const { memory, visibleUntil, tokens, embedding } = row
    const scope = scopeOf(memory.layer, memory.identifiers)
    const key = scopeKey(this.#connection, scope)
    const columns = toColumns(memory)
    const { changes, id } = this.#connection.run(
      INSERT,
      ...MEMORY_COLUMNS.map((column) => columns[column]),
      scope.owner,
      key,
      sessionKey(this.#connection, memory.session),
      visibleUntil,
      embedding && this.#pages.store(embedding),
    )
    if (changes === 0) return 'exists'
    if (!this.#take(once, memory.id)) return 'once'
    if (embedding) this.#pages.grow(key)
    indexTokens(this.#connection, id, key, tokens)
    // Who follows the history would not see it.
    if (imported) this.#pages.announce()
    else this.#record(memory.id, id, memory.version, 'create', memory.recallCount, memory.lastRecalledAt)
    return true
  }

  update({ row, once }: WriteOf<'update'>): WriteOutcome {
    const { memory, visibleUntil, tokens, embedding } = row
    const stored = this.#locate(memory.id)
    if (!stored) return 'missing'
    if (stored.version !== memory.version - 1) return 'version'
    if (!this.#take(once, memory.id)) return 'once'
    this.#writeDownState(memory.id, stored)
    const scope = scopeOf(memory.layer, memory.identifiers)
    const key = scopeKey(this.#connection, scope)
    const vector = this.#place({ ...stored, scope_key: key }, key !== stored.scope_key, embedding)
    const columns = toColumns(memory)
    this.#connection.run(
      UPDATE,
      ...UPDATED.map((column) => columns[column]),
      scope.owner,
      key,
      sessionKey(this.#connection, memory.session),
      visibleUntil,
      vector.embedding_id,
      vector.vector_page,
      stored.id,
    )
    unindexTokens(this.#connection, stored.id)
    indexTokens(this.#connection, stored.id, key, tokens)
    this.#record(memory.id, stored.id, memory.version, 'update', stored.recall_count, stored.last_recalled_at)
    return true
  }

  remove({ id, version }: WriteOf<'delete'>): WriteOutcome {
    const stored = this.#locate(id)
    if (!stored) return false
    if (version !== undefined && stored.version !== version) return 'version'
    this.#writeDownState(id, stored)
    this.#connection.run(`UPDATE memories SET changed_by = '@' WHERE id = ?`, stored.id)
    this.#connection.run('DELETE FROM memories WHERE id = ?', stored.id)
    unindexTokens(this.#connection, stored.id)
    this.#record(id, stored.id, stored.version + 1, 'delete', 0, null)
    return true
  }

  embed({ id, version, embedding }: WriteOf<'embed'>): WriteOutcome {
    const stored = this.#locate(id)
    if (!stored) return 'missing'
    if (stored.version !== version) return 'version'
    const kept = this.#pages.replace(stored, embedding)
    this.#connection.run('UPDATE memories SET embedding_id = ?, vector_page = NULL WHERE id = ?', kept, stored.id)
    this.#pages.announce()
    return true
  }

  addChange(change: Change): boolean {
    const { memory, version, operation, at, by, after } = change
    const added = this.#connection.run(
      `INSERT INTO changes (memory, row_id, version, operation, at, by, after)
       VALUES (?1, coalesce((SELECT id FROM memories WHERE ulid = ?1), 0), ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      memory,
      version,
      operation,
      at,
      by,
      after && JSON.stringify({ ...toColumns(after), session: after.session }),
    )
    return added.changes > 0
  }

  /** Where the vector of an updated memory stands: another one, or one in another scope, is off its page. */
  #place(row: Located, moved: boolean, embedding: Embedding | null | undefined) {
    if (embedding !== undefined) return { embedding_id: this.#pages.replace(row, embedding), vector_page: null }
    if (!moved) return row
    this.#pages.replace(row, null)
    if (row.embedding_id !== null) this.#pages.grow(row.scope_key)
    return { embedding_id: row.embedding_id, vector_page: null }
  }

  #locate(ulid: string): Located | undefined {
    return this.#connection.get<Located>(
      `SELECT id, version, scope_key, embedding_id, vector_page, recall_count, last_recalled_at FROM memories WHERE ulid = ?`,
      ulid,
    )
  }

  mark({ memory, once }: WriteOf<'mark'>): WriteOutcome {
    return this.#keep(once, memory) > 0
  }

  /** False when one of the keys is taken. */
  #take(keys: readonly string[] | undefined, memory: string): boolean {
    if (keys === undefined || keys.length === 0) return true
    const taken = keys.some((key) => this.#connection.get('SELECT 1 FROM once_keys WHERE key = ?', key))
    if (taken) return false
    this.#keep(keys, memory)
    return true
  }

  /** Returns how many of the keys were free. */
  #keep(keys: readonly string[], memory: string): number {
    const insert = 'INSERT INTO once_keys (key, memory) VALUES (?, ?) ON CONFLICT DO NOTHING'
    return keys.reduce((count, key) => count + this.#connection.run(insert, key, memory).changes, 0)
  }

  /** The state that a change is about to replace was so far kept by the memory itself. */
  #writeDownState(ulid: string, stored: Located): void {
    this.#connection.run(WRITE_DOWN_STATE, stored.id, ulid, stored.version)
  }

  #record(
    memory: string,
    rowId: number,
    version: number,
    operation: Change['operation'],
    recalls: number,
    recalledAt: string | null,
  ): void {
    const { at, by } = this.#commit
    this.#connection.run(RECORD, memory, rowId, version, operation, at, by, recalls, recalledAt)
  }
}
