import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Memory } from '../../src/model/memory.ts'
import type { Session } from '../../src/model/records.ts'
import { type RunOptions, workspace } from './run-cli.ts'

export const AGENT = ['--agent', 'nori', '--project', 'shop'] as const

/** A command for an agent in a few lines of Node. It records its memory. */
export const node = (script: string) => ['--', process.execPath, '-e', `void process.env.NOKOSU_CONTEXT;${script}`]
/** A command that prints these lines, records its memory, and ends. */
export const saying = (...lines: string[]) => [
  ...['--', 'sh', '-c', `: "$NOKOSU_CONTEXT"; printf '%s\\n' "$@"`, 'sh'],
  ...lines,
]

/** A command that only records its memory. */
export const idle = ['--', 'sh', '-c', ': "$NOKOSU_CONTEXT"'] as const

/** A store in one folder, and the agent's workspace in another. */
export function runWorkspace() {
  const base = workspace()
  const work = join(base.folder, 'work')
  const state = join(base.folder, 'state')
  mkdirSync(work)
  const env = { XDG_STATE_HOME: state, HOME: join(base.folder, 'home') }
  mkdirSync(env.HOME)
  /** In this process, but with a real agent and store process. Only `spawn` shows the agent's standard error. */
  const run = (args: readonly string[], options: Partial<RunOptions> = {}) =>
    base.run(['run', '--workspace', work, ...patient(args), ...args], {
      spawn: false,
      ...options,
      env: { ...env, ...options.env },
    })
  /** Any other command, with the same state folder. */
  const cli = (args: readonly string[]) => base.run(args, { env })
  const memories = async (...args: string[]) =>
    (await base.json<{ memories: Memory[] }>(['list', '--include-inactive', ...(args.length > 0 ? args : AGENT)]))
      .memories
  const contents = async (...args: string[]) => (await memories(...args)).map(({ content }) => content).sort()
  const sessions = async () => (await base.json<{ sessions: Session[] }>(['sessions', '--all'])).sessions
  const spool = join(base.folder, '.nokosu/spool')
  const spooled = (folder = spool) =>
    existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : []
  return { ...base, work, state, env, run, cli, memories, contents, sessions, spool, spooled }
}

/** The spool records with agent output. The one that begins a session repeats the command line. */
export function captured({ spool, spooled }: Pick<ReturnType<typeof runWorkspace>, 'spool' | 'spooled'>): string {
  const lines = spooled().flatMap((name) => readFileSync(join(spool, name), 'utf8').split('\n'))
  return lines.filter((line) => !line.includes('"call":"beginSession"')).join('\n')
}

/** Long limits unless the limit is what is tested, so that a busy machine does not start without memories. */
export function patient(args: readonly string[]): string[] {
  return args.includes('--store-timeout') ? [] : ['--store-timeout', '120']
}

export function git(cwd: string, ...args: string[]): string {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: tmpdir(),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  }
  return execFileSync('git', ['-c', 'init.defaultBranch=main', ...args], { cwd, env, encoding: 'utf8' }).trim()
}

export async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 240_000; Date.now() < end; await sleep(30)) if (await what()) return
  throw new Error('It did not happen.')
}
