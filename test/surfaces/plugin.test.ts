import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { LAUNCHER, shop } from './plugin-space.ts'
import { finish, runCli } from './run-cli.ts'

const MARKER = '[MEMORY:timing:jellyfin] Takes 60s to start'

const quiet = { code: 0, stdout: '', stderr: '' }

describe('session-start', () => {
  it('with nothing remembered yet it says how to leave something behind, and creates nothing', async () => {
    const { folder, start } = shop()
    const { context, stderr } = await start()
    expect(context).toMatch(/^## Memory Recording\n/)
    expect(stderr).toBe('')
    expect(readdirSync(folder)).toEqual(['.git'])
  })

  it('shows what is remembered of the project, and records that it did', async () => {
    const { add, start, json, sessions } = shop()
    await add('--category', 'timing', '--service', 'jellyfin', 'Takes 60s to start')
    await json(['add', '--project', 'warehouse', '--category', 'timing', 'Belongs to another project'])
    const { context, stderr } = await start()
    expect(stderr).toBe('')
    expect(context).toMatch(/^Notes that .*\n\n## Operational Memory \(1 memory, ~\d+ tokens\)\n\n### jellyfin\n/)
    expect(context).toContain('- [timing] Takes 60s to start (confidence: 0.7)\n\n## Memory Recording\n')
    expect(context).not.toContain('another project')
    expect(await sessions()).toMatchObject([{ id: 's1', project: 'shop', endedAt: null }])
  })

  it('adds what the branch is about', async () => {
    const { folder, add, start } = shop({ branch: 'fix/login-redirect' })
    const racks = Array.from({ length: 40 }, (_, i) => `[MEMORY:behavior] Rack ${i} has its own switch ${i * 7}`)
    await runCli(['capture', '--format', 'text', '--project', 'shop', '--session', 's0'], {
      cwd: folder,
      input: racks.join('\n'),
    })
    await add('--category', 'rejection', '--confidence', '0.5', 'The login redirect keeps the query string')
    const { context } = await start({}, { NOKOSU_MEMORY_BUDGET: '300' })
    expect(context).toContain('## Relevant Memory')
    expect(context).toContain('- [rejection] The login redirect keeps the query string')
  })

  it('stays under 10,000 characters, however much is remembered and asked for', async () => {
    const { folder, start } = shop({ branch: 'fix/login-redirect' })
    const lines = Array.from(
      { length: 120 },
      (_, i) => `[MEMORY:behavior:s${i}] ${`Login part ${i} redirects “twice” `.repeat(9)}`,
    )
    const args = ['capture', '--format', 'text', '--project', 'shop', '--session', 's0', '--json']
    expect((await runCli(args, { cwd: folder, input: lines.join('\n') })).code).toBe(0)
    const { context } = await start({}, { NOKOSU_MEMORY_BUDGET: '100000' })
    expect(context.length).toBeGreaterThan(9000)
    expect(context.length).toBeLessThan(10_000)
    expect(context).toContain('## Memory Recording')
    const small = await start({ session_id: 's2' }, { NOKOSU_MEMORY_BUDGET: '200' })
    expect(small.context.length).toBeLessThan(3500)
  })

  it('a session with an agent has the agent’s memories too, and leaves the project its own, with its name', async () => {
    const { add, start, hook, say, list } = shop()
    await add('--category', 'timing', 'Known to everybody')
    await add('--layer', 'agent', '--agent', 'nori', '--category', 'timing', 'The cache warms up in 40 s')
    expect((await start()).context).not.toContain('The cache warms up in 40 s')
    const nori = { NOKOSU_AGENT: 'nori' }
    const { context } = await start({ session_id: 's2' }, nori)
    expect(context).toContain('The cache warms up in 40 s')
    expect(context).toContain('Known to everybody')
    say(MARKER)
    expect(await hook('session-end', { session_id: 's2' }, nori)).toMatchObject({ code: 0 })
    expect((await list())[0]).toMatchObject({ layer: 'project', identifiers: { agentId: 'nori', projectId: 'shop' } })
  })

  it('says nothing and leaves nothing in a folder that is no project', async () => {
    const { folder, hook, say } = shop({ git: false })
    say(MARKER)
    expect(await hook('session-start')).toMatchObject(quiet)
    expect(await hook('session-end')).toMatchObject(quiet)
    expect(readdirSync(folder)).toEqual([])
  })

  it('says nothing and keeps nothing where memory is switched off', async () => {
    const { folder, hook, say } = shop()
    writeFileSync(join(folder, 'nokosu.config.json'), '{"memory": {"enabled": false}}')
    say(MARKER)
    for (const event of ['session-start', 'session-end'] as const) expect(await hook(event)).toMatchObject(quiet)
    expect(existsSync(join(folder, '.nokosu'))).toBe(false)
  })
})

describe('session-end', () => {
  it('keeps the markers of the transcript, once, and says when the session ended', async () => {
    const { hook, say, list, sessions, start } = shop()
    await start()
    say('Looking.', `Found it.\n${MARKER}\nDone.`)
    expect(await hook('session-end', { reason: 'other' })).toMatchObject(quiet)
    const kept = await list()
    expect(kept).toMatchObject([
      {
        content: 'Takes 60s to start',
        service: 'jellyfin',
        layer: 'project',
        identifiers: { projectId: expect.stringMatching(/^shop~[0-9a-f]{8}$/) },
        session: 's1',
        confidence: 0.7,
      },
    ])
    expect(await sessions()).toMatchObject([
      { id: 's1', project: kept[0]!.identifiers.projectId, endedAt: expect.any(String) },
    ])
    expect(await hook('session-end')).toMatchObject(quiet)
    expect(await list()).toEqual(kept)
  })

  it('a session that left nothing behind creates nothing', async () => {
    const { folder, hook, say } = shop()
    expect(await hook('session-end')).toMatchObject(quiet)
    say('Nothing to report.')
    expect(await hook('session-end')).toMatchObject(quiet)
    expect(readdirSync(folder)).toEqual(['.git'])
  })

  it('the project is the one that the session started in, wherever the agent went', async () => {
    const { parent, folder, hook, say, contents } = shop()
    say(MARKER)
    expect(await hook('session-end', { cwd: parent }, { CLAUDE_PROJECT_DIR: folder })).toMatchObject(quiet)
    expect(await contents()).toEqual(['Takes 60s to start'])
  })

  it('inside a run it keeps for that run, and the run alone shows', async () => {
    const { folder, hook, say, list, sessions } = shop()
    const run = { NOKOSU_SESSION: 'run-7', NOKOSU_AGENT: 'nori', NOKOSU_PROJECT: 'store' }
    say(MARKER)
    const engine = await openMemory({ storage: `sqlite:${folder}/.nokosu/memory.db`, embedding: { kind: 'hashing' } })
    await engine.beginSession({ id: 'run-7', agent: 'nori', project: 'store' })
    const heard = { content: 'Takes 60s to start', category: 'timing', service: 'jellyfin' } as const
    await engine.remember([heard], { identifiers: { agentId: 'nori', projectId: 'store' }, session: 'run-7' })
    await engine.shutdown()
    const before = await list()
    expect(await hook('session-start', {}, run)).toMatchObject(quiet)
    expect(await hook('stop', { last_assistant_message: MARKER }, run)).toMatchObject(quiet)
    expect(await hook('session-end', {}, run)).toMatchObject(quiet)
    expect(await list()).toEqual(before)
    expect(before).toMatchObject([{ layer: 'project', session: 'run-7' }])
    expect(await sessions()).toMatchObject([{ id: 'run-7', endedAt: null }])
  })
})

describe('stop', () => {
  it('keeps the last answer at once, and the end of the session changes nothing more', async () => {
    const { hook, say, list } = shop()
    expect(await hook('stop', { last_assistant_message: `Done.\n${MARKER}` })).toMatchObject(quiet)
    const kept = await list()
    expect(kept).toMatchObject([{ content: 'Takes 60s to start', session: 's1' }])
    say(`Done.\n${MARKER}`)
    expect(await hook('session-end')).toMatchObject(quiet)
    expect(await list()).toEqual(kept)
  })

  it('an answer without a marker does not even start Node', async () => {
    const { folder, hook } = shop()
    const ran = await hook('stop', { last_assistant_message: 'Done.' }, { NODE_OPTIONS: '--no-such-option' })
    expect(ran).toEqual(quiet)
    expect(existsSync(join(folder, '.nokosu'))).toBe(false)
  })
})

describe('a hook never fails', () => {
  const EVENTS = ['session-start', 'stop', 'session-end'] as const
  function damage(folder: string): void {
    mkdirSync(join(folder, '.nokosu'))
    writeFileSync(
      join(folder, '.nokosu/memory.db'),
      'this is not a database, and long enough to be looked at'.repeat(100),
    )
  }

  it.each(EVENTS)('%s: a broken store is one line on standard error', async (event) => {
    const { folder, hook, say } = shop()
    damage(folder)
    say(MARKER)
    const ran = await hook(event, { last_assistant_message: MARKER })
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(/^nokosu: [^\n]*memory\.db[^\n]*\n$/)
    if (event !== 'session-start') return
    expect(ran.stdout).toContain('Memory Recording')
    // The user sees it once, at session start, because few people read hook output.
    expect(JSON.parse(ran.stdout).systemMessage).toMatch(/^nokosu: The session starts without memories: .*memory\.db/)
    const again = JSON.parse((await hook(event, { source: 'compact' })).stdout)
    expect(again).not.toHaveProperty('systemMessage')
  })

  it('what a broken store could not take is delivered when it works again', async () => {
    const { folder, hook, say, contents, start } = shop()
    damage(folder)
    await hook('stop', { last_assistant_message: '[MEMORY:behavior] Answers 302 when healthy' })
    say(MARKER, 'The key is [MEMORY:maintenance] Rotate AKIAIOSFODNN7EXAMPLQ monthly')
    await hook('session-end')
    const spool = join(folder, '.nokosu/spool')
    const waiting = readdirSync(spool).filter((name) => name.endsWith('.ready.jsonl'))
    expect(waiting).toHaveLength(2)
    for (const name of waiting) expect(readFileSync(join(spool, name), 'utf8')).not.toContain('AKIAIOSFODNN7EXAMPLQ')
    writeFileSync(join(folder, '.nokosu/memory.db'), '')
    const { context } = await start({ session_id: 's2' })
    expect(context).toContain('Takes 60s to start')
    expect(await contents()).toEqual([
      'Answers 302 when healthy',
      expect.stringMatching(/^Rotate .* monthly$/),
      'Takes 60s to start',
    ])
    expect(readdirSync(spool).filter((name) => name.endsWith('.jsonl'))).toEqual([])
  })

  it('what a session learned is asked for when it is over, by a process that the hook does not wait for', async () => {
    const { folder, parent, hook, say, contents } = shop()
    const asked = join(parent, 'asked')
    // It ends when it may, after the hook.
    const command = `while [ ! -e ${parent}/go ]; do sleep 0.1; done; cat > ${asked}; echo '["The login needs a cookie"]'`
    const configure = (extract: object) =>
      writeFileSync(join(folder, 'nokosu.config.json'), JSON.stringify({ extract: { command, ...extract } }))
    const long = `I looked at the login. ${'It took a while to see why it failed. '.repeat(20)}`
    configure({ sessions: false })
    say(long)
    await hook('session-end')
    configure({})
    say('Short.')
    await hook('session-end')
    say(long, MARKER)
    expect(await hook('session-end')).toMatchObject(quiet)
    expect(await contents()).toEqual(['Takes 60s to start'])
    writeFileSync(join(parent, 'go'), '')
    await vi.waitUntil(async () => (await contents()).includes('The login needs a cookie'), { timeout: 60_000 })
    expect(readFileSync(asked, 'utf8')).toContain('It took a while to see why it failed.')
    expect((await contents()).length).toBe(2)
  })

  it('a disk that takes nothing, neither the store nor the spool', async () => {
    const { folder, hook, say, parent } = shop()
    say(MARKER)
    const transcript = join(parent, 'transcript.jsonl')
    // Not even root can create a folder below a file.
    const nowhere = { NOKOSU_DB: `sqlite:${transcript}/memory.db`, XDG_STATE_HOME: transcript }
    const { code, stdout, stderr } = await hook('session-end', {}, nowhere)
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toMatch(/captured later: nokosu capture --format transcript --project shop~[0-9a-f]{8} \//)
    expect(stderr).toContain(transcript)
    expect((await hook('session-start', {}, nowhere)).stdout).toContain('Memory Recording')
    expect(readdirSync(folder)).toEqual(['.git'])
  })

  it.each([
    ['nothing', ''],
    ['no JSON', 'hello'],
    ['no session', '{"hook_event_name": "SessionEnd"}'],
    ['a list', '[]'],
  ])('%s on standard input', async (_, input) => {
    const { launch } = shop()
    for (const event of ['session-start', 'session-end']) {
      const { code, stdout, stderr } = await launch(['hook', event], input)
      const told = stdout === '' ? {} : JSON.parse(stdout)
      expect([code, Object.keys(told)]).toEqual([0, event === 'session-start' ? ['systemMessage'] : []])
      expect(stderr).toMatch(/^nokosu: [^\n]+\n$/)
    }
  })

  it('an input that is never closed', async () => {
    const { folder } = shop()
    const child = spawn('sh', [LAUNCHER, 'hook', 'session-start'], { cwd: folder, stdio: 'pipe' })
    const { code, stdout, stderr } = await finish(child)
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { systemMessage: 'nokosu: the hook took too long and was abandoned.' },
    ])
    expect(stderr).toContain('too long')
  })

  it('a configuration that is wrong, a folder that is gone, an event and a flag that nobody knows', async () => {
    const { folder, hook, launch } = shop()
    writeFileSync(join(folder, 'nokosu.config.json'), '{"budgte": 5}')
    expect(await hook('session-start')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\{"systemMessage":"nokosu: .*budgte/),
      stderr: expect.stringContaining('budgte'),
    })
    expect((await hook('session-end', { cwd: '/no/such/folder' })).code).toBe(0)
    expect(await launch(['hook', 'pre-compact'], '{}')).toMatchObject({ code: 0, stdout: '' })
    expect(await launch(['hook', 'session-start', '--no-such-flag'], '{}')).toMatchObject({ code: 0, stdout: '' })
  })
})
