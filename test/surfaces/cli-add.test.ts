import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import { workspace } from './run-cli.ts'
import { withStore } from './with-store.ts'

type Added = { memory: Memory; embeddingGenerated: boolean }

describe('add', () => {
  it('[D02] stores every field as given with --exact, and prints what the library returns', async () => {
    const { json, store } = workspace()
    const before = Date.now()
    const { memory, embeddingGenerated } = await json<Added>([
      ...['add', '--exact'],
      ...['--layer', 'agent', '--agent', 'miso', '--project', 'shop', '--category', 'timing', '--service', 'jellyfin'],
      ...['--tag', 'boot', '--tag', 'slow', '--importance', '80', '--confidence', '0.9', '--expires', '30d'],
      ...['--metadata', 'cycle=3', '--metadata', '{"host": {"name": "a1"}}', '--anchor', 'task_id:T7'],
      ...['--source', 'coder', '--tier', '2', 'Takes 60s to start'],
    ])
    expect(memory).toMatchObject({
      content: 'Takes 60s to start',
      layer: 'agent',
      identifiers: { agentId: 'miso', projectId: 'shop' },
      category: 'timing',
      service: 'jellyfin',
      tags: ['boot', 'slow'],
      importance: 80,
      confidence: 0.9,
      metadata: { cycle: 3, host: { name: 'a1' } },
      anchor: 'task_id:T7',
      source: 'coder',
      tier: 2,
    })
    expect(embeddingGenerated).toBe(true)
    expect(Date.parse(memory.expiresAt!) - before).toBeGreaterThan(29.9 * 86_400_000)
    await withStore(store, async (engine) => {
      expect(await engine.get(memory.id, { everything: true })).toEqual(memory)
      expect(await engine.stats()).toMatchObject({ memories: 1, models: [engine.embedding.name] })
    })
  })

  it('an import takes no secret in, in whatever text of a record, and its complaints tell none', async () => {
    const { run, folder } = workspace()
    const token = `ghp_${'a1B2c3D4e5'.repeat(4)}`.slice(0, 40)
    const phrase = 'the password is Xk9-wombat-71'
    const at = '2026-01-01T00:00:00.000Z'
    const change = { memory: 'M-1', version: 1, operation: 'create', at, by: 'cli', after: null }
    const event = { id: 'E-1', at, type: 'approval', session: null, identifiers: {}, data: {} }
    const injection = { id: 'I-1', session: 'S-1', memory: 'M-1', position: 0, tokens: 1, format: 'file', at }
    await run(['add', '--project', 'home', 'Port 80 is open'])
    const [, ...stored] = (await run(['export', '--all'])).stdout.trim().split('\n')
    const { memory } = stored.map((line) => JSON.parse(line)).find(({ type }) => type === 'memory')
    const lines = [
      ...[token, phrase].flatMap((secret) => [
        { type: 'change', change: { ...change, memory: secret } },
        { type: 'change', change: { ...change, by: secret } },
        { type: 'event', event: { ...event, id: secret } },
        { type: 'event', event: { ...event, type: secret } },
        { type: 'event', event: { ...event, session: secret } },
        { type: 'injection', injection: { ...injection, memory: secret } },
        { type: 'injection', injection: { ...injection, format: secret } },
      ]),
      { type: 'memory', memory: { ...memory, id: 'M-2', layer: phrase } },
      { type: 'memory', memory: { ...memory, id: 'M-3', layer: `a token that is long ${token}` } },
      { type: 'memory', memory: { ...memory, id: 'M-4', [phrase]: 1 } },
    ]
    const input = lines.map((line) => JSON.stringify(line)).join('\n')
    const { stdout, stderr } = await run(['import', '-'], { input })
    const told = `${stdout}${stderr}${(await run(['import', '-', '--json'], { input })).stdout}`
    const kept = readdirSync(join(folder, '.nokosu')).map((name) =>
      readFileSync(join(folder, '.nokosu', name), 'latin1'),
    )
    for (const secret of [token.slice(0, 12), 'wombat']) {
      expect(told).not.toContain(secret)
      expect(kept.join('')).not.toContain(secret)
    }
    expect(told).toContain('is not a layer')
  })

  it('takes a place in a thread and a time, shows them, and keeps them through update, export and import', async () => {
    const { json, run } = workspace()
    const SHOP = ['--project', 'shop']
    const before = Date.now()
    const said = ['--thread', 'incident:7:4', '--happened', '2d', 'The replica was promoted']
    const { memory } = await json<Added>(['add', ...SHOP, ...said])
    expect(memory.thread).toEqual({ id: 'incident:7', index: 4 })
    expect(Math.abs(before - 2 * 86_400_000 - Date.parse(memory.occurredAt!))).toBeLessThan(60_000)
    const changed = ['--thread', 'incident-8', '--happened', '2026-05-02']
    await run(['update', ...SHOP, memory.id, ...changed])
    const { stdout } = await run(['get', ...SHOP, memory.id])
    expect(stdout).toContain('thread      incident-8:0')
    expect(stdout).toContain('happened    2026-05-02T00:00:00.000Z')

    const exported = await run(['export', '--all'])
    const other = workspace()
    await other.run(['import', '-'], { input: exported.stdout })
    const place = { thread: { id: 'incident-8', index: 0 }, occurredAt: '2026-05-02T00:00:00.000Z' }
    expect(await other.json(['get', ...SHOP, memory.id])).toMatchObject(place)
    const cleared = await json<Added>(['update', ...SHOP, memory.id, '--thread', 'none', '--happened', 'never'])
    expect(cleared.memory).toMatchObject({ thread: null, occurredAt: null })
  })

  it('takes the nearest layer whose identifier is given, and text from standard input', async () => {
    const { json, run } = workspace()
    const { memory } = await json<Added>(['add', '--team', 'web', '--task', 'T7', '-'], { input: 'one\ntwo\n\n' })
    expect(memory).toMatchObject({ layer: 'task', content: expect.stringMatching(/^one\s+two$/) })
    const shown = await run(['add', '--project', 'shop', 'Something'])
    expect(shown).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('project shop') })
  })

  it('[D03] [D20] names the identifier that is missing, and the flag that gives it', async () => {
    const { failure, run } = workspace()
    expect(await failure(['add', '--layer', 'session', '--project', 'shop', 'x'])).toMatchObject({
      exit: 2,
      code: 'MISSING_IDENTIFIER',
      details: { identifier: 'sessionId' },
    })
    const { stderr, stdout } = await run(['add', '--layer', 'session', '--project', 'shop', 'x'])
    expect(stderr).toBe(
      'nokosu: MISSING_IDENTIFIER The session layer needs --session.\n' +
        'Name it:\n  nokosu add --layer session --project shop x --session ID\n',
    )
    expect(stdout).toBe('')
  })

  it('refuses bytes that are not text, lone surrogates and bad flags, and stores nothing', async () => {
    const { failure, json } = workspace()
    const add = (...args: string[]) => failure(['add', '--project', 'p', ...args])
    const tried = await Promise.all([
      failure(['add', '--project', 'p', '-'], { input: Buffer.from([0x61, 0xff, 0xfe]) }),
      failure(['add', '--project', 'p', '-'], { input: '' }),
      add('--metadata', '{"a": "\\ud800"}', 'x'),
      add('--metadata', '__proto__=1', 'x'),
      add('--importance', '101', 'x'),
      add('--importance', 'high', 'x'),
      add('--expires', 'soon', 'x'),
      add('--category', 'gossip', 'x'),
      add('--colour', 'red', 'x'),
      add('x', '-', 'y'),
      add(),
    ])
    for (const error of tried) expect(error).toMatchObject({ exit: 2, code: 'INVALID_INPUT', retryable: false })
    expect(await json(['list', '--all', '--limit', '1'])).toEqual({ memories: [], nextCursor: null, totalCount: 0 })
  })
})
