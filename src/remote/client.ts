import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { MemoryError } from '../model/errors.ts'
import { within } from './bound.ts'
import { readJsonLines, toJsonLine } from './json-lines.ts'
import type { CallInput, CallName, CallValue, StoreAnswer, StoreRequest } from './protocol.ts'

/** How to start the process that holds the store. */
export interface StoreCommand {
  program: string
  args: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
}

export interface RequestOptions {
  /** Milliseconds. After that the request fails; the store may still carry it out. */
  boundMs: number
  /** Makes a write repeatable. */
  key?: string
}

/** A killed process ends at once, unless its disk hangs. */
const GONE_MS = 100

export interface StoreConnection {
  request<Name extends CallName>(call: Name, input: CallInput<Name>, options: RequestOptions): Promise<CallValue<Name>>
}

/**
 * A store in a separate process. A call into SQLite blocks its whole process while the file is locked, and a disk may hang
 * for longer: neither blocks the caller or keeps it alive. The process is started with the first request, and
 * restarted if it has ended.
 */
export class StoreClient implements StoreConnection {
  readonly #command: StoreCommand
  #keeper: Keeper | null = null
  #closed = false

  constructor(command: StoreCommand) {
    this.#command = command
  }

  /** Rejects with a MemoryError: the store's own, or PROVIDER_ERROR if it did not answer in time or has ended. */
  async request<Name extends CallName>(
    call: Name,
    input: CallInput<Name>,
    { boundMs, key }: RequestOptions,
  ): Promise<CallValue<Name>> {
    if (this.#closed) throw unavailable('The connection to the store is closed.')
    if (this.#keeper === null || this.#keeper.gone) this.#keeper = new Keeper(this.#command)
    const request = { call, input, ...(key === undefined ? {} : { key }) }
    return (await this.#keeper.ask(request, boundMs)) as CallValue<Name>
  }

  /** Resolves when the process has started, or after that time. Starting can be slow on a busy machine and says nothing about the store. */
  async start(boundMs: number): Promise<void> {
    this.#keeper ??= new Keeper(this.#command)
    await within(this.#keeper.started, boundMs)
  }

  /** Ends a process that takes too long. The next request starts another. */
  async reset(): Promise<void> {
    const keeper = this.#keeper
    this.#keeper = null
    await keeper?.close(0)
  }

  /** Lets the process finish what it was asked, and kills it if that takes longer. */
  async close(patienceMs: number): Promise<void> {
    this.#closed = true
    await this.#keeper?.close(patienceMs)
  }
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

class Keeper {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #waiting = new Map<number, Waiting>()
  readonly #exit: Promise<void>
  /** It has reported that it started, or has ended. */
  readonly started: Promise<void>
  #hasStarted = () => {}
  #next = 0
  #lost: MemoryError | null = null

  constructor({ program, args, cwd, env }: StoreCommand) {
    // In its own process group: Ctrl-C is for the agent, and its last output still has to be stored.
    this.#child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'], detached: true })
    const { stdin, stdout } = this.#child
    this.#child.unref()
    for (const stream of [stdin, stdout]) (stream as unknown as Socket).unref()
    // Its exit event reports the end.
    stdin.on('error', () => {})
    this.started = new Promise((resolve) => {
      this.#hasStarted = resolve
    })
    this.#exit = new Promise((resolve) => {
      this.#child.once('error', ({ message }) => {
        this.#lose(`The process of the store cannot be started: ${message}.`)
        resolve()
      })
      // Not at its exit: the last answers may still be in the pipe.
      this.#child.once('close', (code, signal) => {
        this.#lose(`The process of the store ended (${signal ?? code}).`)
        resolve()
      })
    })
    void this.#read(stdout)
  }

  get gone(): boolean {
    return this.#lost !== null
  }

  ask(request: Omit<StoreRequest, 'id'>, boundMs: number): Promise<unknown> {
    const id = this.#next++
    return new Promise<unknown>((resolve, reject) => {
      if (this.#lost !== null) return reject(this.#lost)
      const late = setTimeout(() => {
        this.#waiting.delete(id)
        reject(unavailable(`The store did not answer within ${boundMs / 1000} s.`))
      }, boundMs)
      const settle = (finish: () => void) => {
        clearTimeout(late)
        finish()
      }
      this.#waiting.set(id, {
        resolve: (value) => settle(() => resolve(value)),
        reject: (error) => settle(() => reject(error)),
      })
      this.#child.stdin.write(toJsonLine({ id, ...request }))
    })
  }

  async close(patienceMs: number): Promise<void> {
    this.#child.stdin.end()
    if (await within(this.#exit, patienceMs)) return
    this.#child.kill('SIGKILL')
    await within(this.#exit, GONE_MS)
  }

  async #read(stdout: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const answer of readJsonLines(stdout)) {
        this.#hasStarted()
        this.#take(answer as StoreAnswer)
      }
    } catch {
      // A broken pipe means that the process has ended, which its exit event reports.
    }
  }

  #take(answer: StoreAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('error' in answer) waiting?.reject(toMemoryError(answer.error))
    else waiting?.resolve(answer.value)
  }

  #lose(why: string): void {
    this.#lost ??= unavailable(why)
    for (const { reject } of this.#waiting.values()) reject(this.#lost)
    this.#waiting.clear()
    this.#hasStarted()
  }
}

function toMemoryError({ code, message, details, retryable }: ReturnType<MemoryError['toJSON']>): MemoryError {
  return new MemoryError(code, message, { details, retryable })
}

function unavailable(why: string): MemoryError {
  return new MemoryError('PROVIDER_ERROR', why)
}
