import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export const NOKOSU = join(import.meta.dirname, '../../bin/nokosu.mjs')

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  cwd: string
  env?: Record<string, string>
  input?: string | Buffer
}

/** A clean environment: no settings of the machine that runs the tests, and vectors that need no model. */
function environment(env: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: tmpdir(), NOKOSU_EMBEDDING: 'hashing', ...env }
}

export function startCli(args: readonly string[], { cwd, env }: RunOptions): ChildProcess {
  return spawn(process.execPath, [NOKOSU, ...args], { cwd, env: environment(env), stdio: 'pipe' })
}

/** Runs the real command line in a process of its own. */
export async function runCli(args: readonly string[], options: RunOptions): Promise<Ran> {
  const child = startCli(args, options)
  // A command that reads nothing may be gone before its input is written.
  child.stdin!.on('error', () => {})
  child.stdin!.end(options.input ?? '')
  return finish(child)
}

export async function finish(child: ChildProcess): Promise<Ran> {
  let stdout = ''
  let stderr = ''
  child.stdout!.setEncoding('utf8').on('data', (part: string) => {
    stdout += part
  })
  child.stderr!.setEncoding('utf8').on('data', (part: string) => {
    stderr += part
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout, stderr }
}

/** A folder that is gone after the test, and the command line in it. */
export function workspace() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'nokosu-cli-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const run = (args: readonly string[], options: Partial<RunOptions> = {}) => runCli(args, { cwd: folder, ...options })
  /** Runs with --json, expects success, and returns what was printed. */
  const json = async <T>(args: readonly string[], options: Partial<RunOptions> = {}): Promise<T> => {
    const { code, stdout, stderr } = await run([...args, '--json'], options)
    if (code !== 0) throw new Error(`nokosu ${args.join(' ')} exited with ${code}: ${stderr}`)
    return JSON.parse(stdout)
  }
  /** Runs with --json, expects a failure, and returns the error. */
  const failure = async (args: readonly string[], options: Partial<RunOptions> = {}) => {
    const { code, stderr } = await run([...args, '--json'], options)
    const { error } = JSON.parse(stderr) as {
      error: { code: string; message: string; details: Record<string, unknown>; retryable: boolean }
    }
    return { exit: code, ...error }
  }
  return { folder, store: `sqlite:${join(folder, '.nokosu/memory.db')}`, run, json, failure }
}
