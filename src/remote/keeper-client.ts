import { type ChildProcess, fork } from 'node:child_process'
import { within } from '../agents/run/bound.ts'
import type { KeeperAnswers, KeeperReply, KeeperRequest } from './keeper.ts'

/** How the keeper's process is started: a module for Node, with its arguments. */
export interface KeeperCommand {
  module: string
  args: readonly string[]
}

/** A killed process is gone at once, unless its disk hangs. */
const GONE_MS = 100

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** The run's end of the line. Never blocks and never holds the run's process open. */
export class KeeperClient {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  readonly #gone: Promise<void>
  #next = 0
  #lost: Error | null = null

  constructor({ module, args }: KeeperCommand) {
    // In a group of its own: Ctrl-C is for the agent, and what it said last is still to be stored.
    this.#child = fork(module, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], detached: true })
    this.#child.unref()
    this.#child.channel?.unref()
    this.#child.on('message', (reply) => this.#take(reply as KeeperReply))
    this.#child.on('error', (error) => this.#lose(error))
    this.#gone = new Promise((resolve) => {
      this.#child.once('exit', () => {
        this.#lose(new Error('The process that holds the store ended.'))
        resolve()
      })
    })
  }

  request<Kind extends KeeperRequest['kind']>(
    request: Extract<KeeperRequest, { kind: Kind }>,
  ): Promise<KeeperAnswers[Kind]> {
    const id = this.#next++
    return new Promise<unknown>((resolve, reject) => {
      if (this.#lost !== null) {
        reject(this.#lost)
        return
      }
      this.#waiting.set(id, { resolve, reject })
      this.#child.send({ id, request }, (error) => {
        if (error) this.#lose(error)
      })
    }) as Promise<KeeperAnswers[Kind]>
  }

  /** Lets it finish by itself, and ends it when that takes longer. */
  async close(patienceMs: number): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    if (await within(this.#gone, patienceMs)) return
    this.#child.kill('SIGKILL')
    await within(this.#gone, GONE_MS)
  }

  #take(reply: KeeperReply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if ('error' in reply) waiting?.reject(new Error(reply.error))
    else waiting?.resolve(reply.value)
  }

  #lose(error: Error): void {
    this.#lost ??= error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
