import { describe, expect, it } from 'vitest'
import { openServer } from './open-server.ts'

const SHOP = { projectId: 'shop' }
const fact = (content: string, more: object = {}) => ({ layer: 'project', identifiers: SHOP, content, ...more })

describe('memories', () => {
  it('[D02] [D19] POST answers the whole memory, and whether the embedder was asked', async () => {
    const { call } = await openServer()
    const first = await call('POST', '/api/memories', {
      body: fact('Deploys on Tuesday', { category: 'timing', tags: ['ops'] }),
    })
    expect(first).toMatchObject({
      status: 201,
      json: { embeddingGenerated: true, memory: { version: 1, tags: ['ops'] } },
    })
    expect(first.headers.get('etag')).toBe('"1"')
    const again = await call('POST', '/api/memories', { body: fact('Deploys on Tuesday') })
    expect(again.json.embeddingGenerated).toBe(false)
  })

  it('[D03] [D20] a layer without its identifier names what is missing', async () => {
    const { call } = await openServer()
    const add = await call('POST', '/api/memories', { body: fact('x', { layer: 'session' }) })
    const error = { code: 'MISSING_IDENTIFIER', details: { identifier: 'sessionId' }, retryable: false }
    expect(add).toMatchObject({ status: 400, json: { error } })
    const search = { query: 'x', identifiers: SHOP, layers: ['session'] }
    expect(await call('POST', '/api/memories/search', { body: search })).toMatchObject({ status: 400, json: { error } })
    expect(await call('GET', '/api/memories?projectId=shop&layers=session')).toMatchObject({
      status: 400,
      json: { error },
    })
  })

  it('[D04] [D05] [D06] [D21] search merges the open layers by precedence, narrows to layers, and takes a threshold', async () => {
    const { call, memory } = await openServer()
    const who = { userId: 'ann', projectId: 'shop', teamId: 'red' }
    for (const layer of ['team', 'project', 'user'] as const) {
      await memory.as(who).add({ layer, content: `The ${layer} deploys with make ship on Tuesday` })
    }
    await memory
      .as({ projectId: 'shop', agentId: 'nori' })
      .add({ layer: 'agent', content: 'Agents deploy with make ship' })
    const search = async (more: object) =>
      (
        await call('POST', '/api/memories/search', {
          body: { query: 'deploys with make ship', identifiers: who, ...more },
        })
      ).json
    const layers = (found: { results: { layer: string }[] }) => found.results.map(({ layer }) => layer)
    const all = await search({ threshold: 0 })
    expect(layers(all)).toEqual(['user', 'project', 'team'])
    expect(all.searchedLayers).toEqual(['user', 'project', 'team', 'org', 'company'])
    expect(layers(await search({ threshold: 0, layers: ['team'] }))).toEqual(['team'])
    expect((await search({ threshold: 0.999 })).results.every(({ score }: { score: number }) => score >= 0.999)).toBe(
      true,
    )
    const { results } = await search({})
    expect(results.every(({ score }: { score: number }) => score >= 0.7)).toBe(true)
  })

  it('[D07] GET answers the memory with its ETag, and 404 for an unknown one', async () => {
    const { call } = await openServer()
    const { json } = await call('POST', '/api/memories', { body: fact('Here') })
    const got = await call('GET', `/api/memories/${json.memory.id}?projectId=shop`)
    expect(got).toMatchObject({ status: 200, json: json.memory })
    expect(got.headers.get('etag')).toBe('"1"')
    expect(await call('GET', '/api/memories/unknown')).toMatchObject({
      status: 404,
      json: { error: { code: 'MEMORY_NOT_FOUND' } },
    })
    // It does not exist outside the requested scope.
    expect((await call('GET', `/api/memories/${json.memory.id}?projectId=blog`)).status).toBe(404)
  })

  it('[D08] [D09] [D10] PATCH re-embeds new content, merges metadata, and is 404 for an unknown one', async () => {
    const { call } = await openServer()
    const { memory } = (await call('POST', '/api/memories', { body: fact('Before', { metadata: { a: 1, b: 2 } }) }))
      .json
    const path = `/api/memories/${memory.id}`
    const content = await call('PATCH', path, { body: { content: 'After' } })
    expect(content).toMatchObject({
      status: 200,
      json: { embeddingRegenerated: true, memory: { content: 'After', version: 2 } },
    })
    expect(content.headers.get('etag')).toBe('"2"')
    const merged = await call('PATCH', path, { body: { metadata: { b: 3 } } })
    expect(merged.json).toMatchObject({
      embeddingRegenerated: false,
      memory: { metadata: { a: 1, b: 3 }, content: 'After' },
    })
    expect(await call('PATCH', '/api/memories/unknown', { body: { content: 'x' } })).toMatchObject({
      status: 404,
      json: { error: { code: 'MEMORY_NOT_FOUND' } },
    })
  })

  it('[D11] DELETE succeeds, also again', async () => {
    const { call } = await openServer()
    const { memory } = (await call('POST', '/api/memories', { body: fact('Gone') })).json
    for (let i = 0; i < 2; i++) {
      expect(await call('DELETE', `/api/memories/${memory.id}`)).toMatchObject({ status: 200, json: { success: true } })
    }
    expect((await call('GET', `/api/memories/${memory.id}`)).status).toBe(404)
  })

  it('[D12] GET pages with a cursor, and counts', async () => {
    const { call, memory } = await openServer()
    for (let i = 0; i < 7; i++) await memory.as(SHOP).add({ layer: 'project', content: `Fact ${i}` })
    const seen: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 4 && cursor !== null; pages++) {
      const { json } = await call(
        'GET',
        `/api/memories?projectId=shop&limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      expect(json.totalCount).toBe(7)
      seen.push(...json.memories.map(({ content }: { content: string }) => content))
      cursor = json.nextCursor
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => `Fact ${i}`))
    expect(cursor).toBeNull()
    expect((await call('GET', '/api/memories?projectId=shop&limit=101')).status).toBe(400)
    expect((await call('GET', '/api/memories?projectId=shop&cursor=nonsense')).status).toBe(400)
  })

  it('[D13] [D17] [D18] GET filters by tags (any of them), metadata, category and service', async () => {
    const { call, memory } = await openServer()
    const shop = memory.as(SHOP)
    await shop.add({
      layer: 'project',
      content: 'One',
      tags: ['a'],
      metadata: { size: 1, owner: 'ann' },
      service: 'web',
    })
    await shop.add({
      layer: 'project',
      content: 'Two',
      tags: ['b'],
      metadata: { size: 2, owner: 'annabel' },
      category: 'timing',
    })
    await shop.add({ layer: 'project', content: 'Three', tags: ['c'], metadata: { size: 3 } })
    const list = async (query: string) =>
      (await call('GET', `/api/memories?projectId=shop&${query}`)).json.memories.map(({ content }: never) => content)
    expect(await list('tags=a&tags=b')).toEqual(['Two', 'One'])
    expect(await list('category=timing')).toEqual(['Two'])
    expect(await list('service=web')).toEqual(['One'])
    expect(await list('service=general')).toEqual(['Three', 'Two'])
    const filter = (value: object) => `filter=${encodeURIComponent(JSON.stringify(value))}`
    expect(await list(filter({ owner: 'ann' }))).toEqual(['One'])
    expect(await list(filter({ owner: { contains: 'ann' } }))).toEqual(['Two', 'One'])
    expect(await list(filter({ size: { gte: 2 } }))).toEqual(['Three', 'Two'])
    expect((await call('GET', '/api/memories?projectId=shop&filter=nonsense')).json.error.details.field).toBe('filter')
  })

  it('[D14] search collapses duplicates to the nearer layer', async () => {
    const { call, memory } = await openServer()
    const who = { projectId: 'shop', teamId: 'red' }
    for (const layer of ['team', 'project'] as const)
      await memory.as(who).add({ layer, content: 'Ship it with make ship' })
    const { json } = await call('POST', '/api/memories/search', {
      body: { query: 'ship it with make ship', identifiers: who },
    })
    expect(json.results.map(({ layer }: never) => layer)).toEqual(['project'])
  })

  it('[D22] [D23] INVALID_LAYER and CONTENT_TOO_LONG with its limit, not retryable', async () => {
    const { call, memory } = await openServer()
    expect(await call('POST', '/api/memories', { body: fact('x', { layer: 'galaxy' }) })).toMatchObject({
      status: 400,
      json: { error: { code: 'INVALID_LAYER', retryable: false } },
    })
    expect(await call('POST', '/api/memories', { body: fact('x'.repeat(70_000)) })).toMatchObject({
      status: 413,
      json: {
        error: {
          code: 'CONTENT_TOO_LONG',
          details: { maxLength: memory.capabilities.maxContentLength },
          retryable: false,
        },
      },
    })
  })

  it('bulk adds each to its own owner, in order; one that is wrong stores nothing and is named by its place', async () => {
    const { call, memory } = await openServer()
    const memories = [fact('One'), fact('Two', { identifiers: { projectId: 'blog' } }), fact('Three')]
    const { status, json } = await call('POST', '/api/memories/bulk', { body: { memories } })
    expect(status).toBe(201)
    expect(json.memories.map(({ content, identifiers }: never) => [content, identifiers])).toEqual([
      ['One', SHOP],
      ['Two', { projectId: 'blog' }],
      ['Three', SHOP],
    ])
    const bad = await call('POST', '/api/memories/bulk', { body: { memories: [...memories, fact('')] } })
    expect(bad).toMatchObject({ status: 400, json: { error: { details: { field: 'memories[3].content' } } } })
    expect((await memory.list({ everything: true })).totalCount).toBe(3)
    const ids = json.memories.map(({ id }: never) => id)
    expect((await call('DELETE', '/api/memories', { body: { ids: [...ids, 'unknown'] } })).json).toEqual({
      deleted: 3,
      failed: [],
    })
  })

  it('remember reinforces what is there, and says so', async () => {
    const { call } = await openServer()
    const body = {
      identifiers: SHOP,
      candidates: [{ content: 'Starts in a minute', category: 'timing', service: 'web' }],
    }
    expect((await call('POST', '/api/memories/remember', { body })).json[0]).toMatchObject({ kind: 'insert' })
    expect((await call('POST', '/api/memories/remember', { body })).json[0]).toMatchObject({ kind: 'reinforce' })
  })
})
