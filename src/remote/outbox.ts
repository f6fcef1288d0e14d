import { ulid } from 'ulidx'
import type { MemoryError } from '../model/errors.ts'
import { within } from './bound.ts'
import type { StoreConnection } from './client.ts'
import type { CallInput, CallValue } from './protocol.ts'
import { isRefusal } from './refusal.ts'
import { Spool } from './spool.ts'
import { type SpoolRecord, toSpoolLine } from './spool-file.ts'

/** The calls that go through the spool: all writes. */
export type PostedCall = 'beginSession' | 'endSession' | 'recordShowing' | 'remember' | 'record'

/** What became of a record: the store's answer, or why the store will never accept it. */
export type PostFate<Name extends PostedCall> = { value: CallValue<Name> } | { refused: string }

interface Entry {
  record: SpoolRecord
  /** It was written to the spool, or writing failed. The store is only asked after that. */
  tried: boolean
  onDisk: boolean
  settle(fate: PostFate<PostedCall>): void
}

/** What the store does not have when an outbox is closed. */
export interface LeftOver {
  /** In the spool, for the next process to deliver. */
  spooled: PostedCall[]
  /** Could not be written anywhere. */
  lost: PostedCall[]
}

/** Back-off after a failed request. */
const RETRY_MS = 5000
/** For one record, when nobody is waiting for it. */
const REQUEST_MS = 30_000

/**
 * The path of every write to the store: first to disk, then to the store, in order. A store that is
 * down or slow does not delay the caller, and a killed process loses nothing: what the store does not have is in the
 * spool, and each record has a key that makes its delivery repeatable.
 */
export class Outbox {
  readonly #store: StoreConnection
  readonly #spool: Spool
  readonly #queue: Entry[] = []
  #writing: Promise<void> | null = null
  #sending: Promise<boolean> | null = null
  #retry: NodeJS.Timeout | null = null
  #failure: string | null = null
  #delivered = 0
  #closed = false

  constructor(store: StoreConnection, spoolFolders: readonly string[]) {
    this.#store = store
    this.#spool = new Spool(spoolFolders)
  }

  /** The store's first error, or null. */
  get failure(): string | null {
    return this.#failure
  }

  /** Records that the store has accepted or refused. */
  get delivered(): number {
    return this.#delivered
  }

  /** Whether the store has just failed and is backing off. */
  get isResting(): boolean {
    return this.#retry !== null
  }

  /** Resolves when the store has accepted or refused it, which may be never. Never rejects. */
  post<Name extends PostedCall>(call: Name, input: CallInput<Name>): Promise<PostFate<Name>> {
    const record = { key: ulid(), call, input }
    try {
      toSpoolLine(record)
    } catch (error) {
      return Promise.resolve({ refused: (error as Error).message })
    }
    return new Promise((resolve) => {
      const settle = resolve as Entry['settle']
      this.#queue.push({ record, tried: false, onDisk: false, settle })
      // Records posted at the same time are written together.
      this.#writing ??= Promise.resolve().then(() => this.#write())
    })
  }

  /** Waits until the store has everything, the store fails, or time is up. True if the store has everything. */
  async drain(ms: number): Promise<boolean> {
    const drained = await within(this.#drain(), ms)
    if (drained === null) this.#failure ??= 'The store took too long.'
    return drained?.value === true
  }

  /** Call this when nothing more will be sent. Leaves what the store does not have in the spool. */
  async close(ms: number): Promise<LeftOver> {
    this.#closed = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#retry = null
    const left = [...this.#queue]
    const released = await within(this.#release(), ms)
    if (released !== null) for (const entry of left) entry.onDisk = true
    const namesOf = (entries: readonly Entry[]) => entries.map(({ record }) => record.call as PostedCall)
    return {
      spooled: namesOf(left.filter(({ onDisk }) => onDisk)),
      lost: namesOf(left.filter(({ onDisk }) => !onDisk)),
    }
  }

  async #release(): Promise<void> {
    await this.#writing
    await this.#spool.release()
  }

  async #drain(): Promise<boolean> {
    await this.#writing
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#retry = null
    return this.#send()
  }

  async #write(): Promise<void> {
    for (;;) {
      const fresh = this.#queue.filter(({ tried }) => !tried)
      if (fresh.length === 0) break
      const written = await this.#spool.append(fresh.map(({ record }) => record)).then(
        () => true,
        // The store is asked anyway. What neither accepts is reported when the outbox is closed.
        () => false,
      )
      for (const entry of fresh) entry.tried = true
      // Now the spool has everything, including what it could not write before.
      if (written) for (const entry of this.#queue) entry.onDisk = entry.tried
      if (this.#retry === null) void this.#send()
    }
    this.#writing = null
  }

  /** False if the store failed. */
  #send(): Promise<boolean> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null
    })
    return this.#sending
  }

  /** One record at a time, so that a correction never overtakes what it corrects. */
  async #sendAll(): Promise<boolean> {
    for (let entry = this.#queue[0]; entry?.tried && !this.#closed; entry = this.#queue[0]) {
      const fate = await this.#ask(entry.record)
      if (fate === null) {
        this.#retry ??= setTimeout(() => {
          this.#retry = null
          void this.#send()
        }, RETRY_MS).unref()
        return false
      }
      this.#queue.shift()
      this.#delivered++
      // A file that cannot be removed is delivered again, which changes nothing.
      await this.#spool.settle(entry.record.key).catch(() => {})
      entry.settle(fate)
    }
    return this.#queue.length === 0
  }

  /** Null if the store did not answer. */
  async #ask({ call, input, key }: SpoolRecord): Promise<PostFate<PostedCall> | null> {
    try {
      const value = await this.#store.request(call as PostedCall, input as never, { boundMs: REQUEST_MS, key })
      return { value }
    } catch (error) {
      const { message } = error as MemoryError
      if (isRefusal(error)) return { refused: message }
      this.#failure ??= message
      return null
    }
  }
}
