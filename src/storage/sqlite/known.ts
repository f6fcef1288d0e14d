import type { Known, KnownMemory, KnownSession, Touched } from '../decide.ts'
import { selectDocuments } from '../sql/documents.ts'
import { raw, sql } from '../sql/sql.ts'
import type { Connection } from './connection.ts'
import { listed } from './dialect.ts'
import { SELECT_SESSION } from './records.ts'
import type { VectorPosition } from './vector-pages.ts'

export interface Located extends KnownMemory, VectorPosition {
  embedding_id: number | null
}

export interface KnownRows extends Known {
  memories: Map<string, Located>
}

const MEMORY = `SELECT ulid, id, version, scope_key, embedding_id, vector_page, recall_count AS recallCount,
  last_recalled_at AS lastRecalledAt FROM memories WHERE ulid`
const SESSION = `SELECT ${SELECT_SESSION} FROM sessions s WHERE s.key`

/** Reads the state a commit depends on. The caller holds the write transaction, so it cannot change. */
export function readKnown(connection: Connection, touched: Touched): KnownRows {
  const among = <Row>(keys: ReadonlySet<string>, select: string) =>
    keys.size === 0 ? [] : connection.all<Row>(sql`${raw(select)} IN ${listed([...keys])}`)
  const keysIn = (keys: ReadonlySet<string>, table: string) =>
    among<{ key: string }>(keys, `SELECT key FROM ${table} WHERE key`).map(({ key }) => key)
  const memories = among<Located & { ulid: string }>(touched.memories, MEMORY)
  return {
    memories: new Map(memories.map((row) => [row.ulid, row])),
    sessions: new Map(among<KnownSession>(touched.sessions, SESSION).map((row) => [row.id, row])),
    once: keysIn(touched.once, 'once_keys'),
    injections: keysIn(touched.injections, 'injections'),
    events: keysIn(touched.events, 'events'),
    changes: [...touched.changes].flatMap(([key, { memory, version }]) =>
      connection.get('SELECT 1 FROM changes WHERE memory = ? AND version = ?', memory, version) ? key : [],
    ),
    documents: [...touched.documents].flatMap(([name, { collection, key }]) =>
      connection.get(selectDocuments(collection, [key])) ? name : [],
    ),
  }
}
