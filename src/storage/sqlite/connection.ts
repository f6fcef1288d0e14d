import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { translateError } from './translate-error.ts'

/** `full` survives power loss after every acknowledged write; `normal` survives a crash of the process only. */
export type Durability = 'full' | 'normal'

/** How long a statement waits for another process's lock before it counts as a transient failure. */
const BUSY_TIMEOUT_MS = 5000

/** One open database file: cached statements, transactions, and errors in Nokosu's own terms. */
export class Connection {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #statements = new Map<string, StatementSync>()
  #depth = 0

  private constructor(db: DatabaseSync, path: string) {
    this.#db = db
    this.#path = path
  }

  static open(path: string, durability: Durability): Connection {
    try {
      if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true })
      const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
      db.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
      db.exec('PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY')
      return new Connection(db, path)
    } catch (error) {
      throw translateError(error, path)
    }
  }

  exec(sql: string): void {
    this.#guard(() => this.#db.exec(sql))
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#guard(() => this.#prepare(sql).all(...values) as Row[])
  }

  /** All rows, read by `read`; a row that it cannot read counts as damage to the file. */
  map<Row, T>(read: (row: Row) => T, sql: string, ...values: SQLInputValue[]): T[] {
    return this.#guard(() => (this.#prepare(sql).all(...values) as Row[]).map(read))
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#guard(() => this.#prepare(sql).get(...values) as Row | undefined)
  }

  /** Rows one by one, without holding them all. */
  *each<Row>(sql: string, ...values: SQLInputValue[]): Generator<Row> {
    const rows = this.#guard(() => this.#prepare(sql).iterate(...values)) as Iterator<Row>
    try {
      for (let next = this.#guard(() => rows.next()); !next.done; next = this.#guard(() => rows.next()))
        yield next.value
    } finally {
      // A reader that stops early would otherwise hold on to its snapshot, and see nothing new from then on.
      rows.return?.()
    }
  }

  run(sql: string, ...values: SQLInputValue[]): { changes: number; id: number } {
    const result = this.#guard(() => this.#prepare(sql).run(...values))
    return { changes: Number(result.changes), id: Number(result.lastInsertRowid) }
  }

  /** Runs `work` as one write transaction. Takes the write lock at once, so that it never fails halfway for want of it. */
  write<T>(work: () => T): T {
    return this.#transaction('BEGIN IMMEDIATE', work)
  }

  /** Runs `work` on one snapshot. */
  read<T>(work: () => T): T {
    return this.#transaction('BEGIN', work)
  }

  close(): void {
    this.#statements.clear()
    if (this.#db.isOpen) this.#db.close()
  }

  #transaction<T>(begin: string, work: () => T): T {
    if (this.#depth > 0) return work()
    this.run(begin)
    this.#depth++
    try {
      const result = work()
      this.run('COMMIT')
      return result
    } catch (error) {
      // A failed statement may have rolled back already, and then there is nothing left to undo.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw translateError(error, this.#path)
    } finally {
      this.#depth--
    }
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  #guard<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw translateError(error, this.#path)
    }
  }
}
