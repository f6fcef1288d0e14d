import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { AGENT, git, node, patient, runWorkspace, saying, until } from './run-agent.ts'
import { finish, NOKOSU, startCli } from './run-cli.ts'

it('[B06] the ten steps of a run are told in their order, each with its time and what it did', async () => {
  const { run, folder, contents } = runWorkspace()
  const [origin, clone] = [join(folder, 'origin.git'), join(folder, 'clone')]
  git(folder, 'init', '-q', '--bare', origin)
  const flags = ['--workspace', clone, '--repo', origin, '--push', '--trace', '--store-timeout', '120']
  const extractor = `git -C ${origin} log -1 --format='["%an has pushed %s"]'`
  const work = 'git commit -q --allow-empty -m work; grep -c "^# Personality\\|^# Role: coder" CLAUDE.md; exit 3'
  const { code, stdout, stderr } = await run([...AGENT, ...flags, '--extract-with', extractor, '--', 'sh', '-c', work])
  expect({ code, stdout }).toEqual({ code: 3, stdout: '2\n' })
  const steps = stderr.matchAll(/^nokosu: \d{4}-\S+Z \+\d+\.\d{3}s (.+)$/gm)
  expect([...steps].map(([, step]) => step)).toEqual([
    expect.stringMatching(/^1 {2}bootstrap workspace: cloned/),
    '2  role instructions: of the coder',
    '2b personality: Nori (default)',
    '2c memories: 0 of 0',
    '3  git identity: Nori (coder) <nori@nokosu.invalid>',
    '4  prompt: as given, memories in CLAUDE.md',
    '5  invoke: sh',
    expect.stringMatching(/^6 {2}push: 1 commit to/),
    '6b extract: 1 learning',
    '7  exit code: 3 (failure)',
  ])
  // The extraction saw the pushed commits, so the steps really ran in this order.
  expect(await contents()).toEqual(['Nori (coder) has pushed work'])
})

it('without --trace and with nothing amiss standard error is the agent’s alone', async () => {
  const { run } = runWorkspace()
  const { stdout, stderr } = await run([...AGENT, ...node('process.stderr.write("from the agent")')], { spawn: true })
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'from the agent' })
})

it('standard input and output pass through byte for byte', async () => {
  const { folder, work, env } = runWorkspace()
  const input = randomBytes(3_000_000)
  const child = startCli(['run', '--workspace', work, ...AGENT, '--', 'cat'], { cwd: folder, env })
  const parts: Buffer[] = []
  child.stdout!.on('data', (part: Buffer) => parts.push(part))
  child.stdin!.end(input)
  await new Promise((resolve) => child.once('close', resolve))
  expect(Buffer.concat(parts).equals(input)).toBe(true)
})

it.each([
  [0, ['sh', '-c', 'exit 0']],
  [3, ['sh', '-c', 'exit 3']],
  [128 + 9, ['sh', '-c', 'kill -KILL $$']],
  [127, ['no-such-agent']],
])('exits with %i where the agent does', async (expected, command) => {
  const { run, sessions } = runWorkspace()
  expect((await run([...AGENT, '--', ...command])).code).toBe(expected)
  expect(await sessions()).toMatchObject([{ agent: 'nori', project: 'shop', role: 'coder', exitCode: expected }])
})

it('a marker is stored while the agent still runs, and a killed agent loses none', async () => {
  const { folder, work, env, contents, sessions } = runWorkspace()
  const script = `
    process.stdout.write('[MEMORY:timing:web] Takes 60s to start\\n')
    setInterval(() => {
      if (!require('fs').existsSync('go')) return
      require('fs').writeSync(1, '[MEMORY:behavior] Logs are rotated at noon\\n')
      process.kill(process.pid, 'SIGKILL')
    }, 20)`
  const child = startCli(['run', '--workspace', work, ...AGENT, ...node(script)], { cwd: folder, env })
  child.stdin!.end()
  const ended = finish(child)
  await until(async () => (await contents()).length === 1)
  expect(await sessions()).toMatchObject([{ endedAt: null, exitCode: null }])
  writeFileSync(join(work, 'go'), '')
  expect((await ended).code).toBe(137)
  expect(await contents()).toEqual(['Logs are rotated at noon', 'Takes 60s to start'])
  expect(await sessions()).toMatchObject([{ exitCode: 137, outcome: 'killed (SIGKILL)' }])
})

it.each([1, 2, 3])('[E09] tier %i is recorded with the session and its memories, in the project', async (tier) => {
  const { run, memories, sessions } = runWorkspace()
  const { code } = await run([
    '--project',
    'home',
    '--tier',
    String(tier),
    ...saying('[MEMORY:behavior] The disk is slow'),
  ])
  expect(code).toBe(0)
  expect(await sessions()).toMatchObject([{ tier, agent: null, project: 'home' }])
  expect(await memories('--project', 'home')).toMatchObject([{ tier, layer: 'project', content: 'The disk is slow' }])
})

it('--layer says where memories go, and what cannot be addressed is refused before anything starts', async () => {
  const { run, memories, work } = runWorkspace()
  await run([...AGENT, '--layer', 'project', ...saying('[MEMORY:behavior] The disk is slow')])
  expect(await memories('--project', 'shop')).toMatchObject([{ layer: 'project' }])
  const refused = await run(['--', 'touch', 'started'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('MISSING_IDENTIFIER') })
  expect(existsSync(join(work, 'started'))).toBe(false)
})

it('[B03] commits are by the personality’s name and the role, and the repository’s settings stay as they were', async () => {
  const { run, store, work } = runWorkspace()
  git(work, 'init', '-q')
  const before = git(work, 'config', '--local', '--list')
  const commit = 'echo x > x && git add x && git commit -qm "add x"'
  expect((await run([...AGENT, '--', 'sh', '-c', commit])).code).toBe(0)
  expect(git(work, 'log', '-1', '--format=%an <%ae>, %cn')).toBe('Nori (coder) <nori@nokosu.invalid>, Nori (coder)')
  expect(git(work, 'config', '--local', '--list')).toBe(before)
  expect(git(work, 'show', '--stat', '--format=', 'HEAD')).toMatch(/^x \|/)
  const engine = await openMemory({ storage: store, embedding: { kind: 'hashing' } })
  await engine.personality.set({ agentName: 'nori', displayName: 'Noriko', persona: 'You are Noriko.' })
  await engine.shutdown()
  await run([...AGENT, '--role', 'tester', '--', 'sh', '-c', commit.replaceAll('x', 'y')])
  expect(git(work, 'log', '-1', '--format=%an')).toBe('Noriko (tester)')
})

it('[A05] the next run finds what the last one learned, is recorded as shown it, and the workspace is as it was', async () => {
  const { run, folder, store, work, sessions, memories } = runWorkspace()
  writeFileSync(join(work, 'README.md'), 'The shop.\n')
  // The instructions contain example markers, and a plain command's output counts as agent output.
  const look = [
    '--inject',
    'files',
    '--',
    'sh',
    '-c',
    'cp CLAUDE.md ..; cat .claude/memory/MEMORY.md || echo no memory',
  ]
  expect((await run([...AGENT, ...look])).stdout).toBe('no memory\n')
  expect(readFileSync(join(folder, 'CLAUDE.md'), 'utf8')).toMatch(/# Personality.+# Role: coder/s)
  await run([
    ...AGENT,
    ...saying('[MEMORY:timing:web] Takes 60s', '[MEMORY:behavior] Logs rotate', '[MEMORY:maintenance] Backups at 3'),
  ])
  const second = await run([...AGENT, ...look])
  expect(second.stdout.match(/^- .+$/gm)?.slice(-3)).toEqual(['- Backups at 3', '- Logs rotate', '- web: Takes 60s'])
  expect(readdirSync(work)).toEqual(['README.md'])
  const engine = await openMemory({ storage: store, embedding: { kind: 'hashing' } })
  const [last] = await sessions()
  const { injections } = await engine.injections({ session: last!.id, everything: true })
  await engine.shutdown()
  expect(injections.map(({ memory }) => memory)).toEqual((await memories()).map(({ id }) => id))
})

it('reads stream-json by its first line, and half a line at the end loses nothing before it', async () => {
  const { run, contents } = runWorkspace()
  const event = (text: string) =>
    JSON.stringify({
      type: 'assistant',
      session_id: 's',
      message: { id: text, role: 'assistant', content: [{ type: 'text', text }] },
    })
  const stream = [
    JSON.stringify({ type: 'system', subtype: 'init', session_id: 's' }),
    event('[MEMORY:timing:web] Takes 60s to start'),
    JSON.stringify({
      type: 'user',
      message: { content: [{ type: 'tool_result', content: '[MEMORY:behavior] Read in a file' }] },
    }),
    event('[MEMORY:behavior] Said too late').slice(0, -9),
  ].join('\n')
  const { code, stdout } = await run([...AGENT, '--', 'printf', '%s', stream])
  expect({ code, stdout }).toEqual({ code: 0, stdout: stream })
  expect(await contents()).toEqual(['Takes 60s to start'])
})

it('a marker with an unknown category and a secret are told on standard error, without the secret', async () => {
  const { run, contents } = runWorkspace()
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  const { code, stderr } = await run([
    ...AGENT,
    ...saying('[MEMORY:weather] Rain', `[MEMORY:behavior] The token ${secret} works`),
  ])
  expect(code).toBe(0)
  expect(stderr).toMatch(/not remembered \(line 1\): .*weather/)
  expect(stderr).toContain('redacted 1 secret(s)')
  expect(stderr).not.toContain(secret)
  expect((await contents())[0]).not.toContain(secret)
})

it('clones, works on the branch, and pushes only that and only what is new', async () => {
  const { run, folder } = runWorkspace()
  const [origin, seed, clone] = ['origin.git', 'seed', 'clone'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(seed)
  git(folder, 'init', '-q', '--bare', origin)
  git(seed, 'init', '-q')
  git(seed, 'commit', '-q', '--allow-empty', '-m', 'begin')
  git(seed, 'push', '-q', origin, 'main')
  const args = [...AGENT, '--workspace', clone, '--repo', origin, '--branch', 'feature/login', '--push', '--trace']
  const idle = await run([...args, '--', 'true'])
  expect(idle.stderr).toContain('push: no new commits')
  expect(git(origin, 'branch', '--format=%(refname:short)')).toBe('main')
  const busy = await run([...args, '--', 'sh', '-c', 'git branch other; git commit -q --allow-empty -m work; exit 4'])
  expect({ code: busy.code, told: /push: (.*)/.exec(busy.stderr)?.[1] }).toEqual({
    code: 4,
    told: '1 commit to feature/login',
  })
  expect(git(origin, 'branch', '--format=%(refname:short)').split('\n')).toEqual(['feature/login', 'main'])
  expect(git(origin, 'log', '-1', '--format=%s %an', 'feature/login')).toBe('work Nori (coder)')

  writeFileSync(join(origin, 'hooks/pre-receive'), '#!/bin/sh\necho not today; exit 1\n', { mode: 0o755 })
  const refused = await run([...args, '--', 'git', 'commit', '-q', '--allow-empty', '-m', 'more'])
  expect(refused).toMatchObject({ code: 8, stderr: expect.stringMatching(/commits were not pushed: .*not today/s) })
  const failed = await run([...args, '--', 'sh', '-c', 'exit 4'])
  expect(failed.code).toBe(4)
})

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s reaches everything the agent started, and the workspace is restored',
  async (signal) => {
    const { folder, work, env, contents, sessions } = runWorkspace()
    const inner = `process.on('${signal}', () => process.exit(require('fs').writeFileSync('inner', '')));require('fs').writeFileSync('ready', '');setInterval(() => {}, 1000)`
    const script = `
      require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'ignore' })
      process.on('${signal}', () => { console.log('[MEMORY:behavior] Stopped by a signal'); process.exitCode = 7; clearInterval(timer); process.exit() })
      const timer = setInterval(() => {}, 1000)`
    const child = startCli(['run', '--workspace', work, ...AGENT, ...node(script)], { cwd: folder, env })
    child.stdin!.end()
    const ended = finish(child)
    await until(() => existsSync(join(work, 'ready')))
    child.kill(signal)
    expect((await ended).code).toBe(7)
    await until(() => existsSync(join(work, 'inner')))
    expect(readdirSync(work).sort()).toEqual(['inner', 'ready'])
    expect(await contents()).toEqual(['Stopped by a signal'])
    expect(await sessions()).toMatchObject([{ exitCode: 7 }])
  },
)

it('a caller that stops reading ends the agent as it would without us, and what it said is kept', async () => {
  const { folder, work, env, contents } = runWorkspace()
  const script = `console.log('[MEMORY:behavior] Said at the beginning'); setInterval(() => console.log('x'.repeat(10000)), 5)`
  const child = startCli(['run', '--workspace', work, ...AGENT, ...node(script)], { cwd: folder, env })
  child.stdin!.end()
  child.stdout!.once('data', () => child.stdout!.destroy())
  const code = await new Promise((resolve) => child.once('exit', resolve))
  expect(code).not.toBe(0)
  expect(readdirSync(work)).toEqual([])
  expect(await contents()).toEqual(['Said at the beginning'])
})

it('a process that the agent leaves behind does not hold up the run', async () => {
  const { run } = runWorkspace()
  const { code, stdout } = await run([...AGENT, '--', 'sh', '-c', 'sleep 600 2>/dev/null & echo "$! done"'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+ done\n$/) })
  // It still exists.
  process.kill(Number.parseInt(stdout, 10))
})

it('[B09] runs of one agent and project at the same time lose nothing', async () => {
  const { run, contents, sessions, folder } = runWorkspace()
  const nouns = ['queue', 'mailer', 'cache', 'search index', 'payment page']
  const runs = ['Berlin', 'Osaka', 'Lima', 'Oslo'].map((city) => {
    const workspace = join(folder, city)
    mkdirSync(workspace)
    return run([
      ...AGENT,
      '--workspace',
      workspace,
      ...saying(...nouns.map((noun) => `[MEMORY:behavior:${city}] The ${noun} lives there`)),
    ])
  })
  for (const { code } of await Promise.all(runs)) expect(code).toBe(0)
  expect(await contents()).toHaveLength(20)
  expect((await sessions()).every(({ exitCode }) => exitCode === 0)).toBe(true)
})

it('[B08] injection and capture together add under 5 s of processor time to a step, with the real model', async () => {
  const { run, memories, folder, work, env } = runWorkspace()
  const real = { ...env, PATH: process.env.PATH, NOKOSU_EMBEDDING: 'local' }
  await run([...AGENT, ...saying('[MEMORY:timing:web] Takes 60s to start')], { env: { NOKOSU_EMBEDDING: 'local' } })
  // The agent takes no time, so all of it is overhead. The shell reports the time of its processes.
  const command = [process.execPath, NOKOSU, 'run', '--workspace', work, ...patient([]), ...AGENT, '--quiet']
  const agent = saying('[MEMORY:behavior] Logs are rotated at noon')
  const script = ['-c', '"$@" > /dev/null && times', 'sh', ...command, ...agent]
  const times = execFileSync('bash', script, { cwd: folder, env: real, encoding: 'utf8' })
  const spent = [
    ...times
      .trim()
      .split('\n')[1]!
      .matchAll(/(\d+)m([\d.]+)s/g),
  ]
  const seconds = spent.reduce((sum, [, minutes, rest]) => sum + 60 * Number(minutes) + Number(rest), 0)
  expect(seconds).toBeGreaterThan(0.1)
  expect(seconds).toBeLessThan(5)
  expect(await memories()).toMatchObject([{ recallCount: 0 }, { recallCount: 1 }])
})
