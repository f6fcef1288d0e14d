import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, patient, runWorkspace } from './run-agent.ts'
import { runCli } from './run-cli.ts'

export interface Turn {
  say?: string
  exit?: number
  /** A shell command that it runs in the workspace before answering. */
  run?: string
}

/** What an agent saw at start. */
export interface Asked {
  agent: string | null
  args: string[]
  prompt: string
  instructions: string
  memory: string
  context: string
  session: string
}

const PROGRAM = (folder: string) => `#!${process.execPath}
const { execSync } = require('node:child_process')
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs')
const read = (path) => { try { return readFileSync(path, 'utf8') } catch { return '' } }
const folder = ${JSON.stringify(folder)}
const { NOKOSU_AGENT: agent = null, NOKOSU_CONTEXT: context = '', NOKOSU_SESSION: session } = process.env
// What Claude Code would end its system prompt with is gone when the run is over.
const given = process.argv.slice(2)
const file = given.indexOf('--append-system-prompt-file')
const system = file < 0 ? '' : read(given[file + 1])
const args = file < 0 ? given : given.toSpliced(file, 2, '--append-system-prompt', system)
const prompt = args[args.indexOf('-p') + 1]
const found = { agent, args, prompt, context, session, instructions: system, memory: /^# Memory[^]*/m.exec(system)?.[0] ?? '' }
appendFileSync(folder + '/asked.jsonl', JSON.stringify(found) + '\\n')
const script = JSON.parse(readFileSync(folder + '/script.json', 'utf8'))
const turn = (script[agent] ?? script.any ?? []).shift() ?? { say: 'The script is over.', exit: 99 }
writeFileSync(folder + '/script.json', JSON.stringify(script))
if (turn.run) execSync(turn.run, { stdio: ['ignore', 'ignore', 'inherit'] })
if (turn.say) console.log(turn.say)
process.exitCode = turn.exit ?? 0
`

/**
 * Agents with scripted answers, each in its turn, in a workspace that is a repository with one commit. The program's
 * name is \`claude\`, so that it is called as Claude Code would be; it prints plain text.
 */
export function scriptedAgents(script: Record<string, Turn[]>) {
  const base = runWorkspace()
  const { folder, work, env } = base
  const program = join(folder, 'claude')
  writeFileSync(program, PROGRAM(folder))
  chmodSync(program, 0o755)
  const perform = (turns: Record<string, Turn[]>) => writeFileSync(join(folder, 'script.json'), JSON.stringify(turns))
  perform(script)
  git(work, 'init', '-q')
  git(work, 'commit', '-q', '--allow-empty', '-m', 'begin')
  const asked = (): Asked[] => {
    const log = join(folder, 'asked.jsonl')
    if (!existsSync(log)) return []
    return readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const command = ['--', program, '-p', '{prompt}']
  const start = (args: readonly string[], spawn: boolean) =>
    runCli(
      [...args.slice(0, 1), '--workspace', work, '--extract', 'off', ...patient(args), ...args.slice(1), ...command],
      {
        cwd: folder,
        env,
        spawn,
      },
    )
  const call = (...args: string[]) => start(args, false)
  /** In a process of its own, as users start it. */
  const spawned = (...args: string[]) => start(args, true)
  /** The --json report, whatever the exit code. */
  const report = async <T>(...args: string[]): Promise<T & { exitCode: number }> => {
    const { code, stdout, stderr } = await call(...args, '--json')
    if (stdout === '') throw new Error(`no report, exit code ${code}: ${stderr}`)
    const value = JSON.parse(stdout)
    if (value.exitCode !== code) throw new Error(`exit code ${code}, but the report says ${value.exitCode}`)
    return value
  }
  return { ...base, program, perform, asked, call, spawned, report }
}
