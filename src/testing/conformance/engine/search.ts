import { expect } from 'vitest'
import { LAYERS } from '../../../model/layer.ts'
import { SEARCH_MODES } from '../../../model/schema.ts'
import { fakeEmbedding } from '../../fake-embedder.ts'
import { group } from '../group.ts'
import { ALL, clock, contentsOf, failure, identifiersFor, sample } from '../samples.ts'

const SHOP = { identifiers: { projectId: 'shop' } }

export const searchEngineCases = group('engine: search', (it) => {
  it('[D06] the threshold is 0.7 by default, and includes a score of exactly 0.7', async (store) => {
    const embedding = fakeEmbedding()
    embedding.tell('question', [1, 0])
    // Cosines 0.5, 0.402 and 0.3 are scores 0.75, 0.701 and 0.65; a store may keep vectors as 16-bit floats.
    embedding.tell('near', [0.5, Math.sqrt(1 - 0.25)])
    embedding.tell('edge', [0.402, Math.sqrt(1 - 0.402 ** 2)])
    embedding.tell('far', [0.3, Math.sqrt(1 - 0.09)])
    const engine = await store.engine({ embedding })
    for (const content of ['far', 'near', 'edge']) await engine.add(sample({ content }))
    const search = { ...SHOP, query: 'question', mode: 'semantic' as const }
    const byDefault = await engine.search(search)
    expect(contentsOf(byDefault.results)).toEqual(['near', 'edge'])
    expect(byDefault.totalCount).toBe(2)
    expect(byDefault.results[0]!.score).toBeCloseTo(0.75, 3)
    expect(byDefault.results[1]!.score).toBeCloseTo(0.701, 3)
    expect(contentsOf((await engine.search({ ...search, threshold: 0.6 })).results)).toEqual(['near', 'edge', 'far'])
    expect(contentsOf((await engine.search({ ...search, threshold: 0.72 })).results)).toEqual(['near'])
    expect((await engine.search({ ...search, threshold: 0.9 })).results).toEqual([])
    const { score } = byDefault.results[0]!
    expect(contentsOf((await engine.search({ ...search, threshold: score })).results)).toEqual(['near'])
  })

  it('scores are within 0 and 1: the same text near 1, the opposite vector at 0', async (store) => {
    const embedding = fakeEmbedding()
    embedding.tell('alike', [1, 0])
    embedding.tell('opposite', [-1, 0])
    const engine = await store.engine({ embedding })
    await engine.add(sample({ content: 'alike' }))
    await engine.add(sample({ content: 'opposite' }))
    const { results } = await engine.search({ ...SHOP, query: 'alike', mode: 'semantic', threshold: 0 })
    expect(results.map((result) => result.score)).toEqual([1, 0])
  })

  it('[D02] finds what was added by its own words, in every mode', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample({ content: 'The payment gateway rejects amounts above nine thousand' }))
    await engine.add(sample({ content: 'Frontend builds need the pnpm store mounted' }))
    for (const mode of SEARCH_MODES) {
      const found = await engine.search({
        ...SHOP,
        mode,
        query: 'payment gateway rejects amounts above nine thousand',
      })
      expect(
        found.results.map((result) => result.memory),
        mode,
      ).toEqual([memory])
      expect(found.results[0]).toMatchObject({ layer: 'project' })
    }
  })

  it('keyword mode does not call the embedder; semantic mode ignores words', async (store) => {
    const embedding = fakeEmbedding()
    embedding.tell('ECONNRESET', [1, 0])
    embedding.tell('Retry on ECONNRESET twice', [0, 1])
    const engine = await store.engine({ embedding })
    await engine.add(sample({ content: 'Retry on ECONNRESET twice' }))
    const calls = embedding.calls.length
    expect((await engine.search({ ...SHOP, query: 'ECONNRESET', mode: 'keyword' })).results).toHaveLength(1)
    expect(embedding.calls).toHaveLength(calls)
    expect((await engine.search({ ...SHOP, query: 'ECONNRESET', mode: 'semantic' })).results).toEqual([])
  })

  it('hybrid finds an exact code, file name or flag that the embedding misses, and never scores below semantic', async (store) => {
    const embedding = fakeEmbedding()
    const texts = ['Deploy fails with E4017 at dawn', 'Edit src/billing/tax.ts by hand', 'Pass --no-daemon to gradle']
    texts.forEach((text, i) => {
      embedding.tell(text, [0, 1 + i])
    })
    const queries = ['E4017', 'src/billing/tax.ts', '--no-daemon']
    for (const query of queries) embedding.tell(query, [1, 0])
    const engine = await store.engine({ embedding })
    for (const content of texts) await engine.add(sample({ content }))
    for (const [i, query] of queries.entries()) {
      expect(contentsOf((await engine.search({ ...SHOP, query })).results), query).toEqual([texts[i]])
      const hybrid = await engine.search({ ...SHOP, query, threshold: 0 })
      const semantic = await engine.search({ ...SHOP, query, threshold: 0, mode: 'semantic' })
      for (const { memory, score } of semantic.results) {
        const same = hybrid.results.find((result) => result.memory.id === memory.id)
        expect(same!.score).toBeGreaterThanOrEqual(score)
      }
    }
  })

  it('keywords match stems, any case, tags and the service', async (store) => {
    const engine = await store.engine()
    await engine.add(sample({ content: 'Restarting takes long', service: 'jellyfin', tags: ['boot-time'] }))
    for (const query of ['restarted', 'RESTARTING', 'jellyfin', 'boot-time']) {
      expect((await engine.search({ ...SHOP, query, mode: 'keyword' })).results, query).toHaveLength(1)
    }
    expect((await engine.search({ ...SHOP, query: 'kubernetes', mode: 'keyword', threshold: 0 })).results).toEqual([])
  })

  it('finds text of every script by its own words and no others', async (store) => {
    const engine = await store.engine()
    const texts = {
      чайник: 'Сначала остынет чайник',
      ёлка: 'У входа стоит ёлка',
      再起動: 'サーバーの再起動は三分かかる',
      ガード: 'ガードは夜に眠る',
      잠든다: '서버는 밤에 잠든다',
      άλφα: 'Το άλφα ξεκινά πρώτο',
      café: 'Le café ferme tôt',
      数据库: '每天晚上备份数据库',
    }
    for (const content of Object.values(texts)) await engine.add(sample({ content }))
    for (const [query, content] of Object.entries(texts)) {
      const { results } = await engine.search({ ...SHOP, query, mode: 'keyword', threshold: 0 })
      expect(contentsOf(results), query).toEqual([content])
      expect(contentsOf((await engine.search({ ...SHOP, query, threshold: 0 })).results)[0], query).toBe(content)
    }
  })

  it('treats the query syntax of any engine as text', async (store) => {
    const engine = await store.engine()
    await engine.add(sample({ content: 'Use NEAR caches for sessions' }))
    for (const query of [
      '"',
      '""',
      "'",
      'a AND',
      'NEAR(',
      '*',
      'content:x',
      '-',
      '()',
      'caches OR "',
      '%',
      'NEAR caches)',
    ]) {
      const found = await engine.search({ ...SHOP, query, threshold: 0 })
      expect(found.searchedLayers, query).toContain('project')
    }
    expect((await engine.search({ ...SHOP, query: '"NEAR caches" AND (', mode: 'keyword' })).results).toHaveLength(1)
  })

  it('the limit is 10 by default, applies after merging, and totalCount includes what it cut', async (store) => {
    const engine = await store.engine()
    for (let i = 0; i < 12; i++) await engine.add(sample({ content: `Import worker ${i} writes the nightly ledger` }))
    const search = { ...SHOP, query: 'import worker writes the nightly ledger', threshold: 0.5 }
    expect((await engine.search(search)).results).toHaveLength(10)
    const two = await engine.search({ ...search, limit: 2 })
    expect(two.results).toHaveLength(2)
    expect(two.totalCount).toBe(12)
    expect((await engine.search({ ...search, limit: 100 })).results).toHaveLength(12)
    const best = await engine.search({ ...search, limit: 100 })
    expect(two.results).toEqual(best.results.slice(0, 2))
  })

  it('the caller may pass the vector, and then the embedder is not called', async (store) => {
    const embedding = fakeEmbedding()
    embedding.tell('target', [0, 0, 1])
    const engine = await store.engine({ embedding })
    await engine.add(sample({ content: 'target' }))
    const calls = embedding.calls.length
    const vector = new Float32Array(embedding.dimensions)
    vector[2] = 1
    const search = { ...SHOP, query: 'whatever', mode: 'semantic' as const }
    expect((await engine.search({ ...search, vector })).results).toHaveLength(1)
    expect((await engine.search({ ...search, vector: [...vector] })).results).toHaveLength(1)
    expect(embedding.calls).toHaveLength(calls)
    const error = await failure(engine.search({ ...search, vector: [1, 2, 3] }), 'INVALID_INPUT')
    expect(error.details).toMatchObject({ field: 'vector' })
  })

  it('explains a score only on request', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample({ content: 'Redis evicts keys under pressure', confidence: 0.9 }))
    const search = { ...SHOP, query: 'redis evicts keys' }
    expect((await engine.search(search)).results[0]).not.toHaveProperty('explanation')
    const explained = (await engine.search({ ...search, explain: true })).results[0]!
    expect(explained.memory).toEqual(memory)
    expect(explained.explanation).toMatchObject({
      layer: { name: 'project', precedence: 6 },
      confidence: 0.9,
      collapsed: [],
    })
    expect(explained.explanation!.terms.map((term) => term.term).sort()).toEqual(['evicts', 'keys', 'redis'])
    expect(explained.explanation!.semantic).toBeGreaterThan(0.5)
    expect(explained.explanation!.keyword).toBeGreaterThan(0)
    const keyword = (await engine.search({ ...search, explain: true, mode: 'keyword' })).results[0]!
    expect(keyword.explanation!.semantic).toBeNull()
  })

  it('inactive and expired memories are left out by default, in every mode', async (store) => {
    const time = clock()
    const engine = await store.engine({ now: time.now })
    const content = 'Mailer queue drains every minute'
    const inactive = (await engine.add(sample({ content: `${content} alpha` }))).memory
    await engine.update(inactive.id, { active: false }, ALL)
    await engine.add(sample({ content: `${content} beta`, expiresAt: '2026-03-01T00:00:01Z' }))
    await engine.add(sample({ content: `${content} gamma`, expiresAt: '2026-03-02T00:00:00Z' }))
    const search = { ...SHOP, query: content, threshold: 0.5 }
    expect((await engine.search(search)).results).toHaveLength(2)
    time.advance(1000)
    for (const mode of SEARCH_MODES) {
      expect(contentsOf((await engine.search({ ...search, mode })).results), mode).toEqual([`${content} gamma`])
      expect((await engine.search({ ...search, mode, includeInactive: true })).results, mode).toHaveLength(3)
    }
  })

  it('an empty store and a query of symbols give an empty answer', async (store) => {
    const engine = await store.engine()
    const empty = { results: [], totalCount: 0 }
    expect(await engine.search({ ...SHOP, query: 'anything' })).toMatchObject(empty)
    expect(await engine.search({ ...SHOP, query: '???', mode: 'keyword' })).toMatchObject(empty)
    await failure(engine.search({ query: 'anything' } as never), 'MISSING_IDENTIFIER')
  })

  it('vectors of another model are not compared; words still find the memory', async (store) => {
    const old = await store.engine({ embedding: fakeEmbedding({ name: 'old' }) })
    const { memory } = await old.add(sample({ content: 'Terraform state lives in the vault bucket' }))
    const engine = await store.engine({ embedding: fakeEmbedding({ name: 'new' }) })
    const search = { ...SHOP, query: 'terraform state vault bucket', threshold: 0 }
    expect((await engine.search({ ...search, mode: 'semantic' })).results).toEqual([])
    const [found] = (await engine.search({ ...search, explain: true })).results
    expect(found?.memory.id).toBe(memory.id)
    expect(found?.explanation?.semantic).toBeNull()
  })

  it('finds one memory in each of the nine layers', async (store) => {
    const engine = await store.engine()
    const everyone = identifiersFor('a')
    for (const layer of LAYERS) {
      await engine.add(sample({ content: `Quokka ${layer}`, layer, identifiers: everyone }))
    }
    const { results, searchedLayers } = await engine.search({ query: 'quokka', identifiers: everyone, threshold: 0 })
    expect(searchedLayers).toEqual(LAYERS)
    expect(results.map((result) => result.layer)).toEqual(LAYERS)
  })
})
