import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Change } from '../../model/records.ts'
import { encodeFloat16 } from '../../vector/float16.ts'
import type { Commit, Embedding } from '../commit.ts'
import { type Decision, type DocumentWrite, documentName } from '../decide.ts'
import { documentKey } from '../documents.ts'
import { embeddingOf, rowAfter } from '../reference/apply-commit.ts'
import type { Row } from '../reference/data.ts'
import { type Item, type PlainItem, toItem } from './attributes.ts'
import type { Connection } from './connection.ts'
import { Counting } from './counters.ts'
import { documentItem, documentPlace, documentTable } from './document-items.ts'
import { absent, asRead, pointsTo, revisionIs } from './item-conditions.ts'
import type { Lane } from './lanes.ts'
import { besidesAfter, countedRow, type StoredRow, textKey, toMemoryItem } from './memory-item.ts'
import { hiddenPartition, type Place } from './place.ts'
import { isPublished } from './published.ts'
import { atVersion, changeItem, eventItem, foreignChange, injectionItem, sessionItem } from './record-items.ts'
import type { TableName } from './schema.ts'
import { countedOf, uniqueKey } from './scope-key.ts'
import type { Snapshot } from './snapshot.ts'
import type { TakenPlaces } from './taken-places.ts'

/** How long a commit key is remembered. */
const KEY_SECONDS = 7 * 24 * 3600
/** How long the vector of a text can be reused after a memory last added it. */
const VECTOR_SECONDS = 30 * 24 * 3600

/** A memory written by the commit: its new state, or null if it is removed. */
export interface Written {
  id: string
  before: StoredRow | null
  after: StoredRow | null
}

/** A commit as one transaction, conditional on the state that was read. */
export class Transaction {
  readonly items: TransactWriteItem[] = []
  readonly written: Written[] = []
  readonly counting = new Counting()
  readonly #connection: Connection
  readonly #before: Snapshot
  readonly #commit: Commit
  readonly #model: string
  readonly #taken: TakenPlaces
  readonly #texts = new Set<string>()
  /** The first version that the commit gives each memory. */
  readonly #firsts = new Map<string, number>()

  constructor(connection: Connection, before: Snapshot, commit: Commit, model: string, taken: TakenPlaces) {
    this.#connection = connection
    this.#model = model
    this.#before = before
    this.#commit = commit
    // A transaction can touch each item once, so a place that is vacated can only be reused by the next commit.
    for (const { place } of before.rows.values()) taken.add(place)
    this.#taken = taken
  }

  build(decision: Decision): void {
    const { key, at } = this.#commit
    const { changed, note } = decision
    const ttl = Math.ceil(Date.parse(at) / 1000) + KEY_SECONDS
    const answer = { key: uniqueKey('commit', key), changed, ttl, ...(note === null ? {} : { note }) }
    this.#putNew('agent-memory-keys', answer)
    for (const { change, isOwn } of decision.history.values()) {
      const { memory, version } = change
      if (isOwn) this.#firsts.set(memory, Math.min(version, this.#firsts.get(memory) ?? version))
    }
    const after = this.#rowsAfter(decision)
    const others = (id: string) => (after.has(id) ? after.get(id)!.row : this.#before.rows.get(id)?.row) ?? undefined
    for (const [id, { row, vector }] of after) this.#memory(id, row, vector, others)
    for (const [once, memory] of decision.once) {
      this.#putNew('agent-memory-keys', { key: uniqueKey('once', once), memory })
    }
    for (const { change: decided, isOwn } of decision.history.values()) {
      const change = isOwn ? this.#later(decided) : decided
      // If a deleted id is used again, its new history overwrites the old, as in every store.
      if (isOwn && this.#isUsedAgain(change.memory)) this.#put('agent-memory-changes', changeItem(change))
      else this.#putNew('agent-memory-changes', changeItem(change))
    }
    this.#records(decision)
  }

  /** The whole transaction, with the counters and the feed of the partitions that it writes to. */
  complete(lanes: ReadonlyMap<string, Lane>): TransactWriteItem[] {
    this.items.push(...this.counting.updates(this.#connection, lanes, Date.parse(this.#commit.at)))
    return this.items
  }

  #rowsAfter({ memories }: Decision): Map<string, { row: Row | null; vector: Uint8Array | null }> {
    const after = new Map<string, { row: Row | null; vector: Uint8Array | null }>()
    for (const write of memories) {
      const id = 'row' in write ? write.row.memory.id : write.id
      const before = after.get(id) ?? this.#before.rows.get(id)
      const embedding = embeddingOf(write)
      const isKept = embedding === undefined || isOfText(before?.row?.embedding, this.#model, embedding)
      after.set(id, {
        row: rowAfter(before?.row ?? undefined, write, this.#model),
        vector: isKept ? (before?.vector ?? null) : embedding && encodeFloat16(embedding.vector),
      })
    }
    for (const [id, each] of after) {
      const ahead = this.#ahead(id)
      if (each.row && ahead > 0) {
        const memory = atVersion(each.row.memory, each.row.memory.version + ahead)
        after.set(id, { ...each, row: { ...each.row, memory } })
      }
    }
    return after
  }

  /**
   * How many versions a memory's history is ahead of its item: another program overwrote the item, or it was deleted
   * without an entry and imported again. The history only grows.
   */
  #ahead(id: string): number {
    const [before, past, first] = [this.#before.rows.get(id), this.#before.pasts.get(id), this.#firsts.get(id)]
    if (before?.revision === null) return foreignChange(before.row.memory, past).version - before.row.memory.version
    if (!past || first === undefined || this.#isUsedAgain(id)) return 0
    return Math.max(0, past.version + 1 - first)
  }

  #isUsedAgain(id: string): boolean {
    return this.#before.rows.get(id)?.revision !== null && this.#before.pasts.get(id)?.operation === 'delete'
  }

  #later(change: Change): Change {
    const version = change.version + this.#ahead(change.memory)
    return { ...change, version, after: change.after && atVersion(change.after, version) }
  }

  /** Stores the vector under its text, for later memories with the same text. */
  #text({ row, vector }: StoredRow, before: StoredRow | null): void {
    if (!row.embedding || !vector) return
    const text = textKey(row.embedding)
    const isKnown = before?.row.embedding && textKey(before.row.embedding) === text
    if (isKnown || this.#texts.has(text)) return
    this.#texts.add(text)
    const ttl = Math.ceil(Date.parse(this.#commit.at) / 1000) + VECTOR_SECONDS
    this.#put('agent-memory-keys', { key: uniqueKey('text', text), text, vector, ttl })
  }

  #memory(id: string, row: Row | null, vector: Uint8Array | null, others: (id: string) => Row | undefined): void {
    const before = this.#before.rows.get(id) ?? null
    const counted = before && countedRow(before)
    if (counted) this.counting.row(counted, -1)
    if (before) this.counting.write(before.row, before.place)
    if (row) this.counting.row(row, 1)
    const partition = row && partitionFor(row, this.#commit.at, before, others)
    const stays = before !== null && row !== null && isSamePlace(before, row, partition!)
    if (before?.revision === null) {
      this.#putNew('agent-memory-changes', changeItem(foreignChange(before.row.memory, this.#before.pasts.get(id))))
    }
    const place = row && (stays ? before.place : this.#taken.free(row.memory, partition!, before))
    const besides = before && row ? besidesAfter(before, row.memory) : {}
    const after: StoredRow | null =
      row && place ? { row, vector, place, revision: revisionAfter(before), ...besides } : null
    if (after) this.counting.write(after.row, after.place)
    this.written.push({ id, before, after })
    if (after) this.#text(after, before)
    const pointer = { key: uniqueKey('id', id) }
    if (before && !stays) this.#delete('agent-memories', before.place, asRead(before))
    const condition = stays ? asRead(before) : absent('agent-memories')
    if (after) this.#put('agent-memories', toMemoryItem(after), condition, after.besides)
    if (!after) this.#delete('agent-memory-keys', pointer)
    else if (!before || !stays || before.revision === null) {
      const left = this.#before.left.get(id)
      const pointed = before ? {} : left ? pointsTo(left) : absent('agent-memory-keys')
      this.#put('agent-memory-keys', { ...pointer, memory: id, ...after.place }, pointed)
    }
  }

  #records({ sessions, injections, events, documents }: Decision): void {
    for (const session of sessions.values()) {
      const revision = this.#before.revisions.get(session.id)
      if (revision === undefined) this.counting.add('sessions', 1)
      const condition = revision === undefined ? absent('agent-sessions') : revisionIs(revision)
      this.#put('agent-sessions', sessionItem(session, (revision ?? 0) + 1), condition)
    }
    for (const injection of injections) this.#putNew('agent-injections', injectionItem(injection))
    for (const event of events) this.#putNew('agent-events', eventItem(event))
    // The last write of a document wins: a transaction can touch each item once.
    const last = new Map(documents.map((write) => [documentName(write.collection, keyOfDocument(write)), write]))
    for (const write of last.values()) {
      const { collection } = write
      const table = documentTable(collection)
      if (write.kind === 'put') this.#put(table, documentItem(collection, write.document))
      else this.#delete(table, documentPlace(collection, write.key))
    }
  }

  #putNew(name: TableName, item: PlainItem): void {
    this.#put(name, item, absent(name))
  }

  #put(name: TableName, item: PlainItem, condition: object = {}, besides: Item = {}): void {
    const Item = { ...besides, ...toItem(item) }
    this.items.push({ Put: { TableName: this.#connection.table(name), Item, ...condition } })
  }

  #delete(name: TableName, key: PlainItem | Place, condition: object = {}): void {
    this.items.push({ Delete: { TableName: this.#connection.table(name), Key: toItem({ ...key }), ...condition } })
  }
}

/** Goes on where another program left the attribute, so that a revision is never two states of an item. */
function revisionAfter(before: StoredRow | null): number {
  const last = before?.revision ?? Number(before?.theirs?.revision?.N ?? 0)
  return Number.isSafeInteger(last) && last > 0 ? last + 1 : 1
}

/** The first vector of a text is kept. */
function isOfText(stored: Row['embedding'] | undefined, model: string, embedding: Embedding | null): boolean {
  return stored?.model === model && stored.hash === embedding?.hash
}

function keyOfDocument(write: DocumentWrite): string {
  return write.kind === 'remove' ? write.key : documentKey(write.collection, write.document)
}

function partitionFor(
  row: Row,
  ...rest: [at: string, before: StoredRow | null, others: (id: string) => Row | undefined]
) {
  const { partition } = countedOf(row.memory)
  return isPublished(row, ...rest) ? partition : hiddenPartition(partition)
}

function isSamePlace({ row, place }: StoredRow, { memory }: Row, partition: string): boolean {
  return place.agentProjectKey === partition && row.memory.createdAt === memory.createdAt
}
