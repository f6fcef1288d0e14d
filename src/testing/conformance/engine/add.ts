import { expect } from 'vitest'
import { CATEGORIES } from '../../../model/categories.ts'
import { LAYERS, REQUIRED_IDENTIFIER } from '../../../model/layer.ts'
import { laterFields, SOURCES } from '../../../model/memory.ts'
import type { NewMemory } from '../../../model/schema.ts'
import { group } from '../group.ts'
import { ALL, clock, failure, identifiersFor, sample } from '../samples.ts'

const FULL: NewMemory = {
  content: 'Jellyfin needs a minute before its port answers',
  layer: 'task',
  identifiers: { taskId: 't7', projectId: 'shop', agentId: 'miso' },
  category: 'timing',
  service: 'jellyfin',
  source: 'coder',
  tags: ['boot', 'slow'],
  metadata: { commit: 'ab12cd', nested: { depth: [1, 2.5, null, true, 'é'] } },
  anchor: 'task_id:t7|commit:ab12cd',
  importance: 80,
  confidence: 0.9,
  tier: 2,
  session: 'run-1',
  expiresAt: '2030-01-01T00:00:00.000Z',
}

export const addCases = group('engine: add', (it) => {
  it('[D01] [D02] gives an id, embeds, stores and returns every field', async (store) => {
    const { now } = clock()
    const engine = await store.engine({ now })
    const { memory, embeddingGenerated } = await engine.add(FULL)
    expect(embeddingGenerated).toBe(true)
    expect(memory.id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(memory).toEqual({
      ...FULL,
      id: memory.id,
      active: true,
      ...laterFields(),
      lastRecalledAt: null,
      recallCount: 0,
      createdAt: '2026-03-01T00:00:00.000Z',
      updatedAt: '2026-03-01T00:00:00.000Z',
      version: 1,
    })
    expect(await engine.get(memory.id, ALL)).toEqual(memory)
  })

  it('fills in the defaults', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample())
    expect(memory).toMatchObject({
      category: 'learning',
      service: null,
      source: 'manual',
      tags: [],
      metadata: {},
      anchor: null,
      importance: 50,
      confidence: 0.7,
      active: true,
      tier: 0,
      session: null,
      expiresAt: null,
    })
  })

  it('stores in every layer, category, source and tier', async (store) => {
    const engine = await store.engine()
    for (const layer of LAYERS) {
      const { memory } = await engine.add(sample({ layer, identifiers: identifiersFor('a', [layer]) }))
      expect(await engine.get(memory.id, ALL)).toMatchObject({ layer, identifiers: identifiersFor('a', [layer]) })
    }
    for (const category of CATEGORIES) {
      const { memory } = await engine.add(sample({ category }))
      expect(await engine.get(memory.id, ALL)).toMatchObject({ category })
    }
    for (const source of SOURCES) {
      const { memory } = await engine.add(sample({ source }))
      expect(await engine.get(memory.id, ALL)).toMatchObject({ source })
    }
    for (const tier of [0, 1, 2, 3] as const) {
      const { memory } = await engine.add(sample({ tier }))
      expect(await engine.get(memory.id, ALL)).toMatchObject({ tier })
    }
  })

  for (const layer of LAYERS) {
    it(`[D03] without the identifier of the ${layer} layer: MISSING_IDENTIFIER names it`, async (store) => {
      const engine = await store.engine()
      const others = identifiersFor(
        'a',
        LAYERS.filter((other) => other !== layer),
      )
      const error = await failure(engine.add(sample({ layer, identifiers: others })), 'MISSING_IDENTIFIER')
      expect(error.details).toMatchObject({ identifier: REQUIRED_IDENTIFIER[layer], layer })
      expect(error.message).toContain(REQUIRED_IDENTIFIER[layer])
      expect(error).toMatchObject({ operation: 'add', retryable: false })
      expect((await engine.list(ALL)).totalCount).toBe(0)
    })
  }

  it('[D20] the session layer without sessionId: MISSING_IDENTIFIER names it', async (store) => {
    const engine = await store.engine()
    const error = await failure(engine.add(sample({ layer: 'session' })), 'MISSING_IDENTIFIER')
    expect(error.details).toMatchObject({ identifier: 'sessionId' })
  })

  it('stores identical texts as separate memories', async (store) => {
    const engine = await store.engine()
    const first = await engine.add(sample())
    const second = await engine.add(sample())
    expect(second.memory.id).not.toBe(first.memory.id)
    expect((await engine.list(ALL)).totalCount).toBe(2)
  })

  it('gives ids that sort in the order of adding, within one millisecond too', async (store) => {
    const engine = await store.engine({ now: clock().now })
    const ids: string[] = []
    for (let i = 0; i < 20; i++) ids.push((await engine.add(sample({ content: `Fact number ${i}` }))).memory.id)
    expect(ids).toEqual([...new Set(ids)].sort())
  })

  it('clamps confidence to 0..1 with two decimals, and keeps the ends of importance', async (store) => {
    const engine = await store.engine()
    const confidenceOf = async (confidence: number) => (await engine.add(sample({ confidence }))).memory.confidence
    expect(await confidenceOf(1.5)).toBe(1)
    expect(await confidenceOf(-1)).toBe(0)
    expect(await confidenceOf(0.1 + 0.2)).toBe(0.3)
    for (const importance of [0, 100, 12.5]) {
      const { memory } = await engine.add(sample({ importance }))
      expect((await engine.get(memory.id, ALL))?.importance).toBe(importance)
    }
  })

  it('removes repeated tags, and converts times to UTC with milliseconds', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample({ tags: ['b', 'a', 'b'], expiresAt: '2030-01-01T02:00:00+02:00' }))
    const stored = await engine.get(memory.id, ALL)
    expect(stored?.tags).toEqual(['b', 'a'])
    expect(stored?.expiresAt).toBe('2030-01-01T00:00:00.000Z')
  })

  it('keeps text exactly: scripts, emoji, quotes, SQL and JSON in it', async (store) => {
    const engine = await store.engine()
    const texts = [
      '再起動は三分かかる',
      'Family 👨‍👩‍👧 and flag 🇯🇵',
      `'; DROP TABLE memories; --`,
      '{"a": "\\u0000 is only written here"}',
      '"quotes" and back\\slash',
      '%_*?[] NEAR("x" "y") AND NOT OR',
    ]
    for (const content of texts) {
      const { memory } = await engine.add(
        sample({ content, tags: ['re:起動'], metadata: { text: `${content}\n\tmore`, [content]: 1 } }),
      )
      expect(await engine.get(memory.id, ALL)).toMatchObject({
        content,
        metadata: { text: `${content}\n\tmore`, [content]: 1 },
      })
    }
  })

  it('[D23] takes the longest content, and one character more is CONTENT_TOO_LONG with the limit', async (store) => {
    const engine = await store.engine()
    const { maxContentLength } = engine.capabilities
    const { memory } = await engine.add(sample({ content: 'x'.repeat(maxContentLength) }))
    expect((await engine.get(memory.id, ALL))?.content).toHaveLength(maxContentLength)
    const error = await failure(engine.add(sample({ content: 'x'.repeat(maxContentLength + 1) })), 'CONTENT_TOO_LONG')
    expect(error).toMatchObject({ retryable: false, operation: 'add' })
    expect(error.details).toMatchObject({ field: 'content', maxLength: maxContentLength })
    expect((await engine.list(ALL)).totalCount).toBe(1)
  })

  it('[D22] an unknown layer is INVALID_LAYER and not retryable', async (store) => {
    const engine = await store.engine()
    const error = await failure(engine.add({ ...sample(), layer: 'galaxy' } as never), 'INVALID_LAYER')
    expect(error.retryable).toBe(false)
    expect(error.details).toMatchObject({ field: 'layer' })
  })

  it('copies its inputs and results: changing them does not change the store', async (store) => {
    const engine = await store.engine()
    const tags = ['one']
    const metadata = { inner: { value: 1 } }
    const { memory } = await engine.add(sample({ tags, metadata }))
    tags.push('two')
    metadata.inner.value = 2
    memory.tags.push('three')
    const again = await engine.get(memory.id, ALL)
    expect(again).toMatchObject({ tags: ['one'], metadata: { inner: { value: 1 } } })
    again!.metadata.other = true
    expect((await engine.get(memory.id, ALL))?.metadata).toEqual({ inner: { value: 1 } })
  })

  it('is durable: another handle sees it immediately, and after a restart', async (store) => {
    const engine = await store.engine()
    const other = await store.engine()
    const { memory } = await engine.add(FULL)
    expect(await other.get(memory.id, ALL)).toEqual(memory)
    await engine.shutdown()
    const reopened = await store.engine()
    expect(await reopened.get(memory.id, ALL)).toEqual(memory)
  })
})
