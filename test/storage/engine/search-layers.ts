import { expect } from 'vitest'
import { LAYERS } from '../../../src/model/layer.ts'
import { group } from '../../../src/testing/conformance/group.ts'
import { contentsOf, identifiersFor, sample } from '../../../src/testing/conformance/samples.ts'
import { fakeEmbedding } from '../../../src/testing/fake-embedder.ts'
import { interceptStorage } from '../../../src/testing/intercept-storage.ts'

export const searchLayersCases = group('engine: search, across layers', (it) => {
  it('[D04] merges all accessible layers by precedence, then by score', async (store) => {
    const embedding = fakeEmbedding()
    embedding.tell('question', [1, 0, 0])
    embedding.tell('project low', [0.6, 0.8, 0])
    embedding.tell('project high', [0.8, 0, 0.6])
    embedding.tell('company best', [1, 0, 0])
    embedding.tell('user low', [0.5, 0, -0.8])
    const engine = await store.engine({ embedding })
    const identifiers = { userId: 'ann', projectId: 'shop', companyId: 'acme' }
    await engine.add(sample({ content: 'company best', layer: 'company', identifiers }))
    await engine.add(sample({ content: 'project low', layer: 'project', identifiers }))
    await engine.add(sample({ content: 'project high', layer: 'project', identifiers }))
    await engine.add(sample({ content: 'user low', layer: 'user', identifiers }))
    const search = { query: 'question', identifiers, mode: 'semantic' as const }
    const found = await engine.search(search)
    expect(contentsOf(found.results)).toEqual(['user low', 'project high', 'project low', 'company best'])
    expect(found.results.map((result) => result.layer)).toEqual(['user', 'project', 'project', 'company'])
    const byRelevance = await engine.search({ ...search, order: 'relevance' })
    expect(contentsOf(byRelevance.results)).toEqual(['company best', 'project high', 'project low', 'user low'])
    expect(contentsOf((await engine.search({ ...search, order: 'precedence' })).results)).toEqual(
      contentsOf(found.results),
    )
  })

  it('[D21] userId and projectId open user, project, team, org and company, and neither agent nor session', async (store) => {
    const engine = await store.engine()
    const everyone = identifiersFor('a')
    for (const layer of LAYERS) await engine.add(sample({ content: `Quokka ${layer}`, layer, identifiers: everyone }))
    const { userId, projectId, teamId, orgId, companyId } = everyone as Record<string, string>
    const { searchedLayers, results } = await engine.search({
      query: 'quokka',
      threshold: 0,
      identifiers: { userId: userId!, projectId: projectId! },
    })
    expect(searchedLayers).toEqual(['user', 'project', 'team', 'org', 'company'])
    expect(results.map((result) => result.layer)).toEqual(['user', 'project'])
    const explicit = await engine.search({
      query: 'quokka',
      threshold: 0,
      identifiers: { userId: userId!, projectId: projectId!, teamId: teamId!, orgId: orgId!, companyId: companyId! },
    })
    expect(explicit.results.map((result) => result.layer)).toEqual(['user', 'project', 'team', 'org', 'company'])
  })

  it('[D05] `layers` narrows the search to those layers', async (store) => {
    const engine = await store.engine()
    const identifiers = identifiersFor('a')
    for (const layer of LAYERS) await engine.add(sample({ content: `Quokka ${layer}`, layer, identifiers }))
    const found = await engine.search({
      query: 'quokka',
      threshold: 0,
      identifiers,
      layers: ['company', 'user', 'user'],
    })
    expect(found.searchedLayers).toEqual(['user', 'company'])
    expect(found.results.map((result) => result.layer)).toEqual(['user', 'company'])
  })

  it('[D05] asks the storage for nothing in the layers that were left out', async (store) => {
    const searched = new Set<string>()
    const engine = await store.engine({
      wrap: (storage) =>
        interceptStorage(storage, {
          before(_method, args) {
            for (const [, layer] of JSON.stringify(args).matchAll(/"layer":"(\w+)"/g)) searched.add(layer!)
          },
        }),
    })
    await engine.search({ query: 'quokka', identifiers: identifiersFor('a'), layers: ['task', 'org'] })
    expect([...searched].sort()).toEqual(['org', 'task'])
  })

  it('[D14] duplicates across layers collapse to the higher precedence, in both orders', async (store) => {
    const embedding = fakeEmbedding()
    embedding.tell('question', [1, 0, 0])
    // Cosine 0.92 between the two: (1 + 0.92) / 2 = 0.96.
    embedding.tell('as the company says it', [1, 0, 0])
    embedding.tell('as the project says it', [0.92, Math.sqrt(1 - 0.92 ** 2), 0])
    embedding.tell('something else', [0.6, 0, 0.8])
    const engine = await store.engine({ embedding })
    const identifiers = { projectId: 'shop', companyId: 'acme' }
    const company = (await engine.add(sample({ content: 'as the company says it', layer: 'company', identifiers })))
      .memory
    await engine.add(sample({ content: 'as the project says it', layer: 'project', identifiers }))
    await engine.add(sample({ content: 'something else', layer: 'company', identifiers }))
    for (const order of ['precedence', 'relevance'] as const) {
      const found = await engine.search({ query: 'question', identifiers, mode: 'semantic', order, explain: true })
      expect(contentsOf(found.results), order).toEqual(['as the project says it', 'something else'])
      expect(found.totalCount).toBe(2)
      expect(found.results[0]!.explanation!.collapsed).toEqual([company.id])
    }
  })

  it('[D15] layers are searched concurrently: all are asked for before the first answer is there', async (store) => {
    const asked = new Set<string>()
    let before: string[] | null = null
    const engine = await store.engine({
      wrap: (storage) =>
        interceptStorage(storage, {
          async before(method, args) {
            if (method !== 'search' && method !== 'memories') return
            for (const [, layer] of JSON.stringify(args).matchAll(/"layer":"(\w+)"/g)) asked.add(layer!)
            await new Promise(setImmediate)
            before ??= [...asked].sort()
          },
        }),
    })
    const identifiers = { userId: 'ann', projectId: 'shop', companyId: 'acme' }
    await engine.add(sample({ content: 'Quokka of the user', layer: 'user', identifiers }))
    await engine.add(sample({ content: 'Quokka of the project', layer: 'project', identifiers }))
    await engine.add(sample({ content: 'Quokka of the company', layer: 'company', identifiers }))
    const { results } = await engine.search({ query: 'quokka', identifiers, threshold: 0.5 })
    expect(before).toEqual(['company', 'project', 'user'])
    expect(results.map((result) => result.layer)).toEqual(['user', 'project', 'company'])
  })
})
