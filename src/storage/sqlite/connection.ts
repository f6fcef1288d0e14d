import { existsSync, statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { shutDown } from '../handle.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { FileWatch } from './file-watch.ts'
import { makePrivate } from './private-file.ts'
import { isBusy, isReadOnly, translateError } from './translate-error.ts'

/** `full` survives power loss after every acknowledged write; `normal` only survives a crash of the process. */
export type Durability = 'full' | 'normal'

/** How long a read or write waits for another process's lock before it fails as retryable. */
const PATIENCE_MS = 5000
/** The longest delay between attempts. It shrinks over time, so that nothing starves under contention. */
const LONGEST_WAIT_MS = 20

/** How long to wait for a lock, and a signal to stop waiting. */
export interface Patience {
  patienceMs?: number | undefined
  signal?: AbortSignal | undefined
}

/**
 * One open database file: cached statements, transactions and translated errors. SQLite's own lock wait would block the
 * whole process, so it is off and locked work is retried here.
 */
export class Connection {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #statements = new Map<string, StatementSync>()
  readonly #file: FileWatch
  #writes = 0
  /** Whether the last write did not get the lock. */
  #isShutOut = false

  private constructor(db: DatabaseSync, path: string, isWritten = true) {
    this.#db = db
    this.#path = path
    this.#file = new FileWatch(isWritten ? path : ':memory:')
  }

  static async open(path: string, durability: Durability): Promise<Connection> {
    try {
      if (path !== ':memory:') makePrivate(path)
      // The code maintains references and the tests check them; foreign key checks would cost 10 % of write time.
      const db = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: false })
      return await prepared(new Connection(db, path), durability)
    } catch (error) {
      const problem = translateError(error, path)
      if (!isReadOnly(problem) || !isAtRest(path)) throw problem
      // SQLite writes a log and its index beside the file, even for reads. A file we cannot write to is opened as
      // immutable.
      const url = `${pathToFileURL(path).href}?immutable=1`
      const db = new DatabaseSync(url, { readOnly: true })
      return prepared(new Connection(db, path, false), durability)
    }
  }

  exec(sql: string): void {
    this.guard(() => this.#db.exec(sql))
  }

  all<Row>(query: Query, ...values: SQLInputValue[]): Row[] {
    return this.guard(() => this.#prepare(query).all(...valuesOf(query, values)) as Row[])
  }

  /** All rows as arrays of columns, which is faster for many rows. */
  rows(query: Sql): SQLOutputValue[][] {
    return this.guard(() => {
      // The extra space makes it a separate cached statement from the one that returns objects.
      const statement = this.#prepare(sql`${query} `)
      // Node 22 before 22.16 does not have it.
      const setter: unknown = statement.setReturnArrays
      if (setter === undefined) return statement.all(...valuesOf(query, [])).map((row) => Object.values(row))
      statement.setReturnArrays(true)
      return statement.all(...valuesOf(query, [])) as unknown as SQLOutputValue[][]
    })
  }

  /** All rows, parsed by `read`; an unreadable row is reported as damage to the file. */
  map<Row, T>(read: (row: Row) => T, query: Sql): T[] {
    return this.guard(() => (this.#prepare(query).all(...valuesOf(query, [])) as Row[]).map(read))
  }

  get<Row>(query: Query, ...values: SQLInputValue[]): Row | undefined {
    return this.guard(() => this.#prepare(query).get(...valuesOf(query, values)) as Row | undefined)
  }

  /** Streams rows one at a time. */
  *each<Row>(query: Query, ...values: SQLInputValue[]): Generator<Row> {
    const rows = this.guard(() => this.#prepare(query).iterate(...valuesOf(query, values))) as Iterator<Row>
    try {
      for (let next = this.guard(() => rows.next()); !next.done; next = this.guard(() => rows.next())) yield next.value
    } finally {
      // If a reader stops early, this releases its snapshot; otherwise it would never see new data.
      rows.return?.()
    }
  }

  run(query: Query, ...values: SQLInputValue[]): { changes: number; id: number } {
    const result = this.guard(() => this.#prepare(query).run(...valuesOf(query, values)))
    return { changes: Number(result.changes), id: Number(result.lastInsertRowid) }
  }

  /**
   * Runs `work` in one write transaction. Takes the write lock first, so that it cannot fail halfway for lack of it.
   * `work` is synchronous, so nothing else in this process interleaves.
   */
  async write<T>(work: () => T, { patienceMs, signal }: Patience = {}): Promise<T> {
    try {
      return await this.patiently(
        () => {
          this.#file.beforeWrite()
          this.#writes++
          const result = this.#transaction('BEGIN IMMEDIATE', work)
          this.#isShutOut = false
          return result
        },
        { patienceMs, signal },
      )
    } catch (error) {
      if (isBusy(error)) this.#isShutOut = true
      throw error
    }
  }

  /** Throws if the file is unusable: deleted, no longer a store, or locked by others for long. */
  async check(): Promise<void> {
    await this.patiently(() => this.#file.look())
    // Taking the lock delays other writers, so only check it if the last write did not get it.
    if (this.#isShutOut) await this.write(() => {}, { patienceMs: 0 })
  }

  /** Changes when this or another connection writes to the file. Call inside a read transaction. */
  generation(): string {
    return `${this.#writes} ${this.get<{ data_version: number }>('PRAGMA data_version')!.data_version}`
  }

  /** Runs `work` on one snapshot. On a lock, it is run again from the start. */
  async read<T>(work: () => T): Promise<T> {
    return this.patiently(() => this.#transaction('BEGIN', work))
  }

  /** Retries while another process holds a required lock. */
  async patiently<T>(work: () => T, { patienceMs = PATIENCE_MS, signal }: Patience = {}): Promise<T> {
    let start: number | null = null
    for (;;) {
      try {
        if (!this.#db.isOpen) throw shutDown()
        return work()
      } catch (error) {
        start ??= performance.now()
        const waited = performance.now() - start
        if (!isBusy(error) || waited >= patienceMs) throw error
        signal?.throwIfAborted()
        await sleep(1 + Math.random() * LONGEST_WAIT_MS * Math.max(0.1, 1 - waited / PATIENCE_MS))
      }
    }
  }

  close(): void {
    this.#statements.clear()
    if (this.#db.isOpen) this.#db.close()
  }

  #transaction<T>(begin: string, work: () => T): T {
    this.run(begin)
    try {
      const result = work()
      this.run('COMMIT')
      return result
    } catch (error) {
      // A failed statement may already have rolled back.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw translateError(error, this.#path)
    }
  }

  #prepare(query: Query): StatementSync {
    const text = typeof query === 'string' ? query : query.texts.join('?')
    let statement = this.#statements.get(text)
    if (!statement) {
      statement = this.#db.prepare(text)
      this.#statements.set(text, statement)
    }
    return statement
  }

  /** Translates errors of SQLite and of unreadable values. */
  guard<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw translateError(error, this.#path)
    }
  }
}

/** SQL text with separate values, or a piece of SQL with its own. */
type Query = string | Sql

function valuesOf(query: Query, values: SQLInputValue[]): SQLInputValue[] {
  return typeof query === 'string' ? values : (query.values as SQLInputValue[])
}

async function prepared(connection: Connection, durability: Durability): Promise<Connection> {
  try {
    const settings = `PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY`
    await connection.patiently(() => connection.exec(settings))
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Whether the file exists and is complete, with no log beside it. */
function isAtRest(path: string): boolean {
  return existsSync(path) && (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0
}
