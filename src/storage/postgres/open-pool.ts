import type { Pool } from 'pg'
import { MemoryError } from '../../model/errors.ts'
import { poolClient, type SqlClient } from './client.ts'

/** Connections of one process. */
const MOST_CONNECTIONS = 8
const CONNECT_TIMEOUT_MS = 10_000

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
    // A process that has nothing else to do may end.
    allowExitOnIdle: true,
    application_name: 'nokosu',
  })
  // A connection that breaks while idle is replaced by the next query; without a listener it would end the process.
  pool.on('error', () => {})
  return poolClient(pool, () => pool.end())
}
