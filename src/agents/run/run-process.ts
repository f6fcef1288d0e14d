import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Writable } from 'node:stream'
import { type CaptureOptions, type CaptureResult, captureStream } from '../../capture/capture.ts'
import { formatOf, passThrough } from './output.ts'
import type { SignalRelay } from './signals.ts'

export interface AgentCommand {
  command: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  /** The caller is at a terminal, so the agent must be too. Its output then cannot be read. */
  interactive: boolean
  output: Writable
  /** Receives standard error; defaults to the caller's own. */
  errors?: ((text: string) => void) | undefined
  capture: Omit<CaptureOptions, 'format'>
}

export interface AgentEnd {
  /** As a shell reports it: 128 plus the number of the signal that ended the process. */
  exitCode: number
  signal: NodeJS.Signals | null
  /** Why it could not be started; null if it was. */
  failure: string | null
  /** Null if the output was not read. */
  captured: CaptureResult | null
}

/** A process that the agent leaves behind may keep its output open. Stop waiting after this much silence. */
const SILENCE_MS = 1000

/** Runs the agent with the caller's standard input and error, and reads its output while passing it on. */
export async function runProcess(agent: AgentCommand, relay: SignalRelay): Promise<AgentEnd> {
  const { command, cwd, env, interactive } = agent
  const child = spawn(command[0]!, command.slice(1), {
    cwd,
    env,
    stdio: ['inherit', interactive ? 'inherit' : 'pipe', agent.errors === undefined ? 'inherit' : 'pipe'],
    detached: !interactive && process.platform !== 'win32',
  })
  if (agent.errors !== undefined) child.stderr?.setEncoding('utf8').on('data', agent.errors)
  relay.attach(child, { inGroup: interactive })
  try {
    const ended = exitOf(child, command[0]!)
    const captured = child.stdout === null ? null : readOutput(child, agent, ended)
    const [{ code, signal, failure }, result] = await Promise.all([ended, captured])
    const exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal]
    return { exitCode, signal, failure, captured: result }
  } finally {
    relay.detach()
  }
}

interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  failure: string | null
}

/** A shell's codes for a program that is not found, and for one that is not executable. */
const NOT_FOUND = 127
const NOT_EXECUTABLE = 126

function exitOf(child: ChildProcess, program: string): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, failure: null }))
    child.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const failure = code === 'ENOENT' ? `command not found: ${program}` : `cannot start ${program}: ${message}`
      resolve({ code: code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE, signal: null, failure })
    })
  })
}

async function readOutput(child: ChildProcess, agent: AgentCommand, ended: Promise<Exit>): Promise<CaptureResult> {
  const stdout = child.stdout!
  let timer: NodeJS.Timeout | null = null
  const listen = () => {
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(() => {
      // A slow reader does not count as silence.
      if (agent.output.writableNeedDrain || stdout.readableLength > 0) listen()
      else stdout.destroy()
    }, SILENCE_MS)
  }
  void ended.then(listen)
  async function* heard(source: AsyncIterable<Uint8Array>) {
    for await (const chunk of source) {
      if (timer !== null) listen()
      yield chunk
    }
  }
  try {
    const passed = heard(passThrough(stdout, agent.output))
    return await captureStream(passed, { ...agent.capture, format: formatOf(agent.command) })
  } finally {
    if (timer !== null) clearTimeout(timer)
  }
}
