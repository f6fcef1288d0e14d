import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { parseJson } from '../text/json.ts'
import type { StoreRequest } from './store-request.ts'

/** How the process that holds the store is started. */
export interface StoreCommand {
  program: string
  args: readonly string[]
}

export interface Patience {
  /** Milliseconds for all answers. */
  boundMs: number
  /** Milliseconds from one answer to the next; by default as long as the bound lasts. */
  graceMs?: number
}

export interface StoreAnswer<Value> {
  /** The last and best of those that came in time. */
  value: Value | null
  /** Why it is not the final one. */
  failure: string | null
}

/** One line of the answer: a value, each better than the one before, until the end. */
export type StoreLine = { value: unknown } | { done: true } | { error: string }

/**
 * Asks the store in a process of its own: a call into SQLite blocks its whole process for as long as the file is locked, and
 * a disk may hang for longer. Here it is waited for as long as the patience lasts, and then ended. Never rejects.
 */
export function askStore<Value>(
  { program, args }: StoreCommand,
  request: StoreRequest,
  { boundMs, graceMs = boundMs }: Patience,
): Promise<StoreAnswer<Value>> {
  const start = performance.now()
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] })
    let value: Value | null = null
    const finish = (failure: string | null) => {
      clearTimeout(timer)
      if (failure !== null) child.kill('SIGKILL')
      resolve({ value, failure })
    }
    const late = () => finish(`it did not answer within ${((performance.now() - start) / 1000).toFixed(1)} s`)
    let timer = setTimeout(late, boundMs)
    child.once('error', (error) => finish(error.message))
    child.once('close', (code) => finish(`it ended with ${code}`))
    child.stdin.on('error', () => {})
    child.stdin.end(JSON.stringify(request))
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = readLine(text)
      if ('error' in line) return finish(line.error)
      if ('done' in line) return finish(null)
      value = line.value as Value
      clearTimeout(timer)
      timer = setTimeout(late, Math.min(graceMs, start + boundMs - performance.now()))
    })
  })
}

/** Whatever else the process prints is no answer. */
function readLine(text: string): StoreLine {
  const json = parseJson(text)
  return json.ok ? (json.value as StoreLine) : { error: 'its answer cannot be read' }
}
