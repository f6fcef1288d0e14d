import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryError } from '../../model/errors.ts'
import type { Commit, CommitResult } from '../commit.ts'
import type { Queries, SqlClient } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { Decision } from './decide.ts'
import { storedKey } from './keys.ts'
import { loadState } from './load-state.ts'
import { LOCKS } from './migrate.ts'
import { isCollision } from './translate-error.ts'
import { writeMemories } from './write-memory.ts'
import { writeDocuments, writeRecords } from './write-records.ts'

/** Commits that are remembered by their key; attempts that came to nothing take up numbers too. */
const REMEMBERED_COMMITS = 100_000
/** How often the oldest are removed. */
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

/** Undoes the transaction: what was decided is no longer true. */
class Overtaken extends Error {}

/** Applies all writes or none. What collides with another commit is decided anew. */
export async function applyCommit(
  client: SqlClient,
  model: CurrentModel,
  scopes: Map<string, number>,
  commit: Commit,
): Promise<CommitResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.transaction((queries) => attemptCommit(queries, model, scopes, commit))
    } catch (error) {
      if (error instanceof Refused) return { applied: false, failures: error.failures }
      const collided = error instanceof Overtaken || isCollision(error)
      if (!collided) throw error
      if (attempt >= MOST_ATTEMPTS)
        throw new MemoryError('PROVIDER_ERROR', 'Other commits keep changing the same rows.', { cause: error })
      await sleep(Math.random() * LONGEST_WAIT_MS)
    }
  }
}

async function attemptCommit(
  queries: Queries,
  model: CurrentModel,
  scopes: Map<string, number>,
  commit: Commit,
): Promise<CommitResult> {
  const key = storedKey(commit.key)
  // The key comes first: a second attempt with it waits here for the first to end.
  const [own] = await queries.query<{ id: number }>(
    `WITH shared AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${LOCKS.purge}))
     INSERT INTO commit_keys (key, note) SELECT $1, $2 FROM shared ON CONFLICT DO NOTHING RETURNING id::float8 AS id`,
    [key, commit.note ?? null],
  )
  if (!own) return repeated(queries, key)
  const decision = new Decision(commit, await loadState(queries, commit.writes, scopes), model.id)
  if (decision.failures.length > 0) throw new Refused(decision.failures)
  if (!(await writeMemories(queries, model, decision))) throw new Overtaken()
  const changed = decision.changed + (await writeDocuments(queries, decision))
  if (!(await writeRecords(queries, decision, { key, changed }))) throw new Overtaken()
  if (own.id % FORGET_EVERY === 0) await forget(queries, own.id - REMEMBERED_COMMITS)
  return { applied: true, repeated: false, changed, note: commit.note ?? null }
}

async function repeated(queries: Queries, key: string): Promise<CommitResult> {
  const [before] = await queries.query<{ changed: number; note: string | null }>(
    'SELECT changed, note FROM commit_keys WHERE key = $1',
    [key],
  )
  // Forgotten in this very moment.
  if (!before) throw new Overtaken()
  return { applied: true, repeated: true, changed: before.changed, note: before.note }
}

async function forget(queries: Queries, until: number): Promise<void> {
  await queries.query(
    `DELETE FROM commit_keys WHERE id IN (
       SELECT id FROM commit_keys WHERE id <= $1::float8::bigint ORDER BY id FOR UPDATE SKIP LOCKED)`,
    [until],
  )
}
