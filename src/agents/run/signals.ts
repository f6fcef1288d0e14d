import type { ChildProcess } from 'node:child_process'

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Once created, signals to this process go to the agent's whole process group, and cleanup
 * still runs. Before the agent starts, a signal cancels the run; after it has ended, it skips what is optional.
 */
export class SignalRelay {
  readonly #controller = new AbortController()
  #child: ChildProcess | null = null
  #inGroup = false
  #received: NodeJS.Signals | null = null
  readonly #listener = (signal: NodeJS.Signals) => this.#relay(signal)

  constructor() {
    for (const signal of FORWARDED) process.on(signal, this.#listener)
  }

  /** The first signal received, or null. */
  get received(): NodeJS.Signals | null {
    return this.#received
  }

  /** Aborted by a signal while no agent is running. */
  get cancelled(): AbortSignal {
    return this.#controller.signal
  }

  /** `inGroup`: the child shares our group and terminal, which has already signalled it. */
  attach(child: ChildProcess, { inGroup }: { inGroup: boolean }): void {
    this.#child = child
    this.#inGroup = inGroup
  }

  detach(): void {
    this.#child = null
  }

  close(): void {
    for (const signal of FORWARDED) process.off(signal, this.#listener)
  }

  #relay(signal: NodeJS.Signals): void {
    this.#received ??= signal
    if (this.#child === null) this.#controller.abort(new Error(signal))
    else if (!this.#inGroup) killGroup(this.#child, signal)
    else if (signal !== 'SIGINT') this.#child.kill(signal)
  }
}

/** Signals everything that a detached child has started. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch (error) {
    // Already gone.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
