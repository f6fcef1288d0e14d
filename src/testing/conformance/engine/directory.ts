import { describe, expect, it } from 'vitest'
import type { DirectoryEntry } from '../../model/records.ts'
import { contentsOf, failure, sample } from './samples.ts'
import { type ConformanceTarget, useStore } from './store-under-test.ts'

const CHAIN = { projectId: 'shop', teamId: 'red', orgId: 'sales', companyId: 'acme' }

export function describeDirectory(target: ConformanceTarget): void {
  describe('directory', () => {
    const store = useStore(target)

    it('[D21] a project opens the team, org and company that the directory knows', async () => {
      const engine = await store.engine()
      for (const layer of ['project', 'team', 'org', 'company'] as const) {
        await engine.add(sample({ content: `Quokka ${layer}`, layer, identifiers: CHAIN }))
      }
      const search = { query: 'quokka', threshold: 0, identifiers: { projectId: 'shop' } }
      expect(contentsOf((await engine.search(search)).results)).toEqual(['Quokka project'])
      await engine.setDirectory(CHAIN)
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

    it('what the caller says stands above the directory', async () => {
      const engine = await store.engine()
      await engine.setDirectory(CHAIN)
      await engine.add(sample({ content: 'Quokka red', layer: 'team', identifiers: { teamId: 'red' } }))
      await engine.add(sample({ content: 'Quokka blue', layer: 'team', identifiers: { teamId: 'blue' } }))
      const { results } = await engine.search({
        query: 'quokka',
        threshold: 0,
        identifiers: { projectId: 'shop', teamId: 'blue' },
      })
      expect(contentsOf(results)).toEqual(['Quokka blue'])
    })

    it('a team that is not known is searched as empty', async () => {
      const engine = await store.engine()
      await engine.add(sample({ content: 'Quokka red', layer: 'team', identifiers: { teamId: 'red' } }))
      const request = { identifiers: { projectId: 'stray' }, layers: ['team', 'org', 'company'] as const }
      const found = await engine.search({ ...request, layers: [...request.layers], query: 'quokka', threshold: 0 })
      expect(found).toEqual({ results: [], totalCount: 0, searchedLayers: ['team', 'org', 'company'] })
      expect((await engine.list({ ...request, layers: [...request.layers] })).totalCount).toBe(0)
    })

    it('can be told again, partly, and read back', async () => {
      const engine = await store.engine()
      expect(await engine.directory()).toEqual([])
      await engine.setDirectory(CHAIN)
      expect(await engine.directory()).toHaveLength(3)
      await engine.setDirectory({ projectId: 'shop', teamId: 'blue' })
      const project = (await engine.directory()).find((entry) => entry.layer === 'project')
      expect(project).toEqual({ layer: 'project', id: 'shop', teamId: 'blue', orgId: null, companyId: null })
      await engine.setDirectory({ projectId: 'lab', companyId: 'acme' })
      expect((await engine.directory()).find((entry) => entry.id === 'lab')).toMatchObject({ companyId: 'acme' })
    })

    it('refuses a chain that links nothing', async () => {
      const engine = await store.engine()
      for (const chain of [{}, { projectId: 'shop' }, { companyId: 'acme' }, { userId: 'ann', projectId: 'shop' }]) {
        await failure(engine.setDirectory(chain), 'INVALID_INPUT')
      }
      expect(await engine.directory()).toEqual([])
    })

    it('the storage keeps one entry a place, and removes it', async () => {
      const storage = await store.storage()
      const entry: DirectoryEntry = { layer: 'team', id: 'red', teamId: null, orgId: 'sales', companyId: null }
      await storage.putDirectoryEntry(entry)
      await storage.putDirectoryEntry({ ...entry, layer: 'project' })
      await storage.putDirectoryEntry({ ...entry, companyId: 'acme' })
      expect(await storage.getDirectoryEntry('team', 'red')).toEqual({ ...entry, companyId: 'acme' })
      expect(await storage.getDirectoryEntry('org', 'red')).toBeNull()
      expect(await storage.directory()).toHaveLength(2)
      await storage.deleteDirectoryEntry('team', 'red')
      await storage.deleteDirectoryEntry('team', 'red')
      expect(await storage.directory()).toEqual([{ ...entry, layer: 'project' }])
    })
  })
}
