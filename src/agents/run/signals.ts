import type { ChildProcess } from 'node:child_process'

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * From its creation on, signals to this process are meant for the agent: they go to its whole group, and what is left to
 * do afterwards is still done. Before the agent starts a signal cancels the run; after it has ended, what can be left out.
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

  /** The first signal that came; null when none did. */
  get received(): NodeJS.Signals | null {
    return this.#received
  }

  /** Aborted by a signal that finds no agent running. */
  get cancelled(): AbortSignal {
    return this.#controller.signal
  }

  /** `inGroup`: the child shares our group and terminal, which has told it already. */
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

/** Sends a signal to everything that a detached child has started. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch (error) {
    // Gone already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
