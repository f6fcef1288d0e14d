import { expect } from 'vitest'
import { filterCases, METADATA } from '../filter-cases.ts'
import { group } from '../group.ts'
import { contentsOf, sample } from '../samples.ts'

const SEARCH = { query: 'quokka', identifiers: { projectId: 'shop' }, threshold: 0, limit: 100 }

export const searchNarrowingCases = group('engine: search, narrowed', (it) => {
  it('[D17] tags match with OR', async (store) => {
    const engine = await store.engine()
    const identifiers = { projectId: 'tags' }
    await engine.add(sample({ content: 'Quokka red', tags: ['red'], identifiers }))
    await engine.add(sample({ content: 'Quokka green', tags: ['green', 'x'], identifiers }))
    await engine.add(sample({ content: 'Quokka plain', identifiers }))
    const find = async (tags: string[]) =>
      contentsOf((await engine.search({ ...SEARCH, identifiers, tags })).results).sort()
    expect(await find(['red', 'green'])).toEqual(['Quokka green', 'Quokka red'])
    expect(await find(['x'])).toEqual(['Quokka green'])
    expect(await find(['re'])).toEqual([])
    expect(await find(['RED'])).toEqual([])
    expect(await find([])).toEqual(['Quokka green', 'Quokka plain', 'Quokka red'])
  })

  it('filters by category and service; a service of null means general memories', async (store) => {
    const engine = await store.engine()
    const identifiers = { projectId: 'services' }
    await engine.add(sample({ content: 'Quokka web', service: 'web', category: 'timing', identifiers }))
    await engine.add(sample({ content: 'Quokka db', service: 'db', category: 'behavior', identifiers }))
    await engine.add(sample({ content: 'Quokka general', category: 'timing', identifiers }))
    const find = async (narrow: { service?: string | null; category?: 'timing' | 'hint' }) =>
      contentsOf((await engine.search({ ...SEARCH, identifiers, ...narrow })).results).sort()
    expect(await find({ service: 'web' })).toEqual(['Quokka web'])
    expect(await find({ service: null })).toEqual(['Quokka general'])
    expect(await find({ category: 'timing' })).toEqual(['Quokka general', 'Quokka web'])
    expect(await find({ category: 'timing', service: 'web' })).toEqual(['Quokka web'])
    expect(await find({ category: 'hint' })).toEqual([])
  })

  it('[D18] filters on any metadata field, nested too: equality, contains and ranges', async (store) => {
    const engine = await store.engine()
    await engine.bulkAdd(
      Object.entries(METADATA).map(([label, metadata]) =>
        sample({ content: `Quokka labelled ${label}`, anchor: label, metadata }),
      ),
    )
    for (const mode of ['semantic', 'keyword', 'hybrid'] as const) {
      for (const { filter, labels } of filterCases) {
        const { results } = await engine.search({ ...SEARCH, mode, filter })
        const found = results.map((result) => result.memory.anchor).sort()
        expect(found, `${mode} ${JSON.stringify(filter)}`).toEqual(labels)
      }
    }
  })

  it('a narrow condition finds memories below many better matches', async (store) => {
    const engine = await store.engine()
    const identifiers = { projectId: 'crowded' }
    const many = Array.from({ length: 150 }, (_, i) => sample({ content: `Quokka quokka ${i}`, identifiers }))
    await engine.bulkAdd([
      sample({ content: 'The quokka with a longer story of its own', tags: ['rare'], identifiers }),
      ...many,
    ])
    for (const mode of ['semantic', 'keyword', 'hybrid'] as const) {
      const { results } = await engine.search({ ...SEARCH, identifiers, mode, tags: ['rare'] })
      expect(contentsOf(results), mode).toEqual(['The quokka with a longer story of its own'])
    }
  })
})
