import type { Change, Session } from '../../model/records.ts'
import type { Commit } from '../commit.ts'
import { changeKey, documentName, type Known, type Touched, touchedBy } from '../decide.ts'
import { numberOf, textOf } from './attributes.ts'
import type { Connection } from './connection.ts'
import { documentPlace, documentTable } from './document-items.ts'
import { keyIs } from './item-conditions.ts'
import { look } from './locate.ts'
import type { StoredRow } from './memory-item.ts'
import type { Place } from './place.ts'
import { recordOf, revisionOf } from './record-items.ts'
import type { TableName } from './schema.ts'
import { uniqueKey } from './scope-key.ts'

/** The stored state of everything a commit touches. */
export interface Snapshot {
  known: Known
  answer: { changed: number; note: string | null } | null
  rows: ReadonlyMap<string, StoredRow>
  /** Memories with only a pointer left, and where it points. */
  left: ReadonlyMap<string, Place>
  /** The last history entry of items that are not in our format, and of suspects. */
  pasts: ReadonlyMap<string, Change>
  revisions: ReadonlyMap<string, number>
}

export function nothingThere(): Snapshot {
  const known = {
    memories: new Map(),
    sessions: new Map(),
    once: [],
    changes: [],
    injections: [],
    events: [],
    documents: [],
  }
  return { known, answer: null, rows: new Map(), left: new Map(), pasts: new Map(), revisions: new Map() }
}

export async function readAnswer(connection: Connection, key: string): Promise<Snapshot['answer']> {
  const [item] = await connection.get('agent-memory-keys', [{ key: uniqueKey('commit', key) }])
  return item ? { changed: numberOf(item, 'changed')!, note: textOf(item, 'note') ?? null } : null
}

/**
 * Reads the state these writes depend on. `suspects` are memories whose place turned out to be taken, possibly by
 * themselves as a foreign item, or whose history is ahead of them.
 */
export async function readSnapshot(
  connection: Connection,
  { key, writes }: Commit,
  suspects: ReadonlySet<string>,
): Promise<Snapshot> {
  const touched = touchedBy(writes)
  const inserted = new Set(writes.flatMap((write) => (write.kind === 'insert' ? [write.row.memory.id] : [])))
  const idsIn = async (table: TableName, ids: ReadonlySet<string>) => {
    const items = await connection.get(
      table,
      [...ids].map((id) => ({ id })),
    )
    return new Map(items.map((item) => [textOf(item, 'id')!, item]))
  }
  const [{ found: rows, left }, answer, once, changes, sessions, injections, events, documents] = await Promise.all([
    look(connection, touched.memories, (id) => suspects.has(id) || !inserted.has(id)),
    readAnswer(connection, key),
    readOnce(connection, [...touched.once]),
    connection.get('agent-memory-changes', [...touched.changes.values()]),
    idsIn('agent-sessions', touched.sessions),
    idsIn('agent-injections', touched.injections),
    idsIn('agent-events', touched.events),
    readDocuments(connection, touched),
  ])
  const known: Known = {
    memories: new Map([...rows].map(([id, { row }]) => [id, row.memory])),
    sessions: new Map([...sessions].map(([id, item]) => [id, recordOf<Session>(item)])),
    once,
    changes: changes.map((item) => changeKey(recordOf<Change>(item))),
    injections: injections.keys(),
    events: events.keys(),
    documents,
  }
  const foreign = [...rows].flatMap(([id, { revision }]) => (revision === null ? [id] : []))
  const pasts = await readPasts(connection, answer ? [] : new Set([...foreign, ...suspects]))
  const revisions = new Map([...sessions].map(([id, item]) => [id, revisionOf(item)]))
  return { known, answer, rows, left, pasts, revisions }
}

async function readPasts(connection: Connection, ids: Iterable<string>): Promise<Map<string, Change>> {
  const found = await Promise.all(
    [...ids].map((id) =>
      connection.query('agent-memory-changes', { ...keyIs('memory', id), ScanIndexForward: false }, 1),
    ),
  )
  return new Map(found.flat().map((item) => [textOf(item, 'memory')!, recordOf<Change>(item)]))
}

async function readDocuments(connection: Connection, { documents }: Touched): Promise<string[]> {
  const found: string[] = []
  for (const { collection, key } of documents.values()) {
    const items = await connection.get(documentTable(collection), [documentPlace(collection, key)])
    if (items.length > 0) found.push(documentName(collection, key))
  }
  return found
}

export async function readOnce(connection: Connection, keys: readonly string[]): Promise<Set<string>> {
  const names = new Map([...new Set(keys)].map((key) => [uniqueKey('once', key), key]))
  const items = await connection.get(
    'agent-memory-keys',
    [...names.keys()].map((key) => ({ key })),
  )
  return new Set(items.map((item) => names.get(textOf(item, 'key')!)!))
}
