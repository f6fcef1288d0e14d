import { randomUUID } from 'node:crypto'
import { recordingInstructions } from '../capture/recording-instructions.ts'
import type { OwnMemories } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import { LIMITS } from '../model/limits.ts'
import type { Moment } from '../model/moment.ts'

export interface AdapterOptions {
  /** The session for showing and capturing. Default: a new one for each adapter. */
  session?: string
  /** Read the model's answers for markers such as `[MEMORY:timing:caddy] Starts in 2 s`, and tell the model how to write them. Default: true. */
  capture?: boolean
  /** Called if memory fails; the agent continues without it. Default: a process warning. */
  onError?: (error: Error) => void
}

/** The memory of one conversation: what to show at its start and with each message, and what to capture from answers. Never throws. */
export class Companion {
  readonly #memory: OwnMemories
  readonly #session: string
  readonly #captures: boolean
  readonly #onError: (error: Error) => void
  #start: Promise<string> | undefined
  /** What was recalled after each message, by position. Included in every call, so that the model does not lose it. */
  #recalled: Promise<string>[] = []

  constructor(memory: OwnMemories, { session = randomUUID(), capture = true, onError }: AdapterOptions = {}) {
    this.#memory = memory
    this.#session = session
    this.#captures = capture
    this.#onError = onError ?? ((error) => process.emitWarning(error.message, 'NokosuWarning'))
  }

  /** The block for the system prompt. It stays the same for the whole conversation, so that prompt caches work. */
  start(task: string): Promise<string> {
    this.#start ??= this.#try('', async () => {
      const shown = task.slice(0, LIMITS.query)
      const { text } = await this.#memory.context({ session: this.#session, ...(shown === '' ? {} : { for: shown }) })
      const recording = this.#captures ? recordingInstructions() : ''
      return [recording, text].filter((part) => part !== '').join('\n\n')
    })
    return this.#start
  }

  /**
   * What to show after each message of the conversation so far. `momentsOf` lists what happened in a message; only messages after the
   * model's last answer are new. A conversation that became shorter was compacted and is shown its memories again.
   */
  async recall(messages: number, isNew: (index: number) => boolean, momentsOf: (index: number) => readonly Moment[]) {
    const forgotten = messages < this.#recalled.length
    if (forgotten) this.#recalled = []
    while (this.#recalled.length < messages) {
      const index = this.#recalled.length
      this.#recalled.push(isNew(index) ? this.#at(momentsOf(index), forgotten) : Promise.resolve(''))
    }
    return Promise.all(this.#recalled)
  }

  /** Reads an answer of the model. */
  async answered(text: string): Promise<void> {
    if (!this.#captures || text === '') return
    await this.#try(undefined, async () => {
      await this.#memory.capture(text, { format: 'text', session: this.#session })
    })
  }

  async #at(moments: readonly Moment[], forgotten: boolean): Promise<string> {
    const texts: string[] = []
    for (const moment of moments)
      texts.push(
        await this.#try('', async () => {
          const { text } = await this.#memory.recall({ session: this.#session, moment, forgotten })
          return text
        }),
      )
    return texts.filter((text) => text !== '').join('\n')
  }

  async #try<Result>(otherwise: Result, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      this.#onError(MemoryError.is(error) ? error : new Error(`Nokosu: ${String(error)}`, { cause: error }))
      return otherwise
    }
  }
}

/** Limits a text to what a moment accepts: its beginning and end. */
export function shorten(text: string): string {
  if (text.length <= LIMITS.candidate) return text
  const half = Math.floor(LIMITS.candidate / 2) - 1
  return `${text.slice(0, half)}\n${text.slice(-half)}`
}
