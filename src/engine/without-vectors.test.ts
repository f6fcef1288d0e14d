import { describe, expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { MemoryError } from '../model/errors.ts'
import { createLogger } from '../observe/log.ts'
import { referenceData } from '../storage/reference/data.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { fakeEmbedding } from '../testing/fake-embedder.ts'
import { embedAhead } from './embed-ahead.ts'
import { openMemory } from './open-memory.ts'

const SHOP = { projectId: 'shop' }
const SAID = { content: 'Jellyfin takes 60 seconds to start', category: 'timing', service: 'jellyfin' } as const

/** A store written with another model. */
async function changed(content: readonly string[] = [SAID.content]) {
  const shared = referenceData()
  const open = (embedding: Parameters<typeof openMemory>[0] & object) =>
    openMemory({ storage: referenceStorage({ shared }), relations: null, retry: { retries: 0 }, ...embedding })
  const before = await open({ embedding: fakeEmbedding({ dimensions: 16 }) })
  for (const each of content) await before.as(SHOP).remember({ ...SAID, content: each }, { session: 'before' })
  return open({ embedding: hashingEmbedding() })
}

describe('memories without a vector', () => {
  it('are found by their words: what is said again is stored once', async () => {
    const memory = await changed()
    const [outcome] = await memory.as(SHOP).remember(SAID, { session: 'after' })
    expect(outcome).toMatchObject({ kind: 'reinforce', memory: { confidence: 0.8 } })
    const [other] = await memory.as(SHOP).remember({ ...SAID, content: 'Jellyfin takes about 60s to start' })
    expect(other?.kind).toBe('reinforce')
    expect((await memory.as(SHOP).list()).totalCount).toBe(1)
  })

  it('are counted by the health check, and get their vectors beside other work', async () => {
    const texts = Array.from({ length: 20 }, (_, i) => `Step ${i} of the start waits for disk ${i}`)
    const memory = await changed(texts)
    const { status, problems } = await memory.healthCheck()
    expect(status).toBe('degraded')
    expect(problems.at(-1)).toMatch(/^20 of 20 memories have no vector yet and are /)
    const ahead = embedAhead(memory, createLogger('silent'), 0)
    await expect.poll(async () => (await memory.healthCheck()).problems).toEqual([])
    await ahead.stop()
  })

  it('wait when the process ends first, and where it may not embed', async () => {
    const memory = await changed()
    await embedAhead(memory, createLogger('silent'), 60_000).stop()
    const refused = { ...memory, reembed: () => Promise.reject(new MemoryError('UNAUTHORIZED', 'An operator may.')) }
    await embedAhead(refused, createLogger('silent'), 0).stop()
    expect((await memory.healthCheck()).problems.at(-1)).toMatch(/^1 of 1 memories has no vector yet and is /)
  })
})

it('whatever a provider throws is a failure of the model, not of the store', async () => {
  const embedding = {
    ...hashingEmbedding(),
    embed: () => {
      throw new Error('gone')
    },
  }
  const memory = await openMemory({ storage: referenceStorage(), embedding })
  await expect(memory.as(SHOP).add('A')).rejects.toMatchObject({
    code: 'EMBEDDING_FAILED',
    message: expect.stringContaining('failed: gone'),
  })
  await memory.shutdown()
})

it('the health check says that embedding fails, and that it works again', async () => {
  let isDown = true
  const embed = (texts: readonly string[]) => {
    if (isDown) throw new MemoryError('EMBEDDING_FAILED', 'The model is not there.')
    return hashingEmbedding().embed(texts)
  }
  const memory = await openMemory({
    storage: referenceStorage(),
    embedding: { ...hashingEmbedding(), embed: async (texts) => embed(texts) },
    retry: { retries: 0 },
  })
  await expect(memory.as(SHOP).add('A')).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' })
  expect(await memory.healthCheck()).toMatchObject({
    status: 'degraded',
    problems: ['Embedding fails: The model is not there.'],
  })
  isDown = false
  await memory.as(SHOP).add('A')
  expect((await memory.healthCheck()).status).toBe('healthy')
})
