import type { Change } from '../../model/records.ts'
import { decodeFloat16 } from '../../vector/float16.ts'
import type { Commit, Write } from '../commit.ts'
import { documentKey } from '../documents.ts'
import { keyOf, type ReferenceData, referenceData } from '../reference/data.ts'
import { numberOf, type PlainItem, textOf } from './attributes.ts'
import type { Connection } from './connection.ts'
import { documentPlace, documentTable, toDocument } from './document-items.ts'
import { look } from './locate.ts'
import type { StoredRow } from './memory-item.ts'
import type { Place } from './place.ts'
import { revisionOf, toChange, toEvent, toInjection, toSession } from './record-items.ts'
import { uniqueKey } from './scope-key.ts'

/** All that a commit touches, as it was stored when it was read. */
export interface Snapshot {
  data: ReferenceData
  rows: ReadonlyMap<string, StoredRow>
  /** Memories of which only the pointer is left, and where it points. */
  left: ReadonlyMap<string, Place>
  /** Of sessions, by id. */
  revisions: ReadonlyMap<string, number>
}

export function nothingThere(): Snapshot {
  return { data: referenceData(), rows: new Map(), left: new Map(), revisions: new Map() }
}

/** The answer of a commit that was applied with this key. */
export async function readAnswer(connection: Connection, key: string) {
  const [item] = await connection.get('agent-memory-keys', [{ key: uniqueKey('commit', key) }])
  return item ? { changed: numberOf(item, 'changed')!, note: textOf(item, 'note') ?? null } : null
}

/**
 * Reads what the writes are about, so that they can be applied in memory by the reference, whose word counts. `suspects` are
 * new memories whose place was found taken: perhaps by themselves, as somebody else's item.
 */
export async function readSnapshot(
  connection: Connection,
  { key, writes }: Commit,
  suspects: ReadonlySet<string>,
): Promise<Snapshot> {
  const data = referenceData()
  const revisions = new Map<string, number>()
  const onceKeys = [...new Set(writes.flatMap((write) => ('once' in write ? (write.once ?? []) : [])))]
  const changes = writes.flatMap((write) => (write.kind === 'change' ? [write.change] : []))
  const inserted = new Set(writes.flatMap((write) => (write.kind === 'insert' ? [write.row.memory.id] : [])))
  const [{ found: rows, left }, answer, once] = await Promise.all([
    look(connection, writes.flatMap(memoryOf), (id) => suspects.has(id) || !inserted.has(id)),
    readAnswer(connection, key),
    readOnce(connection, onceKeys),
    readChanges(connection, data, changes),
    readRecords(connection, data, revisions, writes),
    readDocuments(connection, data, writes),
  ])
  for (const each of once) data.once.set(each, '')
  if (answer) data.commits.set(key, answer)
  for (const [id, { row, vector }] of rows) {
    data.memories.set(id, row)
    if (!row.embedding || !vector) continue
    const { model, hash } = row.embedding
    data.vectors.set(keyOf(model, hash), decodeFloat16(vector, vector.byteLength / 2))
  }
  return { data, rows, left, revisions }
}

export async function readOnce(connection: Connection, keys: readonly string[]): Promise<Set<string>> {
  const names = new Map([...new Set(keys)].map((key) => [uniqueKey('once', key), key]))
  const items = await connection.get(
    'agent-memory-keys',
    [...names.keys()].map((key) => ({ key })),
  )
  return new Set(items.map((item) => names.get(textOf(item, 'key')!)!))
}

function memoryOf(write: Write): string[] {
  if (write.kind === 'insert' || write.kind === 'update') return [write.row.memory.id]
  if (write.kind === 'delete' || write.kind === 'embed') return [write.id]
  return write.kind === 'injection' && write.recall ? [write.injection.memory] : []
}

async function readChanges(connection: Connection, data: ReferenceData, wanted: readonly Change[]): Promise<void> {
  const keys = new Map(wanted.map(({ memory, version }) => [keyOf(memory, version), { memory, version }]))
  for (const item of await connection.get('agent-memory-changes', [...keys.values()])) {
    const change = toChange(item)
    data.changes.set(keyOf(change.memory, change.version), change)
  }
}

async function readRecords(
  connection: Connection,
  data: ReferenceData,
  revisions: Map<string, number>,
  writes: readonly Write[],
): Promise<void> {
  const ids = (pick: (write: Write) => string[]): PlainItem[] =>
    [...new Set(writes.flatMap(pick))].map((id) => ({ id }))
  const [sessions, injections, events] = await Promise.all([
    connection.get(
      'agent-sessions',
      ids((write) => (write.kind === 'session' ? [write.session.id] : [])),
    ),
    connection.get(
      'agent-injections',
      ids((write) => (write.kind === 'injection' ? [write.injection.id] : [])),
    ),
    connection.get(
      'agent-events',
      ids((write) => (write.kind === 'event' ? [write.event.id] : [])),
    ),
  ])
  for (const item of sessions) {
    const session = toSession(item)
    data.sessions.set(session.id, session)
    revisions.set(session.id, revisionOf(item))
  }
  for (const item of injections) data.injections.set(textOf(item, 'id')!, toInjection(item))
  for (const item of events) data.events.set(textOf(item, 'id')!, toEvent(item))
}

async function readDocuments(connection: Connection, data: ReferenceData, writes: readonly Write[]): Promise<void> {
  for (const write of writes) {
    if (write.kind !== 'remove') continue
    const { collection, key } = write
    for (const item of await connection.get(documentTable(collection), [documentPlace(collection, key)])) {
      const document = toDocument(collection, item)
      if (document)
        data.documents.set(keyOf(collection, documentKey(collection, document)), { collection, key, document })
    }
  }
}
