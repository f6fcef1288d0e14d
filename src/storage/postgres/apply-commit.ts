import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryError } from '../../model/errors.ts'
import { scopeOf } from '../../model/layer.ts'
import type { Commit, CommitResult } from '../commit.ts'
import { type Decision, decide, touchedBy } from '../decide.ts'
import type { Queries, SqlClient, Transaction } from './client.ts'
import { countsOf } from './counts.ts'
import type { CurrentModel } from './current-model.ts'
import { storedKey } from './keys.ts'
import { type KnownRows, readKnown, toKnown } from './known.ts'
import { scopeKeys } from './scopes.ts'
import { isCollision } from './translate-error.ts'
import { writeMemories } from './write-memory.ts'
import { writeRecords, writeSessions } from './write-records.ts'

/** The number of commit keys to remember; failed attempts use up numbers too. */
const REMEMBERED_COMMITS = 100_000
/** One in this many commits removes the oldest keys. */
const FORGET_EVERY = 256
const MOST_ATTEMPTS = 8
const LONGEST_WAIT_MS = 40

/** Applies all writes or none. Starts over after a conflict with another commit. */
export async function applyCommit(
  client: SqlClient,
  model: CurrentModel,
  scopes: Map<string, number>,
  commit: Commit,
): Promise<CommitResult> {
  const key = storedKey(commit.key)
  const touched = touchedBy(commit.writes)
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await client.transaction(
        async (transaction, [read]): Promise<CommitResult> => {
          const { before, ...known } = await toKnown(transaction, touched, read)
          if (before !== null) return { applied: true, repeated: true, ...before }
          const decision = decide(commit, known)
          const { failures, changed, note } = decision
          if (failures.length > 0) return { applied: false, failures }
          await write(transaction, model, scopes, { key, decision, known })
          return { applied: true, repeated: false, changed, note }
        },
        readKnown(key, touched),
      )
      // The conflict may be with the same commit, applied by a faster attempt.
      return result.applied ? result : ((await findApplied(client, key)) ?? result)
    } catch (error) {
      if (!isCollision(error)) throw error
      if (attempt >= MOST_ATTEMPTS)
        throw new MemoryError('PROVIDER_ERROR', 'Other commits keep changing the same rows.', { cause: error })
      await sleep(Math.random() * LONGEST_WAIT_MS)
    }
  }
}

/** The read was sent with BEGIN; all writes are sent together with COMMIT. */
async function write(
  transaction: Transaction,
  model: CurrentModel,
  known: Map<string, number>,
  commit: { key: string; decision: Decision; known: KnownRows },
): Promise<void> {
  const { key, decision } = commit
  const rows = decision.memories.flatMap((each) => ('row' in each ? [each.row.memory] : []))
  const wanted = rows.map(({ layer, identifiers }) => scopeOf(layer, identifiers))
  const scopes = await scopeKeys(transaction, wanted, known)
  const counts = countsOf(decision, commit.known, scopes, model.id)
  await Promise.all([
    // With the key first: a concurrent attempt with the same key waits here for this one to end.
    ...writeRecords(transaction, decision, key, counts),
    ...writeSessions(transaction, decision, commit.known),
    ...writeMemories(transaction, model, decision, scopes),
    ...(Math.random() * FORGET_EVERY < 1 ? [transaction.query(FORGET)] : []),
    transaction.commit(),
  ])
}

async function findApplied(queries: Queries, key: string): Promise<CommitResult | null> {
  const [before] = await queries.query<{ changed: number; note: string | null }>(
    'SELECT changed, note FROM commit_keys WHERE key = $1',
    [key],
  )
  return before ? { applied: true, repeated: true, ...before } : null
}

const FORGET = `DELETE FROM commit_keys WHERE id IN (SELECT id FROM commit_keys
  WHERE id <= (SELECT max(id) FROM commit_keys) - ${REMEMBERED_COMMITS} ORDER BY id FOR UPDATE SKIP LOCKED)`
