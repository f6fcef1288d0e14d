import { newRow } from '../engine/write.ts'
import type { Memory } from '../model/memory.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../model/records.ts'
import type { Write } from '../storage/commit.ts'
import { marksOf } from '../storage/decide.ts'
import type { StoredMemory } from '../storage/memory-query.ts'
import type { Storage } from '../storage/storage.ts'
import { dot } from '../vector/dot.ts'
import { catchUp, embeddingOf, type Move, sameButRecalls, wasDeletedSince } from './catch-up.ts'
import type { Difference, Leave } from './findings.ts'
import type { Repair } from './reconcile.ts'

/** The store merges sessions: it adds what it does not know yet. */
export function repairSessions({ target, attempt }: Move): Repair<Session> {
  return async (batch, leave) => {
    const writes = batch.map(({ item }): Write => ({ kind: 'session', session: item }))
    if ((await target.write(writes)) > 0) return
    const any = batch.map(({ item }) => ({ id: item.id }))
    const page = await attempt(() => target.storage.sessions({ any, after: null, limit: any.length }))
    const theirs = new Map(page.items.map((session) => [session.id, session]))
    for (const each of batch) leave(each, knowsMore(theirs.get(each.item.id), each.item) ? 'newer' : 'differs')
  }
}

function knowsMore(theirs: Session | undefined, { startedAt, ...own }: Session): boolean {
  if (theirs === undefined || theirs.startedAt > startedAt) return false
  return Object.entries(own).every(([name, value]) => value === null || theirs[name as keyof Session] === value)
}

export function repairEvents({ target }: Move): Repair<WorkflowEvent> {
  return async (batch, leave) => {
    await target.write(batch.map(({ item }): Write => ({ kind: 'event', event: item })))
    for (const each of batch) if (each.theirs.size > 0) leave(each, 'differs')
  }
}

export function repairMemories(move: Move, targetHasHistory: boolean): Repair<StoredMemory> {
  return async (batch, leave) => {
    const stored = await byId(
      move,
      move.target.storage,
      batch.map(({ item }) => item.memory.id),
    )
    const writes: Write[] = []
    for (const each of batch) {
      const { item } = each
      const theirs = stored.get(item.memory.id)
      if (theirs) writes.push(...(await repairMemory(move, each, theirs, leave)))
      else if (targetHasHistory && (await wasDeletedSince(move, item.memory))) leave(each, 'newer')
      else writes.push({ kind: 'insert', row: newRow(item.memory, embeddingOf(item)), imported: true })
    }
    await move.target.write(writes)
  }
}

async function repairMemory(
  move: Move,
  difference: Difference<StoredMemory>,
  theirs: StoredMemory,
  leave: Leave,
): Promise<Write[]> {
  const { memory } = difference.item
  if (theirs.memory.version > memory.version) {
    leave(difference, 'newer')
    return []
  }
  if (theirs.memory.version === memory.version) {
    if (!sameButRecalls(theirs.memory, memory)) {
      leave(difference, 'differs')
      return []
    }
    if (theirs.memory.recallCount >= memory.recallCount) return repairVector(difference, theirs, leave)
  }
  if ((await catchUpAnd(move, memory.id)) === 'apart') leave(difference, 'differs')
  return []
}

/** There is one vector per text and model, and the target keeps its own. */
function repairVector(difference: Difference<StoredMemory>, theirs: StoredMemory, leave: Leave): Write[] {
  const { id, version } = difference.item.memory
  const embedding = embeddingOf(difference.item)
  if (embedding && theirs.vector === null) return [{ kind: 'embed', id, version, embedding }]
  const isNear = !embedding || theirs.vector === null || dot(embedding.vector, theirs.vector) > 0.999
  leave(difference, isNear ? 'newer' : 'differs')
  return []
}

/** If the memory is being written to right now, the next round deals with it. */
async function catchUpAnd(move: Move, id: string) {
  const result = await catchUp(move, id)
  if (result === 'busy') move.target.lookAgain()
  return result
}

/**
 * A version already in the past of the target's memory is added to its history; a newer one is applied. So no memory is older
 * than its history.
 */
export function repairHistory(move: Move): Repair<Change> {
  return async (batch, leave) => {
    const stored = await byId(
      move,
      move.target.storage,
      batch.map(({ item }) => item.memory),
    )
    const behind = new Set<string>()
    const writes: Write[] = []
    for (const each of batch) {
      const { item } = each
      const version = stored.get(item.memory)?.memory.version ?? Infinity
      if (each.theirs.size > 0) leave(each, 'differs')
      else if (item.version > version) behind.add(item.memory)
      else writes.push(...marksOf(item), { kind: 'change', change: item })
    }
    await move.target.write(writes)
    for (const id of behind) {
      if ((await catchUpAnd(move, id)) !== 'apart') continue
      for (const each of batch) if (each.item.memory === id && each.theirs.size === 0) leave(each, 'differs')
    }
  }
}

/** The counters were copied with the memories. If the source has counted more since, its showings are counted in the target. */
export function repairInjections(move: Move): Repair<Injection> {
  return async (batch, leave) => {
    const ids = [...new Set(batch.map(({ item }) => item.memory))]
    const own = await byId(move, move.source, ids)
    const theirs = await byId(move, move.target.storage, ids)
    const waiting = new Set<string>()
    for (const id of ids) {
      if (!isBehind(theirs.get(id)?.memory, own.get(id)?.memory)) continue
      if ((await catchUpAnd(move, id)) === 'busy') waiting.add(id)
    }
    const writes = batch.filter(({ item }) => !waiting.has(item.memory))
    await move.target.write(writes.map(({ item }): Write => ({ kind: 'injection', injection: item, recall: false })))
    for (const each of batch) if (each.theirs.size > 0) leave(each, 'differs')
  }
}

/** Whether the source's memory changed since: updated, deleted or recalled. */
function isBehind(theirs: Memory | undefined, own: Memory | undefined): boolean {
  if (theirs === undefined) return false
  return own === undefined || own.version > theirs.version || own.recallCount > theirs.recallCount
}

async function byId({ attempt }: Move, storage: Storage, ids: readonly string[]): Promise<Map<string, StoredMemory>> {
  const found = await attempt(() => storage.get([...new Set(ids)]))
  return new Map(found.map((stored) => [stored.memory.id, stored]))
}
