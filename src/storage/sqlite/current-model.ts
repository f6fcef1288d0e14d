import type { VectorModel } from '../storage.ts'
import type { Connection } from './connection.ts'

/** The model this handle was initialized with: its vectors are stored, compared and returned. */
export class CurrentModel {
  readonly dimensions: number
  readonly #name: string
  readonly #connection: Connection
  #number: number | null = null

  constructor(connection: Connection, { name, dimensions }: VectorModel) {
    this.#connection = connection
    this.#name = name
    this.dimensions = dimensions
  }

  /** The model's number in this file; 0, which no model has, if none of its vectors are stored. */
  find(): number {
    this.#number ??=
      this.#connection.get<{ id: number }>('SELECT id FROM models WHERE name = ?', this.#name)?.id ?? null
    return this.#number ?? 0
  }

  /** The same for writing; creates it. Call inside a write transaction. */
  ensure(): number {
    if (this.find() === 0) this.#number = this.#connection.run('INSERT INTO models (name) VALUES (?)', this.#name).id
    return this.#number!
  }

  /** Clears cached values that a rollback may have undone. */
  reset(): void {
    this.#number = null
  }
}
