import { expect } from 'vitest'
import { group } from '../../../src/testing/conformance/group.ts'
import { contentsOf, failure, sample } from '../../../src/testing/conformance/samples.ts'

const CHAIN = { projectId: 'shop', teamId: 'red', orgId: 'sales', companyId: 'acme' }

export const directoryCases = group('engine: directory', (it) => {
  it('[D21] a project opens the team, org and company that the directory knows', async (store) => {
    const engine = await store.engine()
    for (const layer of ['project', 'team', 'org', 'company'] as const) {
      await engine.add(sample({ content: `Quokka ${layer}`, layer, identifiers: CHAIN }))
    }
    const search = { query: 'quokka', threshold: 0, identifiers: { projectId: 'shop' } }
    expect(contentsOf((await engine.search(search)).results)).toEqual(['Quokka project'])
    await engine.directory.set(CHAIN)
    const all = ['Quokka project', 'Quokka team', 'Quokka org', 'Quokka company']
    expect(contentsOf((await engine.search(search)).results)).toEqual(all)
    expect(contentsOf((await engine.list({ identifiers: { projectId: 'shop' } })).memories).sort()).toEqual(
      all.toSorted(),
    )
    expect(contentsOf((await engine.search({ ...search, identifiers: { teamId: 'red' } })).results)).toEqual(
      all.slice(1),
    )
    const other = await store.engine()
    expect(contentsOf((await other.search(search)).results)).toEqual(all)
  })

  it('what the caller says stands above the directory', async (store) => {
    const engine = await store.engine()
    await engine.directory.set(CHAIN)
    await engine.add(sample({ content: 'Quokka red', layer: 'team', identifiers: { teamId: 'red' } }))
    await engine.add(sample({ content: 'Quokka blue', layer: 'team', identifiers: { teamId: 'blue' } }))
    const { results } = await engine.search({
      query: 'quokka',
      threshold: 0,
      identifiers: { projectId: 'shop', teamId: 'blue' },
    })
    expect(contentsOf(results)).toEqual(['Quokka blue'])
  })

  it('can be told again, partly, and read back', async (store) => {
    const engine = await store.engine()
    expect(await engine.directory.list()).toEqual([])
    await engine.directory.set(CHAIN)
    expect(await engine.directory.list()).toHaveLength(3)
    await engine.directory.set({ projectId: 'shop', teamId: 'blue' })
    const project = (await engine.directory.list()).find((entry) => entry.layer === 'project')
    expect(project).toEqual({ layer: 'project', id: 'shop', teamId: 'blue', orgId: null, companyId: null })
    await engine.directory.set({ projectId: 'lab', companyId: 'acme' })
    expect((await engine.directory.list()).find((entry) => entry.id === 'lab')).toMatchObject({ companyId: 'acme' })
  })

  it('refuses a chain that links nothing', async (store) => {
    const engine = await store.engine()
    for (const chain of [{}, { projectId: 'shop' }, { companyId: 'acme' }, { userId: 'ann', projectId: 'shop' }]) {
      await failure(engine.directory.set(chain), 'INVALID_INPUT')
    }
    expect(await engine.directory.list()).toEqual([])
  })
})
