import { listening } from './listening.ts'
import type { PgPool, PgQueryable } from './pg-pool.ts'
import { translateError } from './translate-error.ts'

/**
 * Queries on a server or in a transaction. There is no session state between statements. In a transaction, statements
 * that are not awaited run in the order they were sent, in one round trip if the driver supports it.
 */
export interface Queries {
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** Several statements without values. */
  script(sql: string): Promise<void>
}

export interface Transaction extends Queries {
  /**
   * Commits after the statements sent so far. If one fails, nothing is committed. Without this call, the transaction
   * commits when the work ends.
   */
  commit(): Promise<void>
}

/** A read-only statement, harmless if the transaction around it fails to start. */
export interface Reading {
  sql: string
  values: readonly unknown[]
}

/**
 * The small interface the store needs from a driver, so that `pg` and PGlite both work. Errors are the driver's own.
 */
export interface SqlClient extends Queries {
  /**
   * Runs `work` between BEGIN and COMMIT on one connection; rolls back if it throws. The `first` query is sent with
   * BEGIN.
   */
  transaction<T>(work: (transaction: Transaction, read: unknown[]) => Promise<T>, first?: Reading): Promise<T>
  /** Runs read-only statements, all sent at once. A SET LOCAL applies to those after it. */
  reading<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /** Calls `heard` on each NOTIFY of the channel; returns an unsubscribe function. */
  listen(channel: string, heard: () => void): Promise<() => Promise<void>>
  /** Runs the query outside the pool. If absent, the pool is used. */
  probe?<Row>(sql: string): Promise<Row[]>
  /** The connections of its pool, by state. */
  pool?(): Readonly<Record<string, number>>
  close(): Promise<void>
}

export function poolClient(pool: PgPool, close: () => Promise<void> = async () => {}): SqlClient {
  const { listen, endAll } = listening(pool)

  async function connected<T>(work: (connection: PgQueryable) => Promise<T>): Promise<T> {
    const connection = await pool.connect()
    connection.on('error', ignore)
    let failure: Error | undefined
    try {
      const answer = work(connection.pipeline ? connection : inTurn(connection))
      return await answer.catch((error) => {
        if (error instanceof Unusable) failure = error
        throw error instanceof Unusable ? error.cause : error
      })
    } finally {
      connection.off('error', ignore)
      // A connection that cannot end its transaction is discarded; the pool opens another.
      connection.release(failure)
    }
  }

  return {
    ...queriesOf(pool),
    transaction: (work, first) =>
      connected(async (connection) => {
        const queries = queriesOf(connection)
        let committed: Promise<void> | undefined
        const commit = () => {
          committed ??= queries.script('COMMIT')
          return committed
        }
        try {
          // Writes wait for the answer to BEGIN: without a transaction they would be committed on their own.
          const [, read] = await Promise.all([
            queries.script('BEGIN'),
            first ? queries.query<unknown>(first.sql, first.values) : [],
          ])
          const result = await work({ ...queries, commit }, read)
          await commit()
          return result
        } catch (error) {
          await queries.script('ROLLBACK').catch(() => {
            throw new Unusable(error)
          })
          throw error
        }
      }),
    reading: (work) =>
      connected(async (connection) => {
        const queries = queriesOf(connection)
        const begun = queries.script('BEGIN READ ONLY; SET LOCAL jit = off')
        const answer = work(queries)
        // After a failure, COMMIT rolls back.
        const [, , ended] = await Promise.allSettled([begun, answer, queries.script('COMMIT')])
        if (ended.status === 'rejected') throw new Unusable(ended.reason)
        await begun
        return answer
      }),
    listen,
    async close() {
      await endAll()
      await close()
    },
  }
}

class Unusable extends Error {
  constructor(cause: unknown) {
    super('The connection can no longer be used.', { cause })
  }
}

/** Sends one statement at a time, for drivers that require it. */
function inTurn(connection: PgQueryable): PgQueryable {
  let last: Promise<unknown> = Promise.resolve()
  return {
    query(sql, values) {
      const next = last.then(() => connection.query(sql, values))
      last = next.catch(() => {})
      return next
    },
  }
}

/**
 * A lost connection is reported twice: to the failing statement, and as an event that ends the process if nothing
 * listens.
 */
function ignore(): void {}

function queriesOf(connection: PgQueryable): Queries {
  return {
    // Unnamed statements only: a pooler may run the next one on another connection.
    async query<Row>(sql: string, values?: readonly unknown[]) {
      return (await connection.query(sql, values && [...values])).rows as Row[]
    },
    async script(sql) {
      await connection.query(sql)
    },
  }
}

/** The same with translated errors. `server` names the server for people, without secrets. */
export function translating(client: SqlClient, server: string): Required<SqlClient> {
  const told = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer
    } catch (error) {
      throw translateError(error, server)
    }
  }
  return {
    query: (sql, values) => told(client.query(sql, values)),
    script: (sql) => told(client.script(sql)),
    transaction: (work, first) => told(client.transaction(work, first)),
    reading: (work) => told(client.reading(work)),
    listen: (channel, heard) => told(client.listen(channel, heard)),
    probe: (sql) => told(client.probe ? client.probe(sql) : client.query(sql)),
    pool: () => client.pool?.() ?? {},
    close: () => client.close(),
  }
}
