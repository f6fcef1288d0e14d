import { AsyncLocalStorage } from 'node:async_hooks'
import type { Readable, Writable } from 'node:stream'

export type Input = Readable & { isTTY?: boolean }
export type Output = Writable & { isTTY?: boolean; columns?: number }

/** What a command reads from and writes to: the process, or what the caller of `runCommand` passes. */
export interface Surroundings {
  stdin: Input
  stdout: Output
  stderr: Output
  env: Readonly<Record<string, string | undefined>>
  cwd: string
}

export interface Shell extends Surroundings {
  words: readonly string[]
  /** The command reads a store that does not exist yet. */
  storeMissing: boolean
  exitCode: number
  /** Aborted when the user asks to stop; null while the command may be ended immediately. */
  stop: AbortController | null
  /** Stopping is how the command, such as a server, normally ends. */
  stopIsExpected: boolean
}

const current = new AsyncLocalStorage<Shell>()
let ofProcess: Shell | null = null

const SHELL = { words: [], storeMissing: false, exitCode: 0, stop: null, stopIsExpected: false }

export function createShell(surroundings: Surroundings): Shell {
  return { ...surroundings, ...SHELL }
}

export function processShell(): Shell {
  // Opening a stream costs a millisecond, and most commands read nothing.
  ofProcess ??= {
    ...SHELL,
    ...{ env: process.env, cwd: process.cwd() },
    get stdin() {
      return process.stdin
    },
    get stdout() {
      return process.stdout
    },
    get stderr() {
      return process.stderr
    },
  }
  return ofProcess
}

/** The shell of the running command: several commands may run in one process, each with its own. */
export function shell(): Shell {
  return current.getStore() ?? processShell()
}

export function inShell<T>(own: Shell, work: () => Promise<T>): Promise<T> {
  return current.run(own, work)
}
