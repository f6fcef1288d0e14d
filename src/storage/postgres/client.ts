import { listening } from './listening.ts'
import type { PgPool, PgQueryable } from './pg-pool.ts'
import { translateError } from './translate-error.ts'

/** What can be asked of a server, or of a transaction on it. Nothing is remembered from one statement to the next. */
export interface Queries {
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** Several statements without values. */
  script(sql: string): Promise<void>
}

/** The little that the store needs of a driver, so that `pg` and PGlite serve alike. Errors come as the driver made them. */
export interface SqlClient extends Queries {
  /** Runs `work` between BEGIN and COMMIT on one connection; ROLLBACK when it throws. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /** Calls `heard` at each NOTIFY of the channel; returns what ends that. */
  listen(channel: string, heard: () => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

export function poolClient(pool: PgPool, close: () => Promise<void> = async () => {}): SqlClient {
  const { listen, endAll } = listening(pool)
  return {
    ...queriesOf(pool),
    async transaction(work) {
      const connection = await pool.connect()
      connection.on('error', ignore)
      let failure: Error | undefined
      try {
        await connection.query('BEGIN')
        const result = await work(queriesOf(connection))
        await connection.query('COMMIT')
        return result
      } catch (error) {
        failure = await connection.query('ROLLBACK').then(() => undefined, asError)
        throw error
      } finally {
        connection.off('error', ignore)
        // One that cannot even roll back is of no more use: the pool makes another.
        connection.release(failure)
      }
    },
    listen,
    async close() {
      await endAll()
      await close()
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
    transaction: (work) => told(client.transaction(work)),
    listen: (channel, heard) => told(client.listen(channel, heard)),
    close: () => client.close(),
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
