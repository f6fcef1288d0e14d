import type { VectorModel } from '../storage.ts'
import type { Connection } from './connection.ts'

/** The model that this handle was initialized with: its vectors are the ones stored, compared and returned. */
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

  /** The integer that stands for the model in this file; 0, which no model has, while none of its vectors were stored. */
  find(): number {
    this.#number ??=
      this.#connection.get<{ id: number }>('SELECT id FROM models WHERE name = ?', this.#name)?.id ?? null
    return this.#number ?? 0
  }

  /** The same, for writing. Call inside a write transaction. */
  ensure(): number {
    if (this.find() === 0) this.#number = this.#connection.run('INSERT INTO models (name) VALUES (?)', this.#name).id
    return this.#number!
  }

  /** Forgets what a rolled-back transaction may have made untrue. */
  reset(): void {
    this.#number = null
  }
}
