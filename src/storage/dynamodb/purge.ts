import type { PurgeReport } from '../upkeep.ts'
import { numberOf, textOf, toItem } from './attributes.ts'
import { mapBounded } from './bounded.ts'
import { type Connection, pause } from './connection.ts'
import { Counting } from './counters.ts'
import { renamedRow } from './distinct.ts'
import { Fingerprints } from './fingerprints.ts'
import { asRead, keyIs } from './item-conditions.ts'
import type { Lanes } from './lanes.ts'
import { locate } from './locate.ts'
import { countedRow, readItems, type StoredRow, textKey } from './memory-item.ts'
import { idOfPlace, isSamePlace, nameOfPlace } from './place.ts'
import { uniqueKey } from './scope-key.ts'
import { readSegments } from './segments.ts'
import type { Vectors } from './vectors.ts'

const AT_ONCE = 8
/** Another writer took the lane, or is writing there. */
const PASSING = new Set(['TransactionConflict', 'ConditionalCheckFailed'])
const REMAINS =
  'Point-in-time recovery and backups of the tables, where they are on, keep what was removed for up to 35 days. ' +
  'Copies of scopes on the disks of other machines keep it until they next read the scope, or for up to 30 days.'

/**
 * Deletes memories that have been inactive or deleted since before this time, with everything that refers to them.
 * Reads the whole store page by page. What it remembers is a few bytes of each memory, and the ids of what is removed.
 */
export async function purge(
  connection: Connection,
  lanes: Lanes,
  before: string,
  dryRun: boolean,
  vectorsOutside: Vectors,
): Promise<PurgeReport> {
  const [there, used, gone, texts] = [new Fingerprints(), new Fingerprints(), new Set<string>(), new Set<string>()]
  let memories = 0
  for await (const { items } of readSegments(connection, 'agent-memories')) {
    const rows = readItems(items, connection.model)
    const old = await oldRows(connection, rows, before)
    const places = new Set(old.map(({ place }) => nameOfPlace(place)))
    for (const { row, place } of rows) {
      if (places.has(nameOfPlace(place))) continue
      there.add(row.memory.id)
      there.add(idOfPlace(place) ?? '')
      if (row.embedding) used.add(textKey(row.embedding))
    }
    for (const stored of old) {
      gone.add(stored.row.memory.id)
      if (stored.row.embedding) texts.add(textKey(stored.row.embedding))
      if (!dryRun) await removeMemory(connection, lanes, stored)
    }
    if (!dryRun) await vectorsOutside.remove(old.map(({ place }) => place))
    memories += old.length
  }
  const changes = await purgeChanges(connection, { before, dryRun, gone, there })
  const vectors = await purgeKeys(connection, { dryRun, gone, used, texts })
  if (!dryRun) await mapBounded([...gone], AT_ONCE, (memory) => removeShowings(connection, memory))
  return { memories, changes, vectors, erased: false, remains: REMAINS }
}

/** Those that have been inactive since before this time, under the ids that the store knows them by. */
async function oldRows(connection: Connection, rows: readonly StoredRow[], before: string): Promise<StoredRow[]> {
  const idle = rows.filter(({ row: { memory } }) => !memory.active && memory.updatedAt < before)
  const holders = await locate(
    connection,
    idle.map(({ row }) => row.memory.id),
  )
  const named = idle.flatMap((stored) => {
    const holder = holders.get(stored.row.memory.id)
    if (holder && isSamePlace(holder.place, stored.place)) return holder.row.memory.active ? [] : [holder]
    const id = stored.revision === null ? idOfPlace(stored.place) : null
    return id === null ? [] : [renamedRow(stored, id)]
  })
  const last = await mapBounded(named, AT_ONCE, async ({ row: { memory } }) => {
    const key = keyIs('memory', memory.id)
    const names = { ...key.ExpressionAttributeNames, '#a': 'at' }
    const times = { ...key, ProjectionExpression: '#a', ExpressionAttributeNames: names }
    const changes = await connection.query('agent-memory-changes', times)
    // An imported memory may have no history, so its own time is used.
    return changes.length === 0
      ? memory.updatedAt
      : changes
          .map((change) => textOf(change, 'at')!)
          .sort()
          .at(-1)!
  })
  return named.filter((_, i) => last[i]! < before)
}

/** The history of one memory. */
interface History {
  memory: string
  versions: number[]
  last: string
}

/** Adds to `gone` the memories that are only history, when all of it is old. Returns how many changes are removed. */
async function purgeChanges(
  connection: Connection,
  { before, dryRun, gone, there }: { before: string; dryRun: boolean; gone: Set<string>; there: Fingerprints },
): Promise<number> {
  let removed = 0
  const remove = async (histories: readonly History[]) => {
    const lost = histories.filter(({ memory, last }) => last < before && !gone.has(memory) && !there.has(memory))
    const ids = lost.map(({ memory }) => memory)
    // It may have been stored since.
    const found = await locate(connection, ids)
    for (const id of ids) if (!found.has(id)) gone.add(id)
    const keys = histories.flatMap(({ memory, versions }) =>
      gone.has(memory) ? versions.map((version) => ({ memory, version })) : [],
    )
    removed += keys.length
    if (!dryRun) await connection.remove('agent-memory-changes', keys)
  }
  const read = new Map<number, History>()
  let ended: History[] = []
  for await (const { segment, items } of readSegments(connection, 'agent-memory-changes', ONLY_TIMES)) {
    for (const item of items) {
      const [memory, version, at] = [textOf(item, 'memory')!, numberOf(item, 'version')!, textOf(item, 'at')!]
      const history = read.get(segment)
      if (history?.memory === memory) {
        history.versions.push(version)
        if (at > history.last) history.last = at
        continue
      }
      if (history) ended.push(history)
      read.set(segment, { memory, versions: [version], last: at })
    }
    await remove(ended)
    ended = []
  }
  await remove([...read.values()])
  return removed
}

const ONLY_TIMES = {
  ProjectionExpression: 'memory, #v, #a',
  ExpressionAttributeNames: { '#v': 'version', '#a': 'at' },
}

/** Removes keys of memories that are gone, and vectors of texts that no memory uses. Returns how many vectors. */
async function purgeKeys(
  connection: Connection,
  { dryRun, gone, used, texts }: { dryRun: boolean; gone: Set<string>; used: Fingerprints; texts: Set<string> },
): Promise<number> {
  let vectors = 0
  const names = { ProjectionExpression: '#k, memory, #t', ExpressionAttributeNames: { '#k': 'key', '#t': 'text' } }
  for await (const { items } of readSegments(connection, 'agent-memory-keys', names)) {
    const keys = items.flatMap((item) => {
      const text = textOf(item, 'text')
      const isUnused = text !== undefined && !used.has(text)
      if (isUnused) vectors++
      if (isUnused) texts.delete(text)
      return isUnused || gone.has(textOf(item, 'memory') ?? '') ? [{ key: textOf(item, 'key')! }] : []
    })
    if (!dryRun) await connection.remove('agent-memory-keys', keys)
  }
  // Texts of removed memories whose own vector has expired before.
  return vectors + [...texts].filter((text) => !used.has(text)).length
}

/** Removes the memory and its counts in one transaction. A memory that changed in the meantime is kept. */
async function removeMemory(connection: Connection, lanes: Lanes, stored: StoredRow): Promise<void> {
  const { row, place } = stored
  const counted = countedRow(stored)
  const counting = new Counting()
  if (counted) counting.row(counted, -1)
  counting.write(row, place)
  const removal = [
    { Delete: { TableName: connection.table('agent-memories'), Key: toItem({ ...place }), ...asRead(stored) } },
    {
      Delete: {
        TableName: connection.table('agent-memory-keys'),
        Key: toItem({ key: uniqueKey('id', row.memory.id) }),
      },
    },
  ]
  for (let attempt = 0; ; attempt++) {
    await pause(attempt)
    const taken = await lanes.take(counting.partitions)
    try {
      await connection.transact([...removal, ...counting.updates(connection, taken, Date.now())])
      return lanes.keep(taken)
    } catch (error) {
      const reasons = (error as { cause?: { CancellationReasons?: { Code?: string }[] } }).cause?.CancellationReasons
      const isPassing = reasons?.some(({ Code: code = '' }, i) =>
        i < removal.length ? code === 'TransactionConflict' : PASSING.has(code),
      )
      if (!isPassing) throw error
    }
  }
}

async function removeShowings(connection: Connection, memory: string): Promise<void> {
  const shown = await connection.query('agent-injections', { IndexName: 'memory-index', ...keyIs('memory', memory) })
  await connection.remove(
    'agent-injections',
    shown.map((item) => ({ id: textOf(item, 'id')! })),
  )
}
