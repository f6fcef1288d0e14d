import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryError } from '../../model/errors.ts'
import type { UpgradeOptions } from '../upkeep.ts'
import { buildIndex, type OnBuilding } from './build-index.ts'
import type { Queries, SqlClient } from './client.ts'
import { readAccess, restoreGrants } from './grants.ts'
import { createIndex, createSchema, LOCKS, ledger, readSchema, recordStep, writeCategories } from './migrate.ts'
import { PREVIOUS, type Step } from './steps.ts'
import { tendIndexes } from './vector-index.ts'

/** A step waits this long for a lock, so that statements behind it do not pile up, and then tries again. */
const LOCK_WAIT_MS = 2000
const MOST_ATTEMPTS = 300
/** PostgreSQL's code for a lock that was not available in time. */
const LOCKED = '55P03'
/** Memories that one transaction changes. */
const ROWS_AT_ONCE = 5000

/**
 * Applies the missing steps, each in its own transactions, while other programs use the store. It may be stopped or killed at any time, and then resumes.
 * Returns the names of the steps.
 */
export async function upgrade(client: SqlClient, exactUpTo: number, options: UpgradeOptions): Promise<string[]> {
  const { missing, isNew } = await readSchema(client)
  const names = missing.map(({ name }) => name)
  if (options.dryRun) return isNew ? names : [...names, ...(await tendIndexes(client, exactUpTo, options))]
  if (isNew) await createSchema(client)
  else {
    const access = await readAccess(client)
    await change(client, options, (queries) => queries.script(ledger('_expansions')))
    for (const step of missing) {
      options.signal.throwIfAborted()
      options.onProgress(step.name, 0, null)
      await apply(client, step, options)
    }
    await change(client, options, async (queries) => {
      await queries.query(
        `WITH known AS (DELETE FROM _expansions WHERE id <= $1 RETURNING id, name, checksum, applied_at)
         INSERT INTO _migrations (id, name, checksum, applied_at) SELECT * FROM known`,
        [PREVIOUS],
      )
      await writeCategories(queries)
      await restoreGrants(queries, access)
    })
  }
  return [...names, ...(await tendIndexes(client, exactUpTo, options))]
}

async function apply(client: SqlClient, step: Step, options: UpgradeOptions): Promise<void> {
  if (step.rows !== undefined) await changeRows(client, step, step.rows, options)
  if (step.index) {
    const name = building(step.index.name)
    const onProgress: OnBuilding = (done, total) => options.onProgress(step.name, done, total)
    const isBuilt = await buildIndex(client, name, createIndex({ ...step.index, name }, 'CONCURRENTLY'), {
      ...options,
      onProgress,
    })
    if (!isBuilt) throw underWay(step.index.name)
  }
  await change(client, options, async (queries) => {
    if (!(await readSchema(queries)).missing.some(({ id }) => id === step.id)) return
    if (step.sql !== undefined) await queries.script(step.sql)
    if (step.index) {
      const { name } = step.index
      await queries.script(`DROP INDEX IF EXISTS ${name}; ALTER INDEX ${building(name)} RENAME TO ${name}`)
    }
    await recordStep(queries, step)
  })
}

/** One transaction, alone among upgrades. Tries again while others hold the locks that it needs. */
async function change(
  client: SqlClient,
  { signal }: UpgradeOptions,
  work: (queries: Queries) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    try {
      return await client.transaction(async (queries) => {
        await queries.script(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`)
        await queries.query(`SELECT pg_advisory_xact_lock(${LOCKS.migrate})`)
        await work(queries)
      })
    } catch (error) {
      const isLocked = MemoryError.is(error) && error.details.sqlState === LOCKED
      if (!isLocked || attempt >= MOST_ATTEMPTS) throw error
      await sleep(LOCK_WAIT_MS / 2 + (Math.random() * LOCK_WAIT_MS) / 2, undefined, { signal })
    }
  }
}

async function changeRows(client: SqlClient, step: Step, sql: string, options: UpgradeOptions): Promise<void> {
  const [row] = await client.query<{ last: number }>('SELECT coalesce(max(id), 0)::float8 AS last FROM memories')
  const last = row!.last
  for (let first = 1; first <= last; first += ROWS_AT_ONCE) {
    const bounds = `AND id BETWEEN ${first} AND ${first + ROWS_AT_ONCE - 1}`
    await change(client, options, (queries) => queries.script(`${sql} ${bounds}`))
    options.onProgress(step.name, Math.min(last, first + ROWS_AT_ONCE - 1), last)
  }
}

function building(name: string): string {
  return `${name}_building`
}

function underWay(name: string): MemoryError {
  return new MemoryError('CONFLICT', `Another upgrade is building the index ${name}. Try again when it is done.`)
}
