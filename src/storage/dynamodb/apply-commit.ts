import { MemoryError } from '../../model/errors.ts'
import type { Commit, CommitResult } from '../commit.ts'
import { decide } from '../decide.ts'
import { textOf } from './attributes.ts'
import { type Connection, pause } from './connection.ts'
import type { Partitions } from './partitions.ts'
import { nothingThere, readAnswer, readSnapshot } from './snapshot.ts'
import { Transaction } from './transaction.ts'
import { isTooLarge, throttled, tooLarge } from './translate-error.ts'

/** DynamoDB's limit for one transaction. */
const MOST_ITEMS = 100
/** Several writers may contend for the same items; each round, one of them succeeds. */
const TRIES = 40

/**
 * Reads the state the commit depends on, decides, and writes in one transaction conditional on that state. On a
 * conflict it starts over with the new state. New memories are first written as if they did not exist, which the
 * transaction checks.
 */
export async function applyCommit(
  connection: Connection,
  commit: Commit,
  model: string,
  partitions: Partitions,
): Promise<CommitResult> {
  const suspects = new Set<string>()
  for (let attempt = 0; ; attempt++) {
    await pause(Math.min(attempt, 5))
    const isHopeful = attempt === 0 && commit.writes.every(({ kind }) => kind === 'insert')
    const [snapshot] = await Promise.all([
      isHopeful ? nothingThere() : readSnapshot(connection, commit, suspects),
      partitions.lists.enter(commit),
    ])
    if (snapshot.answer) return { applied: true, repeated: true, ...snapshot.answer }
    const decision = decide(commit, snapshot.known)
    const { failures, changed, note } = decision
    if (failures.length > 0 && isHopeful) continue
    if (failures.length > 0) {
      // Another attempt may have applied the same commit while this one was reading.
      const answer = await readAnswer(connection, commit.key)
      return answer ? { applied: true, repeated: true, ...answer } : { applied: false, failures }
    }
    const transaction = new Transaction(connection, snapshot, commit, model, partitions.taken)
    transaction.build(decision)
    const lanes = await partitions.lanes.take(transaction.counting.partitions)
    const items = transaction.complete(lanes)
    if (items.length > MOST_ITEMS) throw tooMany(items.length)
    try {
      await connection.transact(items)
      partitions.lanes.keep(lanes)
      partitions.follow(transaction, lanes)
      return { applied: true, repeated: false, changed, note }
    } catch (error) {
      noteCollisions(error, transaction, suspects)
      if (attempt >= TRIES) throw throttled(error)
    }
  }
}

interface Cancelled {
  CancellationReasons?: { Code?: string; Message?: string }[]
}

/** Throws if a retry cannot help. Notes which memories collided with an existing item, or with their own history. */
function noteCollisions(error: unknown, transaction: Transaction, suspects: Set<string>): void {
  const cause = MemoryError.is(error) ? (error.cause as (Error & Cancelled) | undefined) : undefined
  if (cause?.name === 'TransactionInProgressException' || cause?.name === 'TransactionConflictException') return
  const reasons = cause?.CancellationReasons
  if (cause?.name !== 'TransactionCanceledException' || !reasons) throw error
  for (const [i, { Code: code = 'None', Message: message = '' }] of reasons.entries()) {
    if (code === 'ThrottlingError' || code === 'ProvisionedThroughputExceeded') throw throttled(cause)
    if (code === 'ItemCollectionSizeLimitExceeded' || isTooLarge(message)) throw tooLarge(cause)
    if (code === 'ValidationError') throw error
    const put = transaction.items[i]?.Put?.Item
    if (code !== 'ConditionalCheckFailed' || !put) continue
    if (put.agentProjectKey && put.visibleUntil) suspects.add(textOf(put, 'id')!)
    if (put.memory && put.version) suspects.add(textOf(put, 'memory')!)
  }
}

function tooMany(items: number): MemoryError {
  const text = `This commit needs ${items} items; a transaction of DynamoDB takes ${MOST_ITEMS}. Use fewer once-keys or scopes.`
  return new MemoryError('UNSUPPORTED', text, { details: { items, most: MOST_ITEMS } })
}
