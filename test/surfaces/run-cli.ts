import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { runCommand } from '../../src/cli/run-command.ts'
import { localRelationModel } from '../../src/lifecycle/relate/relation-model.ts'

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
  /** In a process of its own, as users start it. */
  spawn?: boolean
}

/** Commands that start processes, handle signals or exit always run in a separate process. */
const OWN_PROCESS = new Set(
  'bench demo demo-agent eval extract hook loop pipeline plugin run serve store-server tier'.split(' '),
)

/** A clean environment: no machine settings, and vectors without a model. */
function environment(env: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: tmpdir(), NOKOSU_EMBEDDING: 'hashing', ...env }
}

export function startCli(args: readonly string[], { cwd, env }: Pick<RunOptions, 'cwd' | 'env'>): ChildProcess {
  return spawn(process.execPath, [NOKOSU, ...args], { cwd, env: environment(env), stdio: 'pipe' })
}

/** Runs a command line, in this process if that makes no difference, else in a separate one. */
export function runCli(args: readonly string[], options: RunOptions): Promise<Ran> {
  const own = options.spawn ?? (OWN_PROCESS.has(args[0] ?? '') || options.env?.NODE_OPTIONS !== undefined)
  return own ? spawnCli(args, options) : callCli(args, options)
}

async function spawnCli(args: readonly string[], options: RunOptions): Promise<Ran> {
  const child = startCli(args, options)
  // A command that reads nothing may exit before its input is written.
  child.stdin!.on('error', () => {})
  child.stdin!.end(options.input ?? '')
  return finish(child)
}

/** Kept here, so that commands in this process share one copy of the model. */
const relations = localRelationModel()
let warmed: Promise<void> | undefined

async function callCli(args: readonly string[], { cwd, env, input = '' }: RunOptions): Promise<Ran> {
  warmed ??= relations.warm()
  await warmed
  const stdout = collector()
  const stderr = collector()
  const code = await runCommand(args, {
    stdin: Readable.from(input.length === 0 ? [] : [Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: environment(env),
    cwd,
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function collector() {
  const parts: Buffer[] = []
  const stream = new Writable({
    write(part: Buffer, _, done) {
      parts.push(part)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(parts).toString('utf8') }
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

/** A folder that is removed after the test, with the CLI in it. */
export function workspace() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'nokosu-cli-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const run = (args: readonly string[], options: Partial<RunOptions> = {}) => runCli(args, { cwd: folder, ...options })
  /** Runs with --json, expects success, and returns the result. */
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
