import { setTimeout as sleep } from 'node:timers/promises'
import type { Queries, SqlClient } from './client.ts'

export type OnBuilding = (done: number, total: number) => void

interface BuildOptions {
  signal?: AbortSignal | undefined
  onProgress?: OnBuilding
}

export interface IndexState {
  /** False while it is built, and for what a stopped build left: searches do not use it, but every insert does. */
  valid: boolean
  /** The server process that builds it now. */
  pid: number | null
  done: number
  total: number
}

const LOOK_EVERY_MS = 1000
const STATE = `SELECT i.indisvalid AS valid, p.pid, coalesce(p.blocks_done, 0)::float8 AS done, coalesce(p.blocks_total, 0)::float8 AS total
  FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_stat_progress_create_index p ON p.index_relid = c.oid
  WHERE c.relname = $1 AND c.relnamespace = current_schema()::regnamespace`

export async function lookAtIndex(queries: Queries, name: string): Promise<IndexState | undefined> {
  return (await queries.query<IndexState>(STATE, [name]))[0]
}

/** No transaction may be around it. Only in the store's own schema: others of the search path may hold another store. */
export async function dropIndex(client: SqlClient, name: string): Promise<void> {
  if (await lookAtIndex(client, name)) await client.script(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
}

/**
 * Builds an index without blocking writes; `create` says CONCURRENTLY. Removes the remains of a stopped build first. False if another
 * process is building it.
 */
export async function buildIndex(
  client: SqlClient,
  name: string,
  create: string,
  { signal, onProgress }: BuildOptions,
): Promise<boolean> {
  const left = await lookAtIndex(client, name)
  if (left?.valid) return true
  if (left?.pid) return false
  await dropIndex(client, name)
  const build = client.script(create)
  const done = new AbortController()
  const watching = (async () => {
    while (!done.signal.aborted) {
      await sleep(LOOK_EVERY_MS, undefined, { signal: done.signal }).catch(() => {})
      const state = done.signal.aborted ? undefined : await lookAtIndex(client, name).catch(() => undefined)
      if (!state) continue
      onProgress?.(state.done, state.total)
      if (signal?.aborted && state.pid) await client.query('SELECT pg_cancel_backend($1)', [state.pid]).catch(() => {})
    }
  })()
  try {
    await build
    return true
  } catch (error) {
    if (!signal?.aborted) throw error
    await dropIndex(client, name)
    throw signal.reason
  } finally {
    done.abort()
    await watching
  }
}
