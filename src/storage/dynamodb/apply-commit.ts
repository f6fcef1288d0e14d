import { MemoryError } from '../../model/errors.ts'
import type { Commit, CommitResult } from '../commit.ts'
import { decide } from '../decide.ts'
import { textOf } from './attributes.ts'
import { type Connection, pause } from './connection.ts'
import type { Partitions } from './partitions.ts'
import { nothingThere, readAnswer, readSnapshot } from './snapshot.ts'
import { Transaction } from './transaction.ts'
import { isTooLarge, throttled, tooLarge } from './translate-error.ts'

/** What DynamoDB takes in one transaction. */
const MOST_ITEMS = 100
/** Others may write the same items again and again; each time somebody gets through. */
const TRIES = 40

/**
 * Reads what the commit is about, decides, and writes it in one transaction that holds only if nothing of it changed meanwhile.
 * Otherwise all of it is done again, on what is there now. Memories that are new are first written as if nothing of them were there,
 * which the transaction checks.
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
      // The same commit may have been applied by another attempt while this one was reading.
      const answer = await readAnswer(connection, commit.key)
      return answer ? { applied: true, repeated: true, ...answer } : { applied: false, failures }
    }
    const transaction = new Transaction(connection, snapshot, commit, model, partitions.taken)
    const items = transaction.build(decision)
    if (items.length > MOST_ITEMS) throw tooMany(items.length)
    try {
      await connection.transact(items)
      partitions.follow(transaction)
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

/** Returns when trying again can help, and notes which memories found their place taken. */
function noteCollisions(error: unknown, transaction: Transaction, suspects: Set<string>): void {
  const cause = MemoryError.is(error) ? (error.cause as (Error & Cancelled) | undefined) : undefined
  if (cause?.name === 'TransactionInProgressException' || cause?.name === 'TransactionConflictException') return
  const reasons = cause?.CancellationReasons
  if (cause?.name !== 'TransactionCanceledException' || !reasons) throw error
  for (const [i, { Code: code = 'None', Message: message = '' }] of reasons.entries()) {
    if (code === 'ThrottlingError' || code === 'ProvisionedThroughputExceeded') throw throttled(cause)
    if (code === 'ItemCollectionSizeLimitExceeded' || isTooLarge(message)) throw tooLarge(cause)
    if (code === 'ValidationError') throw error
    const place = transaction.items[i]?.Put?.Item
    if (code !== 'ConditionalCheckFailed' || !place?.agentProjectKey || !place.visibleUntil) continue
    suspects.add(textOf(place, 'id')!)
  }
}

function tooMany(items: number): MemoryError {
  const text = `This commit needs ${items} items; a transaction of DynamoDB takes ${MOST_ITEMS}. Use fewer once-keys or scopes.`
  return new MemoryError('UNSUPPORTED', text, { details: { items, most: MOST_ITEMS } })
}
