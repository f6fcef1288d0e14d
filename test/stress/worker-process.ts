import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface WorkerProcess {
  readonly child: ChildProcess
  /** Its output so far, as lines. */
  readonly lines: string[]
  /** Resolves when it has printed a line that starts like this. */
  printed(start: string): Promise<void>
  /** Its exit code, or the signal that ended it, when all it printed has been read. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>
}

export interface WorkerOptions {
  /** Runs it as this user and group. */
  user?: number
  /** A command that runs it. */
  under?: readonly string[]
}

/** Starts one of `workers/` as a real process. */
export function startWorker(
  name: string,
  parameters: readonly string[],
  { user, under = [] }: WorkerOptions = {},
): WorkerProcess {
  const script = new URL(`workers/${name}.ts`, import.meta.url).pathname
  const [command, ...rest] = [...under, process.execPath, script, ...parameters]
  const child = spawn(command!, rest, {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  })
  const lines: string[] = []
  const waiting: { start: string; resolve: () => void }[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => {
    lines.push(line)
    for (const { start, resolve } of waiting) if (line.startsWith(start)) resolve()
  })
  let errors = ''
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString()
  })
  const closed = new Promise<void>((resolve) => reader.once('close', resolve))
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>((resolve) => {
    child.once('close', (code, signal) => void closed.then(() => resolve({ code, signal, errors })))
  })
  return {
    child,
    lines,
    ended,
    printed: (start) =>
      lines.some((line) => line.startsWith(start))
        ? Promise.resolve()
        : new Promise((resolve, reject) => {
            waiting.push({ start, resolve })
            void ended.then(({ errors }) => reject(new Error(`${name} ended without printing ${start}: ${errors}`)))
          }),
  }
}

/** Runs a worker to its end and returns what it printed; fails when it fails. */
export async function runWorker(
  name: string,
  parameters: readonly string[],
  options?: WorkerOptions,
): Promise<string[]> {
  const worker = startWorker(name, parameters, options)
  const { code, signal, errors } = await worker.ended
  if (code !== 0) throw new Error(`${name} ended with ${signal ?? code}: ${errors}`)
  return worker.lines
}
