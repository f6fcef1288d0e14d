import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { settings, snapshot } from './git-workspace.ts'
import { AGENT, git, runWorkspace, until } from './run-agent.ts'
import { finish, startCli } from './run-cli.ts'

interface Seen {
  args: string[]
  /** The text for the agent, and the modes of the file and its folder. */
  system: string
  file: string | null
  modes: string[]
  context: string | null
  tree: string[]
}

/** A program named `claude` that records what it finds. With `wait` it stays until a file `end` exists. */
const PROGRAM = (folder: string) => `#!${process.execPath}
const fs = require('node:fs')
const folder = ${JSON.stringify(folder)}
const args = process.argv.slice(2)
const at = args.indexOf('--append-system-prompt-file')
const file = at < 0 ? null : args[at + 1]
const mode = (path) => (fs.statSync(path).mode & 0o777).toString(8)
const system = file === null ? '' : fs.readFileSync(file, 'utf8')
const modes = file === null ? [] : [mode(file), mode(require('node:path').dirname(file))]
const context = process.env.NOKOSU_CONTEXT ?? null
fs.appendFileSync(folder + '/seen.jsonl', JSON.stringify({ args, system, file, modes, context, tree: fs.readdirSync('.').sort() }) + '\\n')
if (args.includes('start')) require('node:child_process').spawnSync(args.at(-1))
// It ends when it is told to, and when the test has ended without a word to it.
if (args.includes('wait')) setInterval(() => { if (fs.existsSync(folder + '/end') || !fs.existsSync(folder)) process.exit(0) }, 20)
`

/** A repository with one of nori's memories, and a separate temporary folder. */
async function claudeSpace() {
  const space = runWorkspace()
  const { folder, work, store } = space
  const bin = join(folder, 'bin')
  const temporary = join(folder, 'tmp')
  for (const path of [bin, temporary]) mkdirSync(path)
  writeFileSync(join(bin, 'claude'), PROGRAM(folder))
  chmodSync(join(bin, 'claude'), 0o755)
  git(work, 'init', '-q')
  writeFileSync(join(work, 'CLAUDE.md'), 'own\n')
  const engine = await openMemory({ storage: store, embedding: { kind: 'hashing' } })
  const memory = { layer: 'agent', identifiers: { agentId: 'nori', projectId: 'shop' } } as const
  await engine.add({ ...memory, content: 'Prices are in cents', category: 'behavior' })
  await engine.shutdown()
  const env = { ...space.env, PATH: `${bin}:${process.env.PATH}`, TMPDIR: temporary }
  const start = (flags: readonly string[], command: readonly string[]) => {
    const all = [
      'run',
      '--workspace',
      work,
      ...'--quiet --extract off --store-timeout 120'.split(' '),
      ...flags,
      '--',
      ...command,
    ]
    const child = startCli(all, { cwd: folder, env })
    child.stdin!.end()
    return { child, ended: finish(child) }
  }
  const seen = (): Seen[] => {
    const log = join(folder, 'seen.jsonl')
    // The last line may be incomplete.
    const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : []
    return lines.map((line) => JSON.parse(line))
  }
  const left = () => readdirSync(temporary).filter((name) => name.startsWith('nokosu-run-'))
  const recalls = async () => (await space.memories())[0]!.recallCount
  return { ...space, bin, temporary, start, seen, left, recalls }
}

describe('Claude Code', () => {
  it('[A05] has all of it in a private file, nothing in the tree, and it is counted', async () => {
    const { start, seen, work, left, recalls } = await claudeSpace()
    const [before, told] = [snapshot(work), settings(work)]
    const { code, stderr } = await start(AGENT, ['timeout', '240', 'claude', '-p', 'hi']).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [agent] = seen()
    expect(agent!.system).toMatch(/^# Personality.*# Role: coder.*## Memory Recording.*- Prices are in cents$/s)
    expect(agent!.modes).toEqual(['600', '700'])
    expect(agent!.file!.startsWith(work)).toBe(false)
    expect(agent!.tree).toEqual(['.git', 'CLAUDE.md'])
    expect(agent!.args.slice(-2)).toEqual(['-p', 'hi'])
    expect(snapshot(work)).toEqual(before)
    expect(settings(work)).toEqual(told)
    expect(readdirSync(join(work, '.git'))).not.toContain('nokosu')
    expect(left()).toEqual([])
    expect(await recalls()).toBe(1)
  })

  it('what nobody has read does not count, and it is said', async () => {
    const { start, seen, recalls, store, sessions } = await claudeSpace()
    const { stderr } = await start([...AGENT, '--json'], ['claude', 'mcp', 'list']).ended
    expect(stderr).toMatch(/warning memory was not delivered: .*--inject files/)
    expect(stderr).toMatch(/"shown": 0/)
    expect(seen().every(({ system }) => system === '')).toBe(true)
    expect(await recalls()).toBe(0)
    const engine = await openMemory({ storage: store, embedding: { kind: 'hashing' } })
    const [session] = await sessions()
    expect((await engine.injections({ session: session!.id, everything: true })).injections).toEqual([])
    await engine.shutdown()
  })

  const ECHO = '[MEMORY:behavior] Prices are in cents'

  it('what is only offered is called that, and counts for nothing', async () => {
    const { start, recalls, store, sessions } = await claudeSpace()
    const { stderr } = await start([...AGENT, '--json'], ['true']).ended
    expect(JSON.parse(stderr)).toMatchObject({ shown: 0, offered: 1 })
    expect(await recalls()).toBe(0)
    const engine = await openMemory({ storage: store, embedding: { kind: 'hashing' } })
    const [session] = await sessions()
    expect((await engine.injections({ session: session!.id, everything: true })).injections).toEqual([])
    await engine.shutdown()
  })

  it.each([
    ['cat .claude/memory/MEMORY.md', 1],
    ['git status', 0],
  ])('with files: %s has %i of the memories shown', async (script, shown) => {
    const { start, recalls } = await claudeSpace()
    const { stderr } = await start([...AGENT, '--json', '--inject', 'files'], ['sh', '-c', script]).ended
    expect(JSON.parse(stderr)).toMatchObject({ shown, offered: 1 - shown })
    expect(await recalls()).toBe(shown)
  })

  it('the end of a run says what was offered', async () => {
    const { run } = await claudeSpace()
    const offered = /nokosu: offered {4}1 memory, and nothing shows that the agent read it: Prices are in cents/
    expect((await run([...AGENT, '--extract', 'off', '--store-timeout', '120', '--', 'true'])).stderr).toMatch(offered)
  })

  it.each([
    [false, ['printf', `${ECHO}\n`]],
    [true, ['sh', '-c', `echo '${ECHO}'; ./no/claude -p hi; true`]],
  ])(
    'whether it has arrived or not (%s), what a run was offered is not reinforced by its echo',
    async (warned, command) => {
      const { start, memories } = await claudeSpace()
      const before = (await memories())[0]!.confidence
      const { stderr } = await start(AGENT, command).ended
      expect(/memory was not delivered/.test(stderr)).toBe(warned)
      expect((await memories()).map(({ confidence }) => confidence)).toEqual([before])
    },
  )

  it('files that a killed run left are taken out by the next one, though it writes none', async () => {
    const { start, work } = await claudeSpace()
    const first = start([...AGENT, '--inject', 'files'], ['sleep', '9'])
    await expect.poll(() => readFileSync(join(work, 'CLAUDE.md'), 'utf8')).toContain('nokosu:begin')
    first.child.kill('SIGKILL')
    await new Promise((done) => first.child.once('exit', done))
    expect(readFileSync(join(work, 'CLAUDE.md'), 'utf8')).toContain('nokosu:begin')
    expect((await start(AGENT, ['true']).ended).code).toBe(0)
    expect(readFileSync(join(work, 'CLAUDE.md'), 'utf8')).toBe('own\n')
  })

  it('beside files and texts of the caller’s own: all of them arrive', async () => {
    const { start, seen, folder } = await claudeSpace()
    writeFileSync(join(folder, 'own.md'), 'OWN FILE')
    await start(AGENT, ['claude', '--append-system-prompt-file', '../own.md', '-p', 'hi']).ended
    await start(AGENT, ['claude', '--append-system-prompt', 'OWN TEXT', '-p', 'hi']).ended
    const both = [
      'claude',
      '--append-system-prompt-file=../own.md',
      '--append-system-prompt',
      "it's",
      '--',
      '--append-system-prompt',
    ]
    await start(AGENT, both).ended
    // The run's hooks are beside them.
    const live = /^--(plugin-dir|mcp-config|disallowedTools)=/
    expect(seen().map(({ args }) => args.filter((word) => live.test(word)).length)).toEqual([3, 3, 3])
    const [file, text, all] = seen().map(({ args }) => ({ args: args.filter((word) => !live.test(word)) }))
    expect(file!.args).toEqual([
      '--append-system-prompt',
      expect.stringMatching(/- Prices are in cents$/),
      '--append-system-prompt-file',
      '../own.md',
      '-p',
      'hi',
    ])
    expect(text!.args).toEqual([
      '--append-system-prompt-file',
      expect.any(String),
      '--append-system-prompt',
      'OWN TEXT',
      '-p',
      'hi',
    ])
    expect(all!.args).toEqual([
      '--append-system-prompt-file=../own.md',
      '--append-system-prompt',
      expect.stringMatching(/^it's\n\n# Personality[\s\S]*- Prices are in cents$/),
      '--',
      '--append-system-prompt',
    ])
  })

  it('what the agent itself starts is not part of the run', async () => {
    const { start, seen, bin } = await claudeSpace()
    writeFileSync(join(bin, 'inner'), '#!/bin/sh\nclaude -p inner\n', { mode: 0o755 })
    await start(AGENT, ['claude', 'start', 'inner']).ended
    expect(seen().map(({ system }) => system !== '')).toEqual([true, false])
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('%s removes the file, kill -9 leaves it to the next run', async (signal) => {
    const { start, seen, left } = await claudeSpace()
    const first = start(AGENT, ['claude', 'wait'])
    await until(() => seen().length === 1)
    expect(left()).toHaveLength(1)
    first.child.kill(signal)
    await first.ended
    expect(left()).toEqual([])

    const second = start(AGENT, ['claude', 'wait'])
    await until(() => seen().length === 2)
    second.child.kill('SIGKILL')
    await new Promise((done) => second.child.once('exit', done))
    expect(left()).toHaveLength(1)
    await start(AGENT, ['true']).ended
    expect(left()).toEqual([])
  })

  it('of other machines only old ones are removed, and of living processes none', async () => {
    const { start, left, temporary } = await claudeSpace()
    const host = hostname().replace(/[^A-Za-z0-9.]/g, '_')
    const make = (name: string, old: boolean) => {
      mkdirSync(join(temporary, name))
      if (old) utimesSync(join(temporary, name), 1, 1)
    }
    make(`nokosu-run-${host}-${process.pid}-abcdef`, false)
    make('nokosu-run-elsewhere-99-abcdef', false)
    make('nokosu-run-elsewhere-99-ghijkl', true)
    await start(AGENT, ['true']).ended
    expect(left().sort()).toEqual([`nokosu-run-${host}-${process.pid}-abcdef`, 'nokosu-run-elsewhere-99-abcdef'].sort())
  })

  it('two at once in one workspace each have their own, to the end', async () => {
    const { start, seen, folder, work } = await claudeSpace()
    const [nori, koji] = [AGENT, ['--agent', 'koji', '--project', 'shop']].map((who) => start(who, ['claude', 'wait']))
    await until(() => seen().length === 2)
    for (const { system, file } of seen()) {
      expect(readFileSync(file!, 'utf8')).toBe(system)
      expect(system).toMatch(/You are Nori[\s\S]*# Role: coder|You are Koji[\s\S]*# Role: reviewer/)
    }
    expect(
      seen()
        .map(({ system }) => /# Role: (\w+)/.exec(system)![1])
        .sort(),
    ).toEqual(['coder', 'reviewer'])
    writeFileSync(join(folder, 'end'), '')
    for (const run of [nori!, koji!]) expect((await run.ended).code).toBe(0)
    expect(readdirSync(work).sort()).toEqual(['.git', 'CLAUDE.md'])
  })

  it('with no place for the file starts without, and says so', async () => {
    const { start, temporary, seen, recalls } = await claudeSpace()
    rmSync(temporary, { recursive: true })
    writeFileSync(temporary, '')
    const { code, stderr } = await start(AGENT, ['claude', '-p', 'hi']).ended
    expect(code).toBe(0)
    expect(stderr).toMatch(/memory cannot be delivered: ENOTDIR/)
    expect(seen()).toMatchObject([{ system: '' }])
    expect(await recalls()).toBe(0)
  })
})

describe('any other command', () => {
  it('finds it in NOKOSU_CONTEXT, and in the file that NOKOSU_CONTEXT_FILE names', async () => {
    const { start, work, folder, recalls } = await claudeSpace()
    const script = 'printenv NOKOSU_CONTEXT > ../context; cat "$NOKOSU_CONTEXT_FILE" > ../file; ls -A > ../tree'
    expect((await start(AGENT, ['sh', '-c', script]).ended).code).toBe(0)
    const [context, file, tree] = ['context', 'file', 'tree'].map((name) => readFileSync(join(folder, name), 'utf8'))
    expect(context).toMatch(/# Role: coder.*- Prices are in cents\n$/s)
    expect(context).toBe(`${file}\n`)
    expect(tree).toBe('.git\nCLAUDE.md\n')
    expect(dirname(work)).toBe(folder)
    expect(await recalls()).toBe(1)
  })

  it('whose text is too long for a variable still has the file', async () => {
    const { start, folder } = await claudeSpace()
    writeFileSync(join(folder, 'long.md'), 'x'.repeat(200_000))
    const script = 'wc -c < "$NOKOSU_CONTEXT_FILE" > ../size; printenv NOKOSU_CONTEXT > ../context || true'
    const flags = [...AGENT, '--instructions', join(folder, 'long.md')]
    expect((await start(flags, ['sh', '-c', script]).ended).code).toBe(0)
    expect(Number(readFileSync(join(folder, 'size'), 'utf8'))).toBeGreaterThan(200_000)
    expect(readFileSync(join(folder, 'context'), 'utf8')).toBe('')
  })
})

it('a temporary folder inside the workspace is not used', async () => {
  const { folder, work, env, run } = runWorkspace()
  const inside = join(work, 'tmp')
  mkdirSync(inside)
  const args = ['run', '--workspace', work, ...AGENT, '--', 'sh', '-c', 'echo "$NOKOSU_CONTEXT_FILE"']
  const child = startCli(args, { cwd: folder, env: { ...env, TMPDIR: inside } })
  child.stdin!.end()
  const { stdout } = await finish(child)
  expect(stdout.startsWith(env.HOME)).toBe(true)
  expect(readdirSync(env.HOME)).toEqual([])
  // Node's own.
  expect(readdirSync(inside).filter((name) => name !== 'node-compile-cache')).toEqual([])
  expect((await run(['--project', 'shop', '--inject', 'everything', '--', 'true'])).code).toBe(2)
})
