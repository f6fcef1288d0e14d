import { expect, it } from 'vitest'
import type { SearchResults } from '../../src/index.ts'
import { openMemory } from '../../src/index.ts'
import { fakeEmbedding } from '../../src/testing/index.ts'
import { workspace } from './run-cli.ts'

const SHOP = ['--project', 'shop']

/** A store with a few memories, and search results by content. */
async function searchable() {
  const place = workspace()
  await place.run(['directory', 'set', ...SHOP, '--company', 'acme'])
  await place.run(['add', ...SHOP, '--tag', 'boot', '--metadata', 'cycle=3', 'The disk check is slow at night'])
  await place.run([
    'add',
    ...SHOP,
    ...'--tag night --metadata cycle=1 --metadata'.split(' '),
    'note=see log',
    'The disk check is slow',
  ])
  await place.run(['add', '--company', 'acme', 'A disk check needs a window'])
  const find = async (...flags: string[]) => {
    const found = await place.json<SearchResults>(['search', ...SHOP, '--threshold', '0', ...flags, 'disk check'])
    return { contents: found.results.map(({ memory }) => memory.content).sort(), searched: found.searchedLayers, found }
  }
  return { ...place, find }
}

const NIGHT = 'The disk check is slow at night'
const SLOW = 'The disk check is slow'
const WINDOW = 'A disk check needs a window'

it('[D05] --layers searches those layers and no others', async () => {
  const { find } = await searchable()
  expect(await find()).toMatchObject({
    contents: [WINDOW, SLOW, NIGHT],
    searched: ['project', 'team', 'org', 'company'],
  })
  expect(await find('--layers', 'company')).toMatchObject({ contents: [WINDOW], searched: ['company'] })
})

it('[D06] the threshold is 0.7 unless another is given, and every result reaches it', async () => {
  const { find, json } = await searchable()
  const { found } = await find()
  const usual = await json<SearchResults>(['search', ...SHOP, 'disk check'])
  const reaching = (threshold: number) =>
    found.results.filter(({ score }) => score >= threshold).map(({ memory }) => memory.id)
  expect(usual.results.map(({ memory }) => memory.id)).toEqual(reaching(0.7))
  const highest = Math.max(...found.results.map(({ score }) => score))
  expect((await find('--threshold', String(highest))).found.results.map(({ memory }) => memory.id)).toEqual(
    reaching(highest),
  )
  expect(reaching(highest).length).toBeLessThan(found.results.length)
})

it('[D17] several tags: any of them', async () => {
  const { find } = await searchable()
  expect((await find('--tag', 'boot')).contents).toEqual([NIGHT])
  expect((await find('--tag', 'boot', '--tag', 'night')).contents).toEqual([SLOW, NIGHT])
})

it('[D18] metadata by equality, substring and range', async () => {
  const { find } = await searchable()
  expect((await find('--filter', 'cycle=3')).contents).toEqual([NIGHT])
  expect((await find('--filter', 'note~log')).contents).toEqual([SLOW])
  expect((await find('--filter', 'cycle>=1', '--filter', 'cycle<3')).contents).toEqual([SLOW])
})

it('a search of vectors that another model made says that it looked at words alone, and what to do', async () => {
  const { folder, run, json } = workspace()
  const engine = await openMemory({ storage: `sqlite:${folder}/memory.db`, embedding: fakeEmbedding() })
  const memory = { layer: 'project', identifiers: { projectId: 'shop' } } as const
  await engine.add({ ...memory, content: 'The disk check is slow' })
  await engine.shutdown()
  const db = ['--db', `${folder}/memory.db`]
  for (const query of ['disk check slow', 'wholly unrelated']) {
    expect((await run(['search', ...SHOP, ...db, query])).stderr).toContain('nokosu reembed')
  }
  expect((await run(['search', ...SHOP, ...db, '--mode', 'keyword', 'disk check'])).stderr).toBe('')
  const { results } = await json<SearchResults>(['search', ...SHOP, ...db, 'disk check slow'])
  expect(results[0]).not.toHaveProperty('explanation')
  await run(['reembed', ...db])
  expect((await run(['search', ...SHOP, ...db, 'disk check slow'])).stderr).toBe('')
})
