import { createHash } from 'node:crypto'
import { keysTakenBy } from '../../../model/once-keys.ts'
import type { Page } from '../../../model/page.ts'
import type { Change } from '../../../model/records.ts'
import { encodeFloat16 } from '../../../vector/float16.ts'
import { addColumns, assertFree, readColumns } from '../adopt.ts'
import type { Connection } from '../connection.ts'
import { listChanges } from '../records.ts'
import { ADDED_COLUMNS, SECOND_EDITION_TABLES } from './tables.ts'
import { COMPLETE_SESSIONS } from './triggers.ts'
import { VIEWS } from './views.ts'

/**
 * Migrates the rows of a file from version 0.1.0 to the second edition of the storage contract. Other files are left
 * alone. A later migration creates indexes and triggers.
 */
export function upgradeFirstEdition(connection: Connection): void {
  if (!readColumns(connection, 'changes').some((column) => column.name === 'before')) return
  assertFree(connection, SECOND_EDITION_TABLES)
  connection.exec('DROP TABLE memories_terms; DROP TABLE memories_fts')
  for (const [table, columns] of Object.entries(ADDED_COLUMNS)) addColumns(connection, table, columns)
  addColumns(connection, 'scopes', { memories: 'INTEGER NOT NULL DEFAULT 0', active: 'INTEGER NOT NULL DEFAULT 0' })
  addColumns(connection, 'models', { memories: 'INTEGER NOT NULL DEFAULT 0' })
  addColumns(connection, 'injections', { key: 'TEXT' })
  // The state before a change is the state after the previous change.
  connection.exec('ALTER TABLE changes DROP COLUMN before')
  addColumns(connection, 'changes', { recall_count: 'INTEGER NOT NULL DEFAULT 0', last_recalled_at: 'TEXT' })
  connection.exec(SECOND_EDITION_TABLES)
  connection.exec(`INSERT OR IGNORE INTO settings VALUES ('sessions', '0')`)
  connection.exec(COMPLETE_SESSIONS)
  connection.exec(VIEWS)
  connection.exec(COMPLETE_MEMORIES)
  shortenVectors(connection)
  nameRecords(connection, 'injections', 'session_id, memory, position, tokens, format, at')
  nameRecords(connection, 'events', 'at, type, session_id, identifiers, data')
  takeOnceKeys(connection)
}

/** The history shows what sessions recorded and confirmed. With these keys, capturing them again changes nothing. */
function takeOnceKeys(connection: Connection): void {
  let after: string | null = null
  do {
    const page: Page<Change> = listChanges(connection, { memory: null, after, limit: PART })
    for (const change of page.items) {
      for (const key of keysTakenBy(change)) {
        connection.run('INSERT OR IGNORE INTO once_keys (key, memory) VALUES (?, ?)', key, change.memory)
      }
    }
    after = page.next
  } while (after !== null)
}

const PART = 500

/** Manual entries are trusted as the operator's, flagged ones stay flagged, and the rest is an agent's. */
const COMPLETE_MEMORIES = `
UPDATE memories SET trust = CASE
  WHEN json_type(metadata, '$.flags') = 'array' AND json_array_length(metadata, '$.flags') > 0 THEN 'flagged'
  WHEN tier = 0 AND source = 'manual' THEN 'operator' ELSE 'agent' END;
UPDATE memories SET visible_until = (SELECT v.until FROM memory_visibility v WHERE v.id = memories.id);
INSERT OR IGNORE INTO unindexed_memories SELECT id FROM memories;
`

/** Vectors were 32-bit floats, stored with codes derived from them. */
function shortenVectors(connection: Connection): void {
  const ids = connection.all<{ id: number }>('SELECT id FROM embeddings')
  for (const { id } of ids) {
    const { vector } = connection.get<{ vector: Uint8Array }>('SELECT vector FROM embeddings WHERE id = ?', id)!
    const floats = new Float32Array(vector.slice().buffer, 0, Math.floor(vector.byteLength / 4))
    connection.run('UPDATE embeddings SET vector = ? WHERE id = ?', encodeFloat16(floats), id)
  }
}

/**
 * Gives records an id derived from their content, so that copies of one file agree. Identical records are distinguished
 * by number.
 */
function nameRecords(connection: Connection, table: 'injections' | 'events', columns: string): void {
  const known = table === 'events' ? 'WHERE type IS NOT NULL' : ''
  const session = `(SELECT key FROM sessions s WHERE s.id = session_id) AS session`
  const rows = connection.all<Record<string, string | number | null> & { id: number }>(
    `SELECT id, ${session}, ${columns.replace('session_id, ', '')} FROM ${table} ${known} ORDER BY id`,
  )
  const alike = new Map<string, number>()
  for (const { id, ...content } of rows) {
    const text = JSON.stringify(Object.values(content))
    const number = alike.get(text) ?? 0
    alike.set(text, number + 1)
    const key = createHash('sha256').update(`${table} ${number} ${text}`).digest('hex').slice(0, 32)
    connection.run(`UPDATE ${table} SET key = ? WHERE id = ?`, key, id)
  }
}
