import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CaptureReport } from '../../src/engine/capture.ts'
import { kindsOf, lines, query, streamOf } from './agent-output.ts'
import { workspace } from './run-cli.ts'

const CAPTURE = ['capture', '--project', 'home']
const GOOD = '[MEMORY:timing:backup] The full backup takes 3 hours'

interface Row {
  category: string
  service: string | null
  observation: string
  confidence: number
  tier: number
  active: number
}
const COLUMNS = 'category, service, observation, confidence, tier, active'

/** A workspace, and its table after a run with this output. */
async function captured(texts: string[], ...flags: string[]) {
  const { folder, run } = workspace()
  const ran = await run(['capture', '--project', 'home', ...flags], { input: streamOf('run-1', ...texts) })
  const stored = query<Row>(folder, `SELECT ${COLUMNS} FROM memories ORDER BY id`)
  return { folder, run, ran, stored }
}

describe('markers', () => {
  it('[E03] a valid category is stored in the memories table, for each of the five', async () => {
    const categories = ['timing', 'dependency', 'behavior', 'remediation', 'maintenance']
    const { ran, stored } = await captured(
      categories.map((name) => `[MEMORY:${name}:${name}-unit] Something of ${name}`),
    )
    expect(ran.code).toBe(0)
    expect(stored.map(({ category }) => category)).toEqual(categories)
  })

  it('[E04] an invalid category stores nothing and is logged as a warning that names it', async () => {
    const { ran, stored } = await captured(['[MEMORY:misc] The lights are on'])
    expect(stored).toEqual([])
    expect(ran.code).toBe(0)
    const logged = ran.stderr.split('\n').filter((line) => line.startsWith('{'))
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 40, session: 'run-1', msg: expect.stringContaining('Unknown category "misc"') }),
    ])
    expect(ran.stdout).toContain('Unknown category "misc"')
    expect(ran.stderr).toContain('0 new, 0 reinforced, 0 known, 1 refused')
  })

  it('[E05] [E06] [E17] a marker is stored under its service, and without one is general, at confidence 0.7, of the tier of its session', async () => {
    const text = 'DNS checks sometimes fail transiently during WireGuard reconnects -- retry once before escalating'
    const said = `I looked.\n[MEMORY:remediation] ${text}\n[MEMORY:timing:jellyfin] Takes 60s to start\nDone.`
    const { stored } = await captured([said], '--tier', '2')
    const row = { confidence: 0.7, tier: 2, active: 1 }
    expect(stored).toEqual([
      { ...row, category: 'remediation', service: null, observation: text },
      { ...row, category: 'timing', service: 'jellyfin', observation: 'Takes 60s to start' },
    ])
  })

  it('[E07] only assistant text makes memories: no tool result, user text, system event, thought or API error', async () => {
    const { folder, json } = workspace()
    const marker = '[MEMORY:timing] must not be stored'
    const session_id = 'run-1'
    const speak = (content: unknown, rest = {}) => ({
      type: 'assistant',
      message: { id: 'm', role: 'assistant', model: 'model-a', content, ...rest },
      parent_tool_use_id: null,
      session_id,
    })
    const input = lines(
      { type: 'system', subtype: 'init', session_id, output: marker },
      { type: 'user', session_id, message: { role: 'user', content: marker } },
      { type: 'user', session_id, message: { role: 'user', content: [{ type: 'tool_result', content: marker }] } },
      speak([{ type: 'tool_use', id: 't', name: 'Bash', input: { command: `echo "${marker}"` } }]),
      speak([{ type: 'thinking', thinking: marker }]),
      speak([{ type: 'text', text: marker }], { model: '<synthetic>' }),
      { ...speak([{ type: 'text', text: marker }]), parent_tool_use_id: 't' },
      speak([{ type: 'text', text: '[MEMORY:timing] The backup takes 3 hours' }]),
    )
    const report = await json<CaptureReport>(['capture', '--project', 'home'], { input })
    expect(kindsOf(report)).toEqual(['insert'])
    expect(query(folder, 'SELECT observation FROM memories')).toEqual([{ observation: 'The backup takes 3 hours' }])
  })

  it('[E08] a memory is linked to the row of its session, its times are now, in UTC', async () => {
    const before = new Date().toISOString()
    const { folder } = await captured(['[MEMORY:timing] The backup takes 3 hours'], '--role', 'observer', '--tier', '1')
    const [row] = query<Record<string, string>>(
      folder,
      `SELECT s.key, s.project, s.role, s.tier, s.started_at, m.created_at, m.updated_at
       FROM memories m JOIN sessions s ON s.id = m.session_id`,
    )
    expect(row).toMatchObject({ key: 'run-1', project: 'home', role: 'observer', tier: 1 })
    for (const time of [row!.started_at!, row!.created_at!, row!.updated_at!]) {
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(time >= before && time <= new Date().toISOString()).toBe(true)
    }
  })

  it('reads any other command’s output as text, and a dry run stores nothing', async () => {
    const { folder, json } = workspace()
    const capture = (...flags: string[]) =>
      json<CaptureReport>(['capture', '--format', 'text', '--project', 'home', '--session', 'cron-7', ...flags], {
        input: 'checking\n[MEMORY:timing:disk] The scrub takes a day\n',
      })
    expect(kindsOf(await capture('--dry-run'))).toEqual(['insert'])
    expect(kindsOf(await capture())).toEqual(['insert'])
    expect(query(folder, 'SELECT s.key FROM memories m JOIN sessions s ON s.id = m.session_id')).toEqual([
      { key: 'cron-7' },
    ])
  })

  it('lands in the project’s layer, whoever says it, and where --layer or --private says', async () => {
    const { folder, run } = workspace()
    const say = (session: string, ...flags: string[]) =>
      run(['capture', '--project', 'home', ...flags], { input: streamOf(session, `[MEMORY:timing] From ${session}`) })
    await say('one')
    await say('two', '--agent', 'miso')
    await say('private', '--agent', 'miso', '--private')
    await say('three', '--agent', 'miso', '--team', 'ops', '--layer', 'team')
    expect(query(folder, 'SELECT scope, scope_id FROM memories ORDER BY id')).toEqual([
      { scope: 'project', scope_id: 'home' },
      { scope: 'project', scope_id: 'home' },
      { scope: 'agent', scope_id: 'miso' },
      { scope: 'team', scope_id: 'ops' },
    ])
  })
})

describe('learnings', () => {
  const learn = ['capture', '--format', 'learnings', '--agent', 'miso', '--project', 'shop', '--session', 'run-1']

  it('[A02] [A07] two learnings of a run become two items of the agent and project, source extraction', async () => {
    const { folder, json } = workspace()
    const input = '```json\n["The API tests need a seeded database", {"content": "Use pnpm, not npm"}]\n```'
    const { outcomes } = await json<CaptureReport>(learn, { input })
    expect(outcomes.map((outcome) => 'memory' in outcome && outcome.memory)).toMatchObject([
      { content: 'The API tests need a seeded database', identifiers: { agentId: 'miso', projectId: 'shop' } },
      { content: 'Use pnpm, not npm' },
    ])
    const columns = 'observation, source, category, scope, scope_id, ulid, created_at'
    const stored = query<{ ulid: string; created_at: string }>(folder, `SELECT ${columns} FROM memories`)
    expect(stored).toHaveLength(2)
    for (const row of stored) {
      expect(row).toMatchObject({ source: 'extraction', category: 'learning', scope: 'agent', scope_id: 'miso' })
      expect(row.ulid).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
      expect(new Date(row.created_at).toISOString()).toBe(row.created_at)
    }
  })

  it('[A09] nothing learned: nothing is stored, and nothing is wrong', async () => {
    const { folder, run } = workspace()
    const { code, stderr } = await run(learn, { input: '[]' })
    expect({ code, warned: stderr.includes('"level":40') }).toEqual({ code: 0, warned: false })
    expect(query(folder, 'SELECT * FROM memories')).toEqual([])
  })
})

describe('secrets', () => {
  // Assembled at run time, so that scanners do not flag this file.
  const secret = `gh${'p_'}${'aB3dE5fG7hI9jK1lM3nO'}${'5pQ7rS9tU1vW3xY5'}`

  it.each([
    ['in a marker', [`[MEMORY:behavior:ci] The deploy uses ${secret} as its token`], 1],
    ['hidden by zero-width spaces', [`[MEMORY:behavior:ci] The deploy uses ${[...secret].join('\u200b')}`], 1],
    ['in what a marker quotes', [`[MEMORY:behavior:ci] The token was turned (was: ${secret} is the token)`], 1],
    ['in a refused marker', [`[MEMORY:gossip] ${'a word or two '.repeat(6)}${secret}`], 0],
    ['in fenced code', [`\`\`\`\n$ ls\n[MEMORY:timing] ${'x'.repeat(90)} ${secret}\n\`\`\``], 0],
    ['in a line that is no JSON', ['fine'], 0],
  ])('%s reach neither the store, the log nor the output', async (_, texts, count) => {
    const { folder, run } = workspace()
    const broken = texts[0] === 'fine' ? `{"type":"assistant","env":"${'x'.repeat(60)} ${secret}"` : ''
    for (const flags of [['--log', 'debug'], ['--json']]) {
      const ran = await run(['capture', '--project', 'home', ...flags], { input: streamOf('run-1', ...texts) + broken })
      expect(ran.code).toBe(0)
      expectNoSecret(ran.stdout + ran.stderr)
    }
    const stored = query<{ observation: string }>(folder, 'SELECT observation FROM memories')
    expect(stored).toHaveLength(count)
    for (const file of ['memory.db', 'memory.db-wal']) {
      const path = join(folder, '.nokosu', file)
      if (existsSync(path)) expectNoSecret(readFileSync(path, 'latin1'))
    }
  })

  it('are counted where they were redacted', async () => {
    const { run, folder } = workspace()
    const input = streamOf('run-1', `[MEMORY:behavior:ci] The deploy uses ${secret} as its token`)
    expect((await run(['capture', '--project', 'home'], { input })).stdout).toContain('1 secret redacted')
    expect(query(folder, 'SELECT observation FROM memories')).toEqual([
      { observation: 'The deploy uses [REDACTED:github-token] as its token' },
    ])
  })

  /** Checks its beginning and end separately, so that a large part of it is found too. */
  function expectNoSecret(text: string): void {
    expect(text.replaceAll('\u200b', '').includes(secret.slice(0, 14))).toBe(false)
    expect(text.includes(secret.slice(-14))).toBe(false)
  }
})

describe('input that is bad', () => {
  it('an empty file is nothing, and no error', async () => {
    const { folder, json } = workspace()
    writeFileSync(join(folder, 'empty.jsonl'), '')
    const report = await json<CaptureReport>(['capture', 'empty.jsonl', '--project', 'home'])
    expect(report).toMatchObject({ outcomes: [], refusals: [], warnings: [], session: null, lines: 0 })
  })

  it('a file that is not there, and a folder, are errors, and no store is made', async () => {
    const { folder, failure } = workspace()
    for (const path of ['nowhere.jsonl', folder]) {
      expect(await failure(['capture', path, '--project', 'home'])).toMatchObject({
        exit: 2,
        code: 'INVALID_INPUT',
        details: { path: resolve(folder, path) },
      })
    }
    expect(() => query(folder, 'SELECT 1')).toThrow()
  })

  it('no content can move the cursor of the one who looks', async () => {
    const { run } = workspace()
    const input = streamOf('run-1', '[MEMORY:behavior:x] A\u001b[2Jb\u0007c\u009bd', '[MEMORY:b\u001b[31mad] x')
    const { stdout, stderr } = await run(CAPTURE, { input })
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    expect(stdout).toContain('[behavior:x]')
  })

  it.each([
    [['--tier', '9'], 'tier'],
    [['--format', 'xml'], 'format'],
    [['--layer', 'planet'], 'layer'],
    [['--project', ''], 'identifiers.projectId'],
  ])('the flags %j are refused by name, and nothing is stored', async (flags, field) => {
    const { failure, json } = workspace()
    const error = await failure([...CAPTURE, ...flags], { input: streamOf('run-1', GOOD) })
    expect(error).toMatchObject({ exit: 2, details: { field } })
    expect(await json(['list', '--all'])).toMatchObject({ totalCount: 0 })
  })

  it('without a project there is nowhere to put it', async () => {
    const { failure } = workspace()
    expect(await failure(['capture'], { input: streamOf('run-1', GOOD) })).toMatchObject({
      code: 'MISSING_IDENTIFIER',
      details: { identifier: 'projectId' },
    })
  })
})
