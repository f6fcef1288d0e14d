import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import type { SearchResults } from '../../src/model/provider.ts'
import { workspace } from './run-cli.ts'

type Added = { memory: Memory; embeddingGenerated: boolean }

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
