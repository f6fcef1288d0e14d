import type { Injection, Session, WorkflowEvent } from '../../model/records.ts'
import type { PruneReport, PruneTimes } from '../upkeep.ts'
import { textOf, toItem } from './attributes.ts'
import { mapBounded } from './bounded.ts'
import { type Connection, pause } from './connection.ts'
import { Counting } from './counters.ts'
import { recordOf, revisionOf } from './record-items.ts'
import { readSegments } from './segments.ts'

const AT_ONCE = 8

/** Scans the tables page by page. Sessions go last, so that a prune that was interrupted can be repeated. */
export async function prune(connection: Connection, before: PruneTimes, dryRun: boolean): Promise<PruneReport> {
  const old = before.sessions === null ? new Map<string, number>() : await oldSessions(connection, before.sessions)
  const clear = async (table: 'agent-events' | 'agent-injections', limit: string | null) => {
    let removed = 0
    if (limit === null && old.size === 0) return removed
    for await (const { items } of readSegments(connection, table)) {
      const gone = items
        .map((item) => recordOf<WorkflowEvent | Injection>(item))
        .filter(({ at, session }) => (limit !== null && at < limit) || (session !== null && old.has(session)))
      const keys = gone.map(({ id }) => ({ id }))
      if (!dryRun) await connection.remove(table, keys)
      removed += keys.length
    }
    return removed
  }
  const events = await clear('agent-events', before.events)
  const showings = await clear('agent-injections', before.showings)
  if (dryRun) return { sessions: old.size, events, showings }
  const removed = await mapBounded([...old], AT_ONCE, ([id, revision]) => removeSession(connection, id, revision))
  return { sessions: removed.filter(Boolean).length, events, showings }
}

/** By id, with their revision. */
async function oldSessions(connection: Connection, before: string): Promise<Map<string, number>> {
  const old = new Map<string, number>()
  for await (const { items } of readSegments(connection, 'agent-sessions')) {
    for (const item of items) {
      if (recordOf<Session>(item).startedAt < before) old.set(textOf(item, 'id')!, revisionOf(item))
    }
  }
  return old
}

/** With its count, in one transaction. False if it has changed since it was read: it stays until the next prune. */
async function removeSession(connection: Connection, id: string, revision: number): Promise<boolean> {
  const counting = new Counting()
  counting.add('sessions', -1)
  const removal = {
    Delete: {
      TableName: connection.table('agent-sessions'),
      Key: toItem({ id }),
      ConditionExpression: 'revision = :revision',
      ExpressionAttributeValues: toItem({ ':revision': revision }),
    },
  }
  for (let attempt = 0; ; attempt++) {
    await pause(attempt)
    try {
      await connection.transact([removal, ...counting.updates(connection, new Map(), Date.now())])
      return true
    } catch (error) {
      const reasons = (error as { cause?: { CancellationReasons?: { Code?: string }[] } }).cause?.CancellationReasons
      if (reasons?.[0]?.Code === 'ConditionalCheckFailed') return false
      if (!reasons?.some(({ Code }) => Code === 'TransactionConflict')) throw error
    }
  }
}
