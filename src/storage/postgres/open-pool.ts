import type { Pool, PoolConfig } from 'pg'
import { MemoryError, wrongSetting } from '../../model/errors.ts'
import { shownUrl } from '../shown-url.ts'
import { poolClient, type SqlClient } from './client.ts'

/** Settings in the store's URL, with their defaults and largest values. The times are in milliseconds. */
const SETTINGS = {
  pool: { fallback: 8, most: 1000 },
  connectTimeoutMs: { fallback: 5000, most: 600_000 },
  /** For a statement: a network that drops packets reports no error. */
  timeoutMs: { fallback: 120_000, most: 86_400_000 },
} as const
/** For the probe, below the 5 s that a readiness check usually waits. */
const PROBE_MS = 3000

/**
 * A pool of our own. `pg` is an optional dependency, loaded only here. `timeoutMs` replaces the URL's; 0 waits for as long
 * as it takes.
 */
export async function openPool(url: string, timeoutMs?: number): Promise<SqlClient> {
  const { connectionString, pool: max, connectTimeoutMs, ...settings } = readSettings(url)
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    const message = 'A PostgreSQL store needs the package pg: npm i pg'
    throw new MemoryError('MISSING_DEPENDENCY', message, { details: { package: 'pg' }, cause })
  })
  const open = (options: PoolConfig): Pool => {
    const pool = new pg.Pool({
      connectionString,
      keepAlive: true,
      // Lets the process exit when idle.
      allowExitOnIdle: true,
      application_name: 'nokosu',
      ...options,
    })
    // The next query replaces a connection that breaks while idle; without a listener the event would end the process.
    pool.on('error', () => {})
    return pool
  }
  const pool = open({
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: timeoutMs ?? settings.timeoutMs,
    // Since pg 8.23. Older versions ignore it and send one statement at a time.
    pipeline: true,
  })
  // Opened by the first probe. Whether the store answers does not depend on how busy the pool is.
  const probe = open({ max: 1, connectionTimeoutMillis: PROBE_MS, query_timeout: PROBE_MS })
  return {
    ...poolClient(pool, async () => void (await Promise.all([pool.end(), probe.end()]))),
    pool: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    probe: async (sql) => (await probe.query(sql)).rows,
  }
}

function readSettings(given: string): { connectionString: string } & Record<keyof typeof SETTINGS, number> {
  const url = new URL(given)
  const read = (name: keyof typeof SETTINGS) => {
    const { fallback, most } = SETTINGS[name]
    const text = url.searchParams.get(name)
    if (text === null) return fallback
    url.searchParams.delete(name)
    const number = Number(text)
    if (Number.isInteger(number) && number >= 1 && number <= most) return number
    throw wrongSetting('db', `Cannot open the store: '${name}' in its URL must be a whole number from 1 to ${most}.`)
  }
  const settings = { pool: read('pool'), connectTimeoutMs: read('connectTimeoutMs'), timeoutMs: read('timeoutMs') }
  const isPlain = Object.keys(SETTINGS).every((name) => !given.includes(`${name}=`))
  return { connectionString: isPlain ? given : url.href, ...settings }
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
