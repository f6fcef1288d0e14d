import { existsSync, statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { shutDown } from '../handle.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { FileWatch } from './file-watch.ts'
import { makePrivate } from './private-file.ts'
import { isBusy, isReadOnly, translateError } from './translate-error.ts'

/** `full` survives power loss after every acknowledged write; `normal` survives a crash of the process only. */
export type Durability = 'full' | 'normal'

/** How long a read or write waits for another process's lock before it counts as a transient failure. */
const PATIENCE_MS = 5000
/** The longest wait between two tries. It shrinks with the time waited, so that nobody waits for ever among many. */
const LONGEST_WAIT_MS = 20

/** How long to wait for a lock, and what ends the wait earlier. */
export interface Patience {
  patienceMs?: number | undefined
  signal?: AbortSignal | undefined
}

/**
 * One open database file: cached statements, transactions, and errors in Nokosu's own terms. SQLite itself never waits for a
 * lock here, since that would stop the whole process: what meets a lock is tried again a little later.
 */
export class Connection {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #statements = new Map<string, StatementSync>()
  readonly #file: FileWatch
  #writes = 0
  /** Whether the last that wanted to write did not get its turn. */
  #isShutOut = false

  private constructor(db: DatabaseSync, path: string, isWritten = true) {
    this.#db = db
    this.#path = path
    this.#file = new FileWatch(isWritten ? path : ':memory:')
  }

  static async open(path: string, durability: Durability): Promise<Connection> {
    try {
      if (path !== ':memory:') makePrivate(path)
      // References are kept by the code and checked by the tests; checking each at every write costs a tenth of its time.
      const db = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: false })
      return await prepared(new Connection(db, path), durability)
    } catch (error) {
      const problem = translateError(error, path)
      if (!isReadOnly(problem) || !isAtRest(path)) throw problem
      // SQLite would write a log and an index of it beside the file, even to read it. What nobody here can write is read without.
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

  /** All rows as lists of their columns, which is quicker where there are many. */
  rows(query: Sql): SQLOutputValue[][] {
    return this.guard(() => {
      // With a space more it is a statement of its own, beside one that gives objects.
      const statement = this.#prepare(sql`${query} `)
      // Node 22 before 22.16 has no rows of this kind.
      const setter: unknown = statement.setReturnArrays
      if (setter === undefined) return statement.all(...valuesOf(query, [])).map((row) => Object.values(row))
      statement.setReturnArrays(true)
      return statement.all(...valuesOf(query, [])) as unknown as SQLOutputValue[][]
    })
  }

  /** All rows, read by `read`; a row that it cannot read counts as damage to the file. */
  map<Row, T>(read: (row: Row) => T, query: Sql): T[] {
    return this.guard(() => (this.#prepare(query).all(...valuesOf(query, [])) as Row[]).map(read))
  }

  get<Row>(query: Query, ...values: SQLInputValue[]): Row | undefined {
    return this.guard(() => this.#prepare(query).get(...valuesOf(query, values)) as Row | undefined)
  }

  /** Rows one by one, without holding them all. */
  *each<Row>(query: Query, ...values: SQLInputValue[]): Generator<Row> {
    const rows = this.guard(() => this.#prepare(query).iterate(...valuesOf(query, values))) as Iterator<Row>
    try {
      for (let next = this.guard(() => rows.next()); !next.done; next = this.guard(() => rows.next())) yield next.value
    } finally {
      // A reader that stops early would otherwise hold on to its snapshot, and see nothing new from then on.
      rows.return?.()
    }
  }

  run(query: Query, ...values: SQLInputValue[]): { changes: number; id: number } {
    const result = this.guard(() => this.#prepare(query).run(...valuesOf(query, values)))
    return { changes: Number(result.changes), id: Number(result.lastInsertRowid) }
  }

  /**
   * Runs `work` as one write transaction. Takes the write lock at once, so that it never fails halfway for want of it. `work`
   * must not wait: nothing else of this process comes in between.
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

  /** Throws when the file cannot be used: it is gone, or no store any more, or others have kept it locked for long. */
  async check(): Promise<void> {
    await this.patiently(() => this.#file.look())
    // Taking the lock costs others their turn: only where the last write did not get it.
    if (this.#isShutOut) await this.write(() => {}, { patienceMs: 0 })
  }

  /** Changes whenever this or another connection has written to the file. Call inside a read transaction. */
  generation(): string {
    return `${this.#writes} ${this.get<{ data_version: number }>('PRAGMA data_version')!.data_version}`
  }

  /** Runs `work` on one snapshot. It may be run again from the start, as long as it met a lock. */
  async read<T>(work: () => T): Promise<T> {
    return this.patiently(() => this.#transaction('BEGIN', work))
  }

  /** Tries again while another process holds a lock that the work needs. */
  async patiently<T>(work: () => T, { patienceMs = PATIENCE_MS, signal }: Patience = {}): Promise<T> {
    const start = performance.now()
    for (;;) {
      try {
        if (!this.#db.isOpen) throw shutDown()
        return work()
      } catch (error) {
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
      // A failed statement may have rolled back already, and then there is nothing left to undo.
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

  /** Errors of SQLite and of values that cannot be read, in Nokosu's own terms. */
  guard<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw translateError(error, this.#path)
    }
  }
}

/** A statement with its values beside it, or in it. */
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

/** Whether the file is there and holds everything: nothing waits in a log beside it. */
function isAtRest(path: string): boolean {
  return existsSync(path) && (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0
}
