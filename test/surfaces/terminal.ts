import { Readable, Writable } from 'node:stream'
import { runCommand } from '../../src/cli/run-command.ts'

interface TerminalOptions {
  cwd: string
  columns?: number
  env?: Record<string, string>
  /** Answers typed at prompts. */
  answer?: string
}

/** Runs a command on a terminal with this many columns, without colours unless the environment enables them. */
export async function onTerminal(args: readonly string[], { cwd, columns = 80, env, answer = '' }: TerminalOptions) {
  const stdout = collector(columns)
  const stderr = collector(columns)
  const stdin = Object.assign(Readable.from([Buffer.from(answer)]), { isTTY: true })
  const own = { NOKOSU_EMBEDDING: 'hashing', NO_COLOR: '1', TERM: 'xterm', ...env }
  const code = await runCommand(args, { stdin, stdout: stdout.stream, stderr: stderr.stream, env: own, cwd })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function collector(columns: number) {
  const parts: Buffer[] = []
  const stream = new Writable({
    write(part: Buffer, _, done) {
      parts.push(part)
      done()
    },
  })
  return { stream: Object.assign(stream, { isTTY: true, columns }), text: () => Buffer.concat(parts).toString('utf8') }
}
