import { randomUUID } from 'node:crypto'
import { partition } from '../engine/write.ts'
import { MemoryError } from '../model/errors.ts'
import type { Commit, Write } from '../storage/commit.ts'
import type { Storage } from '../storage/storage.ts'
import { mayStop, type Reading } from './survey.ts'

/** A record that the target does not accept, such as one that is too large. The others continue. */
export interface Refusal {
  record: string
  reason: string
}

/** Errors about a single record, which say nothing about others. */
const BAD_RECORD: ReadonlySet<string> = new Set([
  'INVALID_INPUT',
  'INVALID_LAYER',
  'MISSING_IDENTIFIER',
  'CONTENT_TOO_LONG',
])
const MOST_REPORTED = 1000

export type Signature = Pick<Commit, 'at' | 'by'>

export class Target {
  readonly storage: Storage
  readonly refused = new Map<string, Refusal>()
  readonly #reading: Reading
  #changed = 0

  constructor(storage: Storage, reading: Reading) {
    this.storage = storage
    this.#reading = reading
  }

  /** How many writes changed something since the last call. */
  takeChanged(): number {
    const changed = this.#changed
    this.#changed = 0
    return changed
  }

  /** Requests another round although nothing was written. */
  lookAgain(): void {
    this.#changed++
  }

  /** Returns how many writes changed something. If another write was faster, the next round sees its result. */
  async write(writes: readonly Write[], signature?: Signature): Promise<number> {
    const { at, by } = signature ?? { at: new Date().toISOString(), by: 'migrate' }
    let changed = 0
    for (const part of partition(this, writes)) {
      await mayStop(this.#reading)
      changed += await this.#commit(part, { at, by })
    }
    this.#changed += changed
    return changed
  }

  async #commit(writes: readonly Write[], signature: Signature): Promise<number> {
    let left = writes
    try {
      while (left.length > 0) {
        // One key for all attempts: a lost answer is simply requested again.
        const commit = { key: `migrate:${randomUUID()}`, ...signature, writes: left }
        const result = await this.#reading.attempt(() => this.storage.commit(commit))
        if (result.applied) return result.changed
        const failed = new Set(result.failures.map(({ write }) => write))
        left = left.filter((_, i) => !failed.has(i))
      }
      return 0
    } catch (error) {
      if (!MemoryError.is(error) || !BAD_RECORD.has(error.code)) throw error
      return left.length === 1 ? this.#refuse(left[0]!, error) : this.#oneByOne(left, signature)
    }
  }

  async #oneByOne(writes: readonly Write[], signature: Signature): Promise<number> {
    let changed = 0
    for (const write of writes) changed += await this.#commit([write], signature)
    return changed
  }

  #refuse(write: Write, { message }: MemoryError): number {
    const record = nameOf(write)
    if (this.refused.size < MOST_REPORTED) this.refused.set(record, { record, reason: message })
    return 0
  }
}

function nameOf(write: Write): string {
  switch (write.kind) {
    case 'insert':
    case 'update':
      return `memory ${write.row.memory.id}`
    case 'change':
      return `version ${write.change.version} of memory ${write.change.memory}`
    case 'session':
      return `session ${write.session.id}`
    case 'injection':
      return `injection ${write.injection.id}`
    case 'event':
      return `event ${write.event.id}`
    case 'put':
      return write.collection
    case 'mark':
      return `once-keys of memory ${write.memory}`
    default:
      return write.kind
  }
}
