import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import { workspace } from './run-cli.ts'
import { withStore } from './with-store.ts'

type Added = { memory: Memory; embeddingGenerated: boolean }

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
