import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMemory } from '../../src/engine/open-memory.ts'
import type { Memory } from '../../src/model/memory.ts'
import type { SearchResults } from '../../src/model/provider.ts'
import { query } from './agent-output.ts'
import { workspace } from './run-cli.ts'

type Added = { memory: Memory; embeddingGenerated: boolean }

async function withStore<T>(storage: string, work: (engine: Awaited<ReturnType<typeof openMemory>>) => Promise<T>) {
  const engine = await openMemory({ storage, embedding: { kind: 'hashing' } })
  try {
    return await work(engine)
  } finally {
    await engine.shutdown()
  }
}

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

  it('[D22] refuses an unknown layer, for good', async () => {
    const { failure } = workspace()
    const error = await failure(['add', '--layer', 'planet', '--project', 'p', 'x'])
    expect(error).toMatchObject({ exit: 2, code: 'INVALID_LAYER', retryable: false })
  })

  it('[D23] refuses text that is too long, saying the limit', async () => {
    const { failure } = workspace()
    const error = await failure(['add', '--project', 'p', '-'], { input: 'x'.repeat(20_000) })
    expect(error).toMatchObject({ exit: 2, code: 'CONTENT_TOO_LONG', details: { maxLength: 16_384 } })
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

describe('reading', () => {
  it('[D04] [D12] [D13] prints the library’s own results for list, search, get, history, sessions and directory', async () => {
    const { folder, json, store } = workspace()
    mkdirSync(join(folder, '.nokosu'))
    const ids = await withStore(store, async (engine) => {
      const { memories } = await engine.bulkAdd(
        Array.from({ length: 7 }, (_, i) => ({
          content: `Deploy number ${i} of the billing service took ${i} minutes`,
          layer: i % 2 === 0 ? ('project' as const) : ('team' as const),
          identifiers: { projectId: 'shop', teamId: 'web' },
          tags: [`t${i % 3}`],
          metadata: { minutes: i },
          service: i < 3 ? 'billing' : null,
        })),
      )
      await engine.update(memories[0]!.id, { confidence: 0.9 }, { everything: true })
      await engine.directory.set({ projectId: 'shop', teamId: 'web' })
      await engine.beginSession({ id: 'S1', agent: 'miso', project: 'shop', tier: 1 })
      return memories.map((memory) => memory.id)
    })
    const shop = { projectId: 'shop' }
    const printed = await Promise.all([
      json(['list', '--all', '--limit', '3']),
      json(['list', '--project', 'shop', '--layers', 'project,team', '--tag', 't0', '--tag', 't1']),
      json(['list', '--all', '--limit', '50', '--filter', 'minutes>=2', '--filter', 'minutes<5', '--general']),
      json(['search', '--project', 'shop', '--threshold', '0', '--order', 'relevance', '--explain', 'billing deploy']),
      json(['search', '--project', 'shop', '--mode', 'keyword', '--layer', 'team', '--limit', '2', 'billing']),
      json(['get', '--project', 'shop', ids[0]!]),
      json(['get', '--project', 'shop', ids[0]!, '--history']),
      json(['sessions', '--project', 'shop']),
      json(['directory', 'list']),
    ])
    const expected = await withStore(store, async (engine) => [
      await engine.list({ everything: true, limit: 3 }),
      await engine.list({ identifiers: shop, layers: ['project', 'team'], tags: ['t0', 't1'] }),
      await engine.list({ everything: true, filter: { minutes: { gte: 2, lt: 5 } }, service: null }),
      await engine.search({
        query: 'billing deploy',
        identifiers: shop,
        threshold: 0,
        order: 'relevance',
        explain: true,
      }),
      await engine.search({ query: 'billing', identifiers: shop, mode: 'keyword', layers: ['team'], limit: 2 }),
      await engine.get(ids[0]!, { identifiers: shop }),
      await engine.history(ids[0]!, { identifiers: shop }),
      await engine.sessions({ identifiers: shop }),
      await engine.directory.list(),
    ])
    expect(printed).toEqual(JSON.parse(JSON.stringify(expected)))
    expect((printed[0] as { memories: unknown[] }).memories).toHaveLength(3)

    const { nextCursor } = printed[0] as { nextCursor: string }
    const rest = await json<{ memories: Memory[] }>(['list', '--all', '--cursor', nextCursor])
    expect(rest.memories.map((memory) => memory.id)).toEqual(ids.slice(0, 4).reverse())
    const all = await json<{ memories: Memory[]; totalCount: number }>(['list', '--all'])
    expect(all).toMatchObject({ totalCount: 7, nextCursor: null })
    expect(all.memories).toHaveLength(7)
  })

  it('shows tables to people', async () => {
    const { json, run } = workspace()
    const { memory } = await json<Added>(['add', '--project', 'shop', '--service', 'api', 'Needs the database first'])
    const list = await run(['list', '--project', 'shop'])
    expect(list.stdout.split('\n')[0]).toMatch(/^ID +WHERE +CATEGORY +SERVICE +CONF +CONTENT$/)
    expect(list.stdout).toContain(`${memory.id}  project shop  learning  api      0.70  Needs the database first`)
    expect(list.stdout).not.toContain('\u001B')
    const found = await run(['search', '--project', 'shop', '--mode', 'keyword', '--explain', 'database'])
    expect(found.stdout).toMatch(/^\d\.\d\d {2}Needs the database first\n.*\n.*words .*database/)
  })

  it('sessions shows which are open, and how the others ended', async () => {
    const { folder, run, store } = workspace()
    mkdirSync(join(folder, '.nokosu'))
    await withStore(store, async (engine) => {
      const start = { agent: 'miso', project: 'shop', at: '2026-01-01T00:00:00Z' }
      await engine.beginSession({ id: 'S1', ...start })
      await engine.beginSession({ id: 'S2', ...start })
      await engine.endSession('S2', { exitCode: 3, outcome: 'failure', at: '2026-01-01T00:05:00Z' })
    })
    const { stdout } = await run(['sessions', '--project', 'shop'])
    expect(stdout).toMatch(/^S1 .* open +- +-$/m)
    expect(stdout).toMatch(/^S2 .* ended 2026-01-01T00:05:00.000Z +3 +failure$/m)
    expect(await run(['sessions', '--project', 'bank'])).toMatchObject({
      stdout: '',
      stderr: 'Nothing is stored for the project bank. This store has shop.\n',
    })
  })

  it('list says how often memories were used, where one was', async () => {
    const { run, json, store } = workspace()
    const { id } = (await json<Added>(['add', '--project', 'shop', 'Ship with ./tools/ship.sh'])).memory
    await json(['add', '--project', 'shop', 'Redis evicts sessions hourly'])
    expect((await run(['list', '--project', 'shop'])).stdout).not.toContain('USED')
    await withStore(store, async (engine) => {
      await engine.beginSession({ id: 'S1', project: 'shop' })
      await engine.as({ projectId: 'shop' }).context({ session: 'S1' })
      await engine.endSession('S1', { exitCode: 0, used: [id] })
    })
    const { stdout } = await run(['list', '--project', 'shop'])
    expect(stdout).toMatch(/CONF +USED +CONTENT$/m)
    expect(stdout).toMatch(/0\.70 +0 +Redis/)
    expect(stdout).toMatch(/0\.70 +1 +Ship/)
  })

  it('list says which memories are corrected', async () => {
    const { run } = workspace()
    const add = (text: string) =>
      run(['add', '--project', 'shop', '--category', 'timing', '--service', 'jellyfin', text])
    await add('Takes 60s to start')
    await add('Takes 90s to start (was: Takes 60s to start)')
    for (const args of [['list'], ['list', '--limit', 'all']]) {
      const { stdout } = await run([...args, '--project', 'shop'])
      expect(stdout).toContain('0.50  (corrected) Takes 60s to start\n')
      expect(stdout).toContain('0.70  Takes 90s to start')
    }
  })

  it('get --history shows each text that a memory had', async () => {
    const { run, json } = workspace()
    const { id } = (await json<Added>(['add', '--project', 'p', 'Takes 60s'])).memory
    await json(['update', '--project', 'p', id, '--content', 'Takes 90s'])
    await json(['update', '--project', 'p', id, '--confidence', '0.9'])
    const { stdout } = await run(['get', '--project', 'p', id, '--history'])
    const history = stdout.slice(stdout.indexOf('\n\n', stdout.indexOf('updated')))
    expect(history).toMatch(
      /v1 {2}create by cli\n {4}Takes 60s\n.*v2 {2}update by cli\n {4}Takes \[-60s-\]{\+90s\+}\n.*v3 {2}update by cli\n {4}confidence 0.7 → 0.9\n$/,
    )
  })

  it('[D07] an unknown id is null, and exit code 4', async () => {
    const { run } = workspace()
    expect(await run(['get', '--all', 'unknown', '--json'])).toMatchObject({ code: 4, stdout: 'null\n' })
    expect(await run(['get', '--all', 'unknown'])).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('nokosu: MEMORY_NOT_FOUND There is no memory with the id unknown.'),
    })
  })

  it('does not create a store to look into', async () => {
    const { folder, json, run } = workspace()
    const list = ['list', '--project', 'p']
    expect(await json(list)).toEqual({ memories: [], nextCursor: null, totalCount: 0 })
    expect((await run(list)).stderr).toContain(join(folder, '.nokosu/memory.db'))
    const { readdirSync } = await import('node:fs')
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('whose memories', () => {
  /** Two projects, an agent's own in one of them, and a user. */
  async function stored() {
    const place = workspace()
    const add = async (...args: string[]) => (await place.json<Added>(['add', ...args])).memory.id
    return {
      ...place,
      shop: await add('--project', 'shop', 'Prices of the shop are in cents'),
      bank: await add('--project', 'bank', 'Amounts of the bank are in dollars'),
      nori: await add('--layer', 'agent', '--agent', 'nori', '--project', 'bank', 'Tests of the bank need a key'),
    }
  }

  it('nothing is read or changed without identifiers', async () => {
    const { shop, failure, json, folder } = await stored()
    const commands = [
      ...[['list'], ['search', 'prices'], ['context'], ['sessions'], ['export', '-'], ['get', shop]],
      ...[
        ['get', shop, '--history'],
        ['update', shop, '--confidence', '0.1'],
        ['delete', shop],
        ['delete', shop, shop],
      ],
    ]
    for (const command of commands) {
      expect(await failure(command)).toMatchObject({ exit: 2, code: 'MISSING_IDENTIFIER', retryable: false })
    }
    expect(await json(['list', '--all'])).toMatchObject({ totalCount: 3 })
    expect(query(folder, 'SELECT max(version) AS version FROM memories')).toEqual([{ version: 1 }])
  })

  it('a memory of another project is not there', async () => {
    const { shop, bank, nori, json, failure, run } = await stored()
    for (const id of [bank, nori]) {
      expect(await failure(['get', '--project', 'shop', id])).toMatchObject({ exit: 4, code: 'MEMORY_NOT_FOUND' })
      const update = ['update', '--project', 'shop', id, '--confidence', '0.1']
      expect(await failure(update)).toMatchObject({ exit: 4, code: 'MEMORY_NOT_FOUND' })
      expect(await failure(['delete', '--project', 'shop', id])).toMatchObject({ exit: 4, code: 'MEMORY_NOT_FOUND' })
    }
    expect(await json(['delete', '--project', 'shop', bank, nori, '--yes'])).toEqual({ deleted: 0, failed: [] })
    expect((await run(['export', '--project', 'shop', '-'])).stdout).not.toMatch(/bank/)
    expect((await json<{ memories: Memory[] }>(['list', '--project', 'shop'])).memories.map(({ id }) => id)).toEqual([
      shop,
    ])
    expect(await json(['list', '--all'])).toMatchObject({ totalCount: 3 })
  })

  it('--all opens the whole store, and goes with no identifier', async () => {
    const { bank, json, failure } = await stored()
    expect(await json(['get', '--all', bank])).toMatchObject({ id: bank })
    expect(await json(['update', '--all', bank, '--confidence', '0.4'])).toMatchObject({ memory: { confidence: 0.4 } })
    expect(await json(['delete', '--all', bank])).toEqual({ success: true })
    expect(await failure(['list', '--all', '--project', 'shop'])).toMatchObject({ exit: 2, code: 'INVALID_INPUT' })
  })

  it('the project comes from NOKOSU_PROJECT or the configuration, and a flag goes before both', async () => {
    const { folder, json } = await stored()
    const projects = async (args: string[], env = {}) =>
      (await json<{ memories: Memory[] }>(['list', ...args], { env })).memories.map(
        ({ identifiers }) => identifiers.projectId,
      )
    writeFileSync(join(folder, 'nokosu.config.json'), '{"project": "bank"}')
    expect(await projects([])).toEqual(['bank', 'bank'])
    expect(await projects([], { NOKOSU_PROJECT: 'shop' })).toEqual(['shop'])
    expect(await projects(['--project', 'shop'])).toEqual(['shop'])
    expect(await projects(['--agent', 'nori'])).toEqual(['bank', 'bank'])
    expect(await projects(['--team', 'web'])).toEqual([])
    const { memory } = await json<Added>(['add', 'Where the configuration says'])
    expect(memory).toMatchObject({ layer: 'project', identifiers: { projectId: 'bank' } })
    expect((await json<Added>(['add', '--user', 'ann', 'Hers'])).memory.identifiers).toEqual({ userId: 'ann' })
  })
})

describe('changing', () => {
  it('[D08] [D09] updates fields, and refuses a stale version', async () => {
    const { json, failure } = workspace()
    const { memory } = await json<Added>(['add', '--project', 'p', '--service', 's', '--metadata', 'a=1', 'old'])
    const metadata = await json<Added & { embeddingRegenerated: boolean }>([
      ...['update', '--project', 'p', memory.id, '--metadata', 'b=2', '--tag', 'new', '--if-version', '1'],
    ])
    expect(metadata).toMatchObject({
      memory: { metadata: { a: 1, b: 2 }, tags: ['new'], service: 's', version: 2 },
      embeddingRegenerated: false,
    })
    const content = await json(
      ['update', '--project', 'p', memory.id, '--content', '-', '--general', '--clear-tags', '--inactive'],
      {
        input: 'new\n',
      },
    )
    expect(content).toMatchObject({
      memory: { content: 'new', service: null, tags: [], active: false },
      embeddingRegenerated: true,
    })
    expect(await failure(['update', '--project', 'p', memory.id, '--content', 'x', '--if-version', '1'])).toMatchObject(
      {
        exit: 5,
        code: 'CONFLICT',
        details: { version: 3 },
      },
    )
    expect(await failure(['update', '--project', 'p', memory.id])).toMatchObject({ exit: 2, code: 'INVALID_INPUT' })
  })

  it('[D10] updating what is not there is MEMORY_NOT_FOUND', async () => {
    const { failure } = workspace()
    const error = await failure(['update', '--all', 'unknown', '--content', 'x'])
    expect(error).toMatchObject({ exit: 4, code: 'MEMORY_NOT_FOUND', details: { id: 'unknown' } })
  })

  it('[D11] deletes one or many, twice without harm, and keeps the history', async () => {
    const { json, run } = workspace()
    const ids: string[] = []
    for (const text of ['a', 'b', 'c']) ids.push((await json<Added>(['add', '--user', 'ann', text])).memory.id)
    expect(await json(['delete', '--user', 'ann', ids[0]!])).toEqual({ success: true })
    expect(await json(['delete', '--user', 'ann', ids[0]!])).toEqual({ success: true })
    expect(await json(['delete', '--user', 'ann', '--yes', ...ids])).toEqual({ deleted: 2, failed: [] })
    expect((await run(['get', '--user', 'ann', ids[0]!, '--history'])).stdout).toMatch(
      /It was deleted\..*v1 {2}create by cli.*delete/s,
    )
  })

  it('keeps the directory, which opens the layers above a project', async () => {
    const { json, failure } = workspace()
    await json(['add', '--team', 'web', 'Tuesdays are for deployments'])
    expect(await json(['directory', 'set', '--project', 'shop', '--team', 'web', '--org', 'retail'])).toHaveLength(2)
    const find = () =>
      json<SearchResults>(['search', '--project', 'shop', '--mode', 'keyword', '--threshold', '0', 'Tuesdays'])
    expect((await find()).results).toHaveLength(1)
    expect(await json(['directory', 'remove', '--project', 'shop'])).toEqual({ success: true })
    expect((await find()).results).toHaveLength(0)
    expect(await failure(['directory', 'set', '--project', 'shop'])).toMatchObject({ exit: 2, code: 'INVALID_INPUT' })
    expect(await failure(['directory', 'remove', '--project', 'a', '--team', 'b'])).toMatchObject({ exit: 2 })
  })
})

describe('the model', () => {
  it('[C18] adds and finds by meaning with no key and no network', async () => {
    const { folder, json } = workspace()
    const guard = join(folder, 'no-network.mjs')
    writeFileSync(
      guard,
      `import net from 'node:net'
import dns from 'node:dns'
const refuse = () => { process.stderr.write('the network was used'); process.exit(97) }
net.Socket.prototype.connect = refuse
dns.lookup = refuse
globalThis.fetch = refuse`,
    )
    const env = { NOKOSU_EMBEDDING: 'local', NODE_OPTIONS: `--import=${guard}` }
    await json(['add', '--project', 'shop', 'The media server needs a minute before it accepts requests'], { env })
    await json(['add', '--project', 'shop', 'Invoices are printed on recycled paper'], { env })
    const { results } = await json<SearchResults>(['search', '--project', 'shop', 'slow startup of the media server'], {
      env,
    })
    expect(results.map(({ memory }) => memory.content)).toEqual([
      'The media server needs a minute before it accepts requests',
    ])
  })

  it('is not loaded where no vector is needed', async () => {
    const { folder, json, failure } = workspace()
    const { memory } = await json<Added>(['add', '--project', 'p', 'something'])
    const broken = { embedding: { kind: 'local', modelPath: 'nowhere' } }
    writeFileSync(join(folder, 'nokosu.config.json'), JSON.stringify(broken))
    const env = { NOKOSU_EMBEDDING: '' }
    await json(['list', '--project', 'p'], { env })
    await json(['get', '--all', memory.id], { env })
    await json(['update', '--all', memory.id, '--confidence', '0.5'], { env })
    await json(['search', '--project', 'p', '--mode', 'keyword', 'something'], { env })
    await json(['delete', '--all', memory.id], { env })
    const error = await failure(['add', '--project', 'p', 'x'], { env })
    expect(error).toMatchObject({ exit: 3, code: 'MISSING_DEPENDENCY' })
  })
})

describe('what could be missed', () => {
  it('import says how many memories wait for one, doctor too, and reembed makes them', async () => {
    const { run, json } = workspace()
    await run(['add', 'Takes 60s to start', '--project', 'shop'])
    const { stdout } = await run(['export', '--all', '--no-vectors'])
    const other = workspace()
    await other.run(['add', 'The cache is warm at nine', '--project', 'shop'])
    const imported = await other.run(['import', '-'], { input: stdout })
    expect(imported.stdout).toContain('1 memory has no vector')
    expect(imported.stdout).toContain('nokosu reembed')
    const vectors = async () =>
      (await other.json<{ checks: { name: string; message: string }[] }>(['doctor'])).checks.find(
        ({ name }) => name === 'vectors',
      )
    expect(await vectors()).toMatchObject({
      status: 'warn',
      message: expect.stringMatching(/^1 memory has no vector from /),
    })
    await other.run(['reembed'])
    expect(await vectors()).toMatchObject({ status: 'ok' })
    expect(await json(['import', '-'], { input: stdout })).toMatchObject({ withoutVector: 0, existing: 1 })
  })

  it('a place in a thread that is no number is refused', async () => {
    const { run } = workspace()
    const refused = await run(['add', '--thread', 'inc-7:abc', 'The replica was promoted'])
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain("'inc-7:abc' must end with a number, such as incident-7:4")
  })
})

it('pin keeps a memory in a context that is too small for all; inside a run nobody pins', async () => {
  const { run } = workspace()
  const shop = ['--project', 'shop']
  const add = async (content: string, confidence: string) => {
    const { stdout } = await run(['add', ...shop, '--json', '--confidence', confidence, content])
    return (JSON.parse(stdout) as { memory: Memory }).memory.id
  }
  await add('The relay needs ten seconds after a restart', '0.9')
  const id = await add('Invoices are numbered per calendar year', '0.5')
  const context = async () => (await run(['context', ...shop, '--budget', '40'])).stdout
  expect(await context()).not.toContain('Invoices')
  const inside = await run(['pin', ...shop, id], { env: { NOKOSU_SESSION: 'run-1' } })
  expect(inside.stderr).toContain('UNAUTHORIZED')
  expect(await context()).not.toContain('Invoices')
  expect(JSON.parse((await run(['pin', ...shop, '--json', id])).stdout)).toMatchObject({ memory: { id, pinned: true } })
  expect(await context()).toContain('Invoices')
  await run(['unpin', ...shop, id])
  expect(await context()).not.toContain('Invoices')
})

describe('what was typed is taken as meant, or refused', () => {
  it.each(['a>>3', 'a=>3', 'a==3', 'a<>3', 'a>=>3'])('--filter %s is refused', async (filter) => {
    const { failure } = workspace()
    expect(await failure(['list', '--all', '--filter', filter])).toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('a filter may ask for text that begins like an operator', async () => {
    const { json } = workspace()
    await json(['add', '--project', 'shop', '--metadata', 'tag=<b>', 'Titles are bold'])
    for (const filter of ['tag=<b>', 'tag~<b']) {
      expect(await json(['list', '--project', 'shop', '--filter', filter])).toMatchObject({ totalCount: 1 })
    }
  })

  it.each([
    ['query', 'login'],
    ['threshold', '0.5'],
  ])('context --%s says that it needs the query format', async (name, value) => {
    const { failure } = workspace()
    expect(await failure(['context', '--project', 'shop', `--${name}`, value])).toMatchObject({
      code: 'INVALID_INPUT',
      message: `--${name} only works with --format query.`,
      details: { field: name },
    })
  })

  it('-n is --limit', async () => {
    const { json } = workspace()
    for (const content of ['The tests need Redis', 'Prices are in cents'])
      await json(['add', '--project', 'shop', content])
    const { memories } = await json<{ memories: unknown[] }>(['list', '--project', 'shop', '-n', '1'])
    expect(memories).toHaveLength(1)
  })

  it('an export that is imported elsewhere says where its memories are', async () => {
    const [one, other] = [workspace(), workspace()]
    await one.json(['add', '--project', 'shop', 'Prices are in cents'])
    const { stdout } = await one.run(['export', '--project', 'shop'])
    const { stderr } = await other.run(['import', '-'], { input: stdout, env: { NOKOSU_PROJECT: 'bakery' } })
    expect(stderr).toContain('No memories of project bakery here; the store has 1 of project shop: --project shop')
  })
})
