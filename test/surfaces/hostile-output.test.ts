import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { runCommand } from '../../src/cli/run-command.ts'
import { CASES, H, poisoned } from './hostile-cases.ts'
import { finish, type Ran, startCli, workspace } from './run-cli.ts'

/** Invisible characters that a terminal or editor acts on. */
const RAW =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E0FFF}]/u

function expectNothingRaw(args: readonly string[], { stdout, stderr }: Pick<Ran, 'stdout' | 'stderr'>): void {
  for (const text of [stdout, stderr]) {
    const at = text.search(RAW)
    if (at >= 0)
      expect.fail(`nokosu ${JSON.stringify(args)} wrote ${JSON.stringify(text.slice(Math.max(0, at - 80), at + 40))}`)
  }
}

/** Commands that repeat neither stored nor given text. */
const SILENT = ['bench', 'delete', 'recall', 'recording', 'reembed', 'sweep', 'undo']
/** Commands that start agents run once, because their JSON is written like all JSON. */
const SLOW = ['demo', 'loop', 'pipeline', 'run', 'tier']

describe('with hostile text in every field, name and flag', () => {
  it('there is a case for every command', () => {
    expect(Object.keys(CASES).toSorted()).toEqual(Object.keys(COMMANDS).toSorted())
  })

  it.each(Object.keys(CASES))('%s writes nothing that a terminal acts on', async (name) => {
    const place = await poisoned()
    writeFileSync(join(place.folder, `bad ${H}.db`), `no database ${H}`)
    let written = ''
    for (const [args, input = ''] of CASES[name]!(place)) {
      for (const all of SLOW.includes(name) ? [args] : [args, withJson(args)]) {
        const ran = await place.run(all, { input, env: { HOME: place.folder, XDG_STATE_HOME: place.folder } })
        expectNothingRaw(all, ran)
        written += ran.stdout + ran.stderr
      }
    }
    expect(written).not.toBe('')
    // If hostile text was expected, some of it came through, escaped.
    if (!SILENT.includes(name)) expect(written).toContain('kept')
  })

  it('the server’s greeting and its log', async () => {
    const { folder } = await poisoned()
    const child = startCli(['serve', '--port', '0', '--log', 'debug', '--db', `served ${H}.db`], { cwd: folder })
    const ended = finish(child)
    child.stdout!.on('data', (part: string) => {
      if (part.includes('doctor')) child.kill('SIGINT')
    })
    const ran = await ended
    expect(ran.stdout).toContain('served kept')
    expectNothingRaw(['serve'], ran)
  })

  it('an unknown command, and help', async () => {
    const { run } = workspace()
    for (const args of [[H], ['help', H], [H, '--help'], ['--json', H], [`--${H}`]])
      expectNothingRaw(args, await run(args))
  })
})

/** Before `--`, because the flags after it are the agent's. */
function withJson(args: readonly string[]): string[] {
  const end = args.indexOf('--')
  return end < 0 ? [...args, '--json'] : [...args.slice(0, end), '--json', ...args.slice(end)]
}

const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 100 })

describe('at a terminal', () => {
  it.each([
    ['list', '--all'],
    ['search', '--all', '--threshold', '0', 'kept'],
    ['review', '--all'],
    ['export', '--all', 'out'],
    ['reembed'],
  ])(
    '%s writes its own colours and redraws its own line, and nothing else that a terminal acts on',
    async (...args) => {
      const place = await poisoned()
      const [stdout, stderr] = [terminal(), terminal()]
      await runCommand(args, {
        stdin: new PassThrough(),
        stdout,
        stderr,
        env: { NOKOSU_EMBEDDING: 'hashing' },
        cwd: place.folder,
      })
      const [out, err] = [stdout, stderr].map((stream) => String(stream.read() ?? ''))
      const ours = /\u001B\[(?:1|2|22|31|32|33|36|39)m|\r\u001B\[K/g
      expect(out! + err!).toMatch(ours)
      expectNothingRaw(args, { stdout: out!.replace(ours, ''), stderr: err!.replace(ours, '') })
    },
  )
})

it('what agents of an orchestrator write to standard error moves no terminal, and neither does a benchmark’s', async () => {
  const { folder, run } = workspace()
  writeFileSync(
    join(folder, 'agent.sh'),
    "printf '\\033[31mred\\033]0;title\\007\\n' >&2; printf '\\033[32mALL CLEAR\\n'\n",
  )
  for (const args of [
    ['tier', '1', '--project', 'home'],
    ['tier', '1', '--project', 'home', '--quiet', '--json'],
  ]) {
    const { stderr } = await run([...args, '--extract', 'off', '--', 'sh', join(folder, 'agent.sh'), '{prompt}'], {
      spawn: true,
    })
    expect(stderr).toContain('red')
    expect(stderr).not.toMatch(/[\u0007\u001b]/)
  }
  const bench = await run(['bench', '\u001b[31mred'], { spawn: true })
  expect(bench.stdout + bench.stderr).not.toContain('\u001b')
})
