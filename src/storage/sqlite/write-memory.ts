import { type Scope, scopeOf } from '../../model/layer.ts'
import type { Change } from '../../model/records.ts'
import type { ChangedRow, Embedding, NewRow } from '../commit.ts'
import type { MemoryWrite } from '../decide.ts'
import { COLUMN_NAMES, UPDATED_COLUMNS } from '../sql/memory-columns.ts'
import type { Connection } from './connection.ts'
import type { Located } from './known.ts'
import { writeDownState } from './migrations/views.ts'
import { toState, valuesOf } from './row.ts'
import { scopeKey } from './scopes.ts'
import { indexTokens, unindexTokens } from './token-index.ts'
import type { VectorPages } from './vector-pages.ts'
import { sessionKey } from './write-records.ts'

const INSERTED = [...COLUMN_NAMES, 'scope_id', 'scope_key', 'session_id', 'visible_until', 'embedding_id']
const INSERT = `INSERT INTO memories (${INSERTED.join(', ')}) VALUES (${INSERTED.map(() => '?').join(', ')})`
const UPDATED = [
  ...UPDATED_COLUMNS,
  'scope_id',
  'scope_key',
  'session_id',
  'visible_until',
  'embedding_id',
  'vector_page',
]
const UPDATE = `UPDATE memories SET ${UPDATED.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`

/** If a deleted id is used again, its new history overwrites the old. */
const RECORD = `INSERT OR REPLACE INTO changes (memory, row_id, version, operation, at, by, recall_count, last_recalled_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
const WRITE_DOWN_STATE = writeDownState('?', '?', '?')

/** Writes memories with their history, tokens and vectors. The caller holds the transaction. */
export class MemoryWriter {
  readonly #connection: Connection
  readonly #pages: VectorPages
  /** By id; updated with the memories that this commit adds or moves. */
  readonly #located: Map<string, Located>

  constructor(connection: Connection, pages: VectorPages, located: Map<string, Located>) {
    this.#connection = connection
    this.#pages = pages
    this.#located = located
  }

  write(write: MemoryWrite): void {
    if (write.kind === 'insert') this.#insert(write.row, write.imported)
    else if (write.kind === 'update') this.#update(write.row)
    else if (write.kind === 'delete') this.#delete(write.id)
    else if (write.kind === 'embed') this.#embed(write.id, write.embedding)
    else {
      const { id, recallCount, lastRecalledAt } = write
      const count = 'UPDATE memories SET recall_count = ?, last_recalled_at = ? WHERE ulid = ?'
      this.#connection.run(count, recallCount, lastRecalledAt, id)
    }
  }

  #insert(row: NewRow, imported: boolean): void {
    const { memory, tokens, embedding } = row
    const { recallCount, lastRecalledAt, version } = memory
    const scope = scopeOf(memory.layer, memory.identifiers)
    const key = scopeKey(this.#connection, scope)
    const embedding_id = embedding && this.#pages.store(embedding)
    const { id } = this.#connection.run(INSERT, ...this.#values(COLUMN_NAMES, row, scope, key), embedding_id)
    if (embedding) this.#pages.grow(key)
    indexTokens(this.#connection, id, key, tokens)
    // Without a history entry, processes that follow the history would miss it.
    if (imported) this.#pages.announce()
    this.#located.set(memory.id, {
      id,
      version,
      scope_key: key,
      vector_page: null,
      embedding_id,
      recallCount,
      lastRecalledAt,
    })
  }

  #update(row: ChangedRow): void {
    const { memory, tokens, embedding } = row
    const stored = this.#located.get(memory.id)!
    this.#writeDownState(memory.id, stored)
    const scope = scopeOf(memory.layer, memory.identifiers)
    const key = scopeKey(this.#connection, scope)
    const { embedding_id, vector_page } = this.#place(
      { ...stored, scope_key: key },
      key !== stored.scope_key,
      embedding,
    )
    const values = this.#values(UPDATED_COLUMNS, row, scope, key)
    this.#connection.run(UPDATE, ...values, embedding_id, vector_page, stored.id)
    unindexTokens(this.#connection, stored.id)
    indexTokens(this.#connection, stored.id, key, tokens)
  }

  #delete(id: string): void {
    const stored = this.#located.get(id)!
    this.#writeDownState(id, stored)
    this.#connection.run(`UPDATE memories SET changed_by = '@' WHERE id = ?`, stored.id)
    this.#connection.run('DELETE FROM memories WHERE id = ?', stored.id)
    unindexTokens(this.#connection, stored.id)
  }

  #embed(id: string, embedding: Embedding): void {
    const stored = this.#located.get(id)!
    const kept = this.#pages.replace(stored, embedding)
    this.#connection.run('UPDATE memories SET embedding_id = ?, vector_page = NULL WHERE id = ?', kept, stored.id)
    this.#pages.announce()
  }

  /** A history entry. The state after it is the memory itself, until a later change stores it here. */
  record({ memory, version, operation, at, by, after }: Change): void {
    const row = this.#located.get(memory)!.id
    const recalled = [after?.recallCount ?? 0, after?.lastRecalledAt ?? null]
    this.#connection.run(RECORD, memory, row, version, operation, at, by, ...recalled)
  }

  addChange({ memory, version, operation, at, by, after }: Change): void {
    this.#connection.run(
      `INSERT INTO changes (memory, row_id, version, operation, at, by, after)
       VALUES (?1, coalesce((SELECT id FROM memories WHERE ulid = ?1), 0), ?, ?, ?, ?, ?)`,
      memory,
      version,
      operation,
      at,
      by,
      after && toState(after),
    )
  }

  #values(columns: typeof COLUMN_NAMES, { memory, visibleUntil }: NewRow | ChangedRow, scope: Scope, key: number) {
    const session = sessionKey(this.#connection, memory.session)
    return [...valuesOf(memory, columns), scope.owner, key, session, visibleUntil]
  }

  /** The vector row of an updated memory: a new vector, or a move to another scope, takes it off its page. */
  #place(row: Located, moved: boolean, embedding: Embedding | null | undefined) {
    if (embedding !== undefined) return { embedding_id: this.#pages.replace(row, embedding), vector_page: null }
    if (!moved) return row
    this.#pages.replace(row, null)
    if (row.embedding_id !== null) this.#pages.grow(row.scope_key)
    return { embedding_id: row.embedding_id, vector_page: null }
  }

  #writeDownState(ulid: string, stored: Located): void {
    this.#connection.run(WRITE_DOWN_STATE, stored.id, ulid, stored.version)
  }
}
