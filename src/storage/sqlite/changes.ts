import type { Page } from '../../model/page.ts'
import type { Change } from '../../model/records.ts'
import type { ChangeQuery } from '../record-query.ts'
import type { Connection } from './connection.ts'
import { decodePosition, encodePosition, toPage } from './position.ts'
import { type MemoryRow, SELECT_MEMORY, toMemory, toPastMemory } from './row.ts'

interface ChangeRow {
  seq: number
  memory: string
  version: number
  operation: Change['operation']
  at: string
  by: string
  after: string | null
  recall_count: number
  last_recalled_at: string | null
}

/** Of one memory by version, of the whole store in the order in which it was written down. */
export function listChanges(connection: Connection, { memory, after, limit }: ChangeQuery): Page<Change> {
  const list = memory === null ? 'changes' : 'history'
  const column = memory === null ? 'seq' : 'version'
  const [behind = 0] = decodePosition(list, ['number'], after) ?? []
  const rows = connection.all<ChangeRow>(
    `SELECT seq, memory, version, operation, at, by, after, recall_count, last_recalled_at FROM changes
     WHERE ${memory === null ? '' : 'memory = ? AND '}${column} > ? ORDER BY ${column} LIMIT ?`,
    ...(memory === null ? [] : [memory]),
    behind,
    limit + 1,
  )
  const current = readCurrent(
    connection,
    rows.slice(0, limit).filter((row) => row.after === null && row.operation !== 'delete'),
  )
  return connection.guard(() =>
    toPage(
      rows,
      limit,
      (row) => toChange(row, current.get(row.memory)),
      (row) => encodePosition(list, [row[column]]),
    ),
  )
}

/** The memories whose newest change is among these: they are what it left. */
function readCurrent(connection: Connection, rows: readonly ChangeRow[]): Map<string, MemoryRow> {
  if (rows.length === 0) return new Map()
  const memories = connection.all<MemoryRow>(
    `SELECT ${SELECT_MEMORY} FROM memories m WHERE m.ulid IN (SELECT value FROM json_each(?))`,
    JSON.stringify(rows.map((row) => row.memory)),
  )
  return new Map(memories.map((memory) => [memory.ulid, memory]))
}

function toChange(row: ChangeRow, current: MemoryRow | undefined): Change {
  const { memory, version, operation, at, by } = row
  return { memory, version, operation, at, by, after: operation === 'delete' ? null : stateAfter(row, current) }
}

/** As the change left it: what was recalled since is not part of it. */
function stateAfter(
  { memory, version, after, recall_count, last_recalled_at }: ChangeRow,
  current: MemoryRow | undefined,
) {
  if (after !== null) return toPastMemory(after)
  if (current?.version !== version) throw new RangeError(`the state of ${memory} at version ${version} is lost`)
  return toMemory({ ...current, recall_count, last_recalled_at })
}
