import { listening } from './listening.ts'
import type { PgPool, PgQueryable } from './pg-pool.ts'
import { translateError } from './translate-error.ts'

/**
 * What can be asked of a server, or of a transaction on it. Nothing is remembered from one statement to the next. In a transaction,
 * statements that are not waited for run in the order in which they were sent, and travel together where the driver can do that.
 */
export interface Queries {
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** Several statements without values. */
  script(sql: string): Promise<void>
}

export interface Transaction extends Queries {
  /** Commits behind what was sent. When a statement fails, nothing is committed. Without it, the end of the work commits. */
  commit(): Promise<void>
}

/** A statement that changes nothing, so that no harm is done when the transaction around it does not come about. */
export interface Reading {
  sql: string
  values: readonly unknown[]
}

/** The little that the store needs of a driver, so that `pg` and PGlite serve alike. Errors come as the driver made them. */
export interface SqlClient extends Queries {
  /** Runs `work` between BEGIN and COMMIT on one connection; ROLLBACK when it throws. What `first` reads travels with the BEGIN. */
  transaction<T>(work: (transaction: Transaction, read: unknown[]) => Promise<T>, first?: Reading): Promise<T>
  /** Runs statements that only read, all of them sent at once. A SET LOCAL among them holds for those behind it. */
  reading<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /** Calls `heard` at each NOTIFY of the channel; returns what ends that. */
  listen(channel: string, heard: () => void): Promise<() => Promise<void>>
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
      // One that cannot even end its transaction is of no more use: the pool makes another.
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
          // Nothing that writes is sent before the answer: it would be committed by itself if there were no transaction.
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
        // After a failure it undoes.
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
    super('The connection is of no more use.', { cause })
  }
}

/** One statement after the other, for a driver that wants to be waited for. */
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

/** A connection that is lost says so twice: to the statement that fails, and as an event that ends the process if nobody listens. */
function ignore(): void {}

function queriesOf(connection: PgQueryable): Queries {
  return {
    // Unnamed statements only: a pooler may give the next one to another connection.
    async query<Row>(sql: string, values?: readonly unknown[]) {
      return (await connection.query(sql, values && [...values])).rows as Row[]
    },
    async script(sql) {
      await connection.query(sql)
    },
  }
}

/** The same, with errors in Nokosu's own terms. The server is named for people, without secrets. */
export function translating(client: SqlClient, server: string): SqlClient {
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
    close: () => client.close(),
  }
}
