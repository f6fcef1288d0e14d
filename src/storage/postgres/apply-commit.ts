import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryError } from '../../model/errors.ts'
import type { Commit, CommitResult } from '../commit.ts'
import type { Queries, SqlClient, Transaction } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { Decision } from './decide.ts'
import { storedKey } from './keys.ts'
import { completeState, readKnown, type State, toKnown, wantedBy } from './load-state.ts'
import { isCollision } from './translate-error.ts'
import { writeMemories } from './write-memory.ts'
import { writeDocuments, writeRecords } from './write-records.ts'

/** Commits that are remembered by their key; attempts that came to nothing take up numbers too. */
const REMEMBERED_COMMITS = 100_000
/** One commit in so many removes the oldest. */
const FORGET_EVERY = 256
const MOST_ATTEMPTS = 8
const LONGEST_WAIT_MS = 40

/** Undoes the transaction: a write cannot be applied. */
class Refused extends Error {
  readonly failures: Decision['failures']

  constructor(failures: Decision['failures']) {
    super('A commit could not be applied.')
    this.failures = failures
  }
}

/** Applies all writes or none. What collides with another commit is decided anew. */
export async function applyCommit(
  client: SqlClient,
  model: CurrentModel,
  scopes: Map<string, number>,
  commit: Commit,
): Promise<CommitResult> {
  const key = storedKey(commit.key)
  const wanted = wantedBy(commit.writes)
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.transaction(
        async (transaction, [read]) => {
          const { before, ...known } = toKnown(read)
          if (before !== null) return { applied: true, repeated: true, ...before }
          const state = await completeState(transaction, wanted, known, scopes)
          return attemptCommit(transaction, model, { commit, key, state })
        },
        readKnown(key, wanted),
      )
    } catch (error) {
      if (error instanceof Refused)
        return (await findApplied(client, key)) ?? { applied: false, failures: error.failures }
      if (!isCollision(error)) throw error
      if (attempt >= MOST_ATTEMPTS)
        throw new MemoryError('PROVIDER_ERROR', 'Other commits keep changing the same rows.', { cause: error })
      await sleep(Math.random() * LONGEST_WAIT_MS)
    }
  }
}

/** What was read came with the beginning; everything that is written travels together with the end. */
async function attemptCommit(
  transaction: Transaction,
  model: CurrentModel,
  { commit, key, state }: { commit: Commit; key: string; state: State },
): Promise<CommitResult> {
  const decision = new Decision(commit, state, model.id)
  if (decision.failures.length > 0) throw new Refused(decision.failures)
  const changed = decision.changed + (await writeDocuments(transaction, decision))
  const note = commit.note ?? null
  await Promise.all([
    // The key goes first: another attempt with it waits here for this one to end.
    transaction.query('INSERT INTO commit_keys (key, changed, note) VALUES ($1, $2, $3)', [key, changed, note]),
    ...writeMemories(transaction, model, decision),
    ...writeRecords(transaction, decision),
    ...(Math.random() * FORGET_EVERY < 1 ? [transaction.query(FORGET)] : []),
    transaction.commit(),
  ])
  return { applied: true, repeated: false, changed, note }
}

/** What stands in the way of a commit may be the same commit, applied by a quicker attempt. */
async function findApplied(queries: Queries, key: string): Promise<CommitResult | null> {
  const [before] = await queries.query<{ changed: number; note: string | null }>(
    'SELECT changed, note FROM commit_keys WHERE key = $1',
    [key],
  )
  return before ? { applied: true, repeated: true, ...before } : null
}

const FORGET = `DELETE FROM commit_keys WHERE id IN (SELECT id FROM commit_keys
  WHERE id <= (SELECT max(id) FROM commit_keys) - ${REMEMBERED_COMMITS} ORDER BY id FOR UPDATE SKIP LOCKED)`
