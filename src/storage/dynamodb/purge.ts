import type { PurgeReport } from '../upkeep.ts'
import { type Item, numberOf, textOf, toItem } from './attributes.ts'
import { type Connection, pause } from './connection.ts'
import { Counting } from './counters.ts'
import { distinctRows } from './distinct.ts'
import { asRead, keyIs } from './item-conditions.ts'
import type { Lanes } from './lanes.ts'
import { countedRow, readItems, type StoredRow, textKey } from './memory-item.ts'
import { uniqueKey } from './scope-key.ts'

/** Another writer took the lane, or is writing there. */
const PASSING = new Set(['TransactionConflict', 'ConditionalCheckFailed'])
const REMAINS =
  'Point-in-time recovery and backups of the tables, where they are on, keep what was removed for up to 35 days. ' +
  'Copies of scopes on the disks of other machines keep it until they next read the scope, or for up to 30 days.'

/**
 * Deletes memories that have been inactive or deleted since before this time, with everything that refers to them.
 * Reads the whole store.
 */
export async function purge(
  connection: Connection,
  lanes: Lanes,
  before: string,
  dryRun: boolean,
): Promise<PurgeReport> {
  const rows = distinctRows(readItems(await connection.scan('agent-memories'), connection.model))
  const changes = (await connection.scan('agent-memory-changes')).map((item) => ({
    memory: textOf(item, 'memory')!,
    version: numberOf(item, 'version')!,
    at: textOf(item, 'at')!,
  }))
  const last = new Map<string, string>()
  for (const { memory, at } of changes) if (at > (last.get(memory) ?? '')) last.set(memory, at)
  // An imported memory may have no history, so its own time is used.
  for (const { row } of rows) if (!last.has(row.memory.id)) last.set(row.memory.id, row.memory.updatedAt)
  const active = new Set(rows.flatMap(({ row }) => (row.memory.active ? [row.memory.id] : [])))
  const gone = new Set([...last].flatMap(([id, at]) => (at < before && !active.has(id) ? [id] : [])))

  const goneRows = rows.filter(({ row }) => gone.has(row.memory.id))
  const goneChanges = changes.filter(({ memory }) => gone.has(memory))
  const keys = await connection.scan('agent-memory-keys', {
    ProjectionExpression: '#k, memory, #t',
    ExpressionAttributeNames: { '#k': 'key', '#t': 'text' },
  })
  const vectors = unused(rows, gone, keys)
  const report = {
    memories: goneRows.length,
    changes: goneChanges.length,
    vectors: vectors.size,
    erased: false,
    remains: REMAINS,
  }
  if (dryRun) return report
  for (const stored of goneRows) await removeMemory(connection, lanes, stored)
  await connection.remove(
    'agent-memory-changes',
    goneChanges.map(({ memory, version }) => ({ memory, version })),
  )
  const goneKeys = keys.filter(
    (item) => gone.has(textOf(item, 'memory') ?? '') || vectors.has(textOf(item, 'text') ?? ''),
  )
  await connection.remove(
    'agent-memory-keys',
    goneKeys.map((item) => ({ key: textOf(item, 'key')! })),
  )
  await removeShowings(connection, gone)
  return report
}

/** Hashes of texts whose vector no memory uses any more: from the purged memories, or left over from before. */
function unused(rows: readonly StoredRow[], gone: ReadonlySet<string>, keys: readonly Item[]): Set<string> {
  const staying = new Set<string>()
  const going = new Set(keys.flatMap((item) => textOf(item, 'text') ?? []))
  for (const { row } of rows) {
    if (row.embedding) (gone.has(row.memory.id) ? going : staying).add(textKey(row.embedding))
  }
  return going.difference(staying)
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

async function removeShowings(connection: Connection, gone: ReadonlySet<string>): Promise<void> {
  for (const memory of gone) {
    const shown = await connection.query('agent-injections', { IndexName: 'memory-index', ...keyIs('memory', memory) })
    await connection.remove(
      'agent-injections',
      shown.map((item) => ({ id: textOf(item, 'id')! })),
    )
  }
}
