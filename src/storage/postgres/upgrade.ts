import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryError } from '../../model/errors.ts'
import type { UpgradeOptions } from '../upkeep.ts'
import type { Queries, SqlClient } from './client.ts'
import { readAccess, restoreGrants } from './grants.ts'
import { createIndex, createSchema, LOCKS, ledger, readSchema, recordStep, writeCategories } from './migrate.ts'
import { PREVIOUS, type Step } from './steps.ts'

/** A step waits this long for a lock, so that statements behind it do not pile up, and then tries again. */
const LOCK_WAIT_MS = 2000
const MOST_ATTEMPTS = 300
/** PostgreSQL's code for a lock that was not available in time. */
const LOCKED = '55P03'
/** Memories that one transaction changes. */
const ROWS_AT_ONCE = 5000
const LOOK_EVERY_MS = 1000

/**
 * Applies the missing steps, each in its own transactions, while other programs use the store. It may be stopped or killed at any time, and then resumes.
 * Returns the names of the steps.
 */
export async function upgrade(client: SqlClient, options: UpgradeOptions): Promise<string[]> {
  const { missing, isNew } = await readSchema(client)
  const names = missing.map(({ name }) => name)
  if (options.dryRun) return names
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
  return names
}

async function apply(client: SqlClient, step: Step, options: UpgradeOptions): Promise<void> {
  if (step.rows !== undefined) await changeRows(client, step, step.rows, options)
  if (step.index) await buildIndex(client, step, step.index, options)
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

interface Building {
  valid: boolean
  pid: number | null
  done: number
  total: number
}

/** Builds it beside the old one without blocking writes. Removes the remains of a stopped build. */
async function buildIndex(
  client: SqlClient,
  step: Step,
  index: NonNullable<Step['index']>,
  { signal, onProgress }: UpgradeOptions,
): Promise<void> {
  const name = building(index.name)
  const look = async () => (await client.query<Building>(BUILDING, [name]))[0]
  const left = await look()
  if (left?.valid) return
  if (left?.pid) {
    throw new MemoryError('CONFLICT', `Another upgrade is building the index ${index.name}. Try again when it is done.`)
  }
  if (left) await client.script(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
  const build = client.script(createIndex({ ...index, name }, 'CONCURRENTLY'))
  let isDone = false
  const watching = (async () => {
    while (!isDone) {
      await sleep(LOOK_EVERY_MS, undefined, { ref: false })
      const state = isDone ? undefined : await look().catch(() => undefined)
      if (!state) continue
      onProgress(step.name, state.done, state.total)
      if (signal.aborted && state.pid) await client.query('SELECT pg_cancel_backend($1)', [state.pid]).catch(() => {})
    }
  })()
  try {
    await build
  } catch (error) {
    if (!signal.aborted) throw error
    await client.script(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
    throw signal.reason
  } finally {
    isDone = true
    await watching
  }
}

const BUILDING = `SELECT i.indisvalid AS valid, p.pid, coalesce(p.blocks_done, 0)::float8 AS done, coalesce(p.blocks_total, 0)::float8 AS total
  FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_stat_progress_create_index p ON p.index_relid = c.oid
  WHERE c.relname = $1 AND c.relnamespace = current_schema()::regnamespace`
