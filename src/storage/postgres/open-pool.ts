import type { Pool } from 'pg'
import { MemoryError, wrongSetting } from '../../model/errors.ts'
import { shownUrl } from '../shown-url.ts'
import { poolClient, type SqlClient } from './client.ts'

const MOST_CONNECTIONS = 8
const CONNECT_TIMEOUT_MS = 5000
/** A statement that takes longer is taken for lost: nobody says so when the network swallows what is sent. */
const ANSWER_TIMEOUT_MS = 120_000

/** A pool of its own. `pg` is an optional dependency, loaded only here. */
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
    // Since pg 8.23. An older one does not know it, and sends one statement after the other.
    pipeline: true,
    // A process that has nothing else to do may end.
    allowExitOnIdle: true,
    application_name: 'nokosu',
  })
  // A connection that breaks while idle is replaced by the next query; without a listener it would end the process.
  pool.on('error', () => {})
  return poolClient(pool, () => pool.end())
}

/** Host and port, for people. Refuses what is no address: `pg` would only do so when it connects. */
export function readAddress(url: string): string {
  if (!URL.canParse(url)) {
    const hint = 'In a password write %40 for @, %2F for / and %3A for a colon.'
    throw wrongSetting('db', `Cannot open the store: '${shownUrl(url)}' is not an address. ${hint}`)
  }
  const { host, searchParams } = new URL(url)
  return searchParams.get('host') ?? (host || 'localhost')
}
