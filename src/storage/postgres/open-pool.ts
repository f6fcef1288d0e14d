import type { Pool } from 'pg'
import { MemoryError, wrongSetting } from '../../model/errors.ts'
import { shownUrl } from '../shown-url.ts'
import { poolClient, type SqlClient } from './client.ts'

const MOST_CONNECTIONS = 8
const CONNECT_TIMEOUT_MS = 5000
/** Timeout for a statement: a network that drops packets reports no error. */
const ANSWER_TIMEOUT_MS = 120_000

/** A pool of our own. `pg` is an optional dependency, loaded only here. */
export async function openPool(url: string): Promise<SqlClient> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    const message = 'A PostgreSQL store needs the package pg: npm i pg'
    throw new MemoryError('MISSING_DEPENDENCY', message, { details: { package: 'pg' }, cause })
  })
  const pool: Pool = new pg.Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
    // Since pg 8.23. Older versions ignore it and send one statement at a time.
    pipeline: true,
    // Lets the process exit when idle.
    allowExitOnIdle: true,
    application_name: 'nokosu',
  })
  // The next query replaces a connection that breaks while idle; without a listener the event would end the process.
  pool.on('error', () => {})
  return poolClient(pool, () => pool.end())
}

/** Host and port, for people. Rejects an invalid address early: `pg` would only do so on connecting. */
export function readAddress(url: string): string {
  if (!URL.canParse(url)) {
    const hint = 'In a password write %40 for @, %2F for / and %3A for a colon.'
    throw wrongSetting('db', `Cannot open the store: '${shownUrl(url)}' is not an address. ${hint}`)
  }
  const { host, searchParams } = new URL(url)
  return searchParams.get('host') ?? (host || 'localhost')
}
