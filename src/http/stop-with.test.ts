import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { openMemory } from '../engine/open-memory.ts'
import { stopWith } from './stop-with.ts'

it('a call ends with its request, and nothing after that is stored', async () => {
  const client = new AbortController()
  const hashing = hashingEmbedding()
  let embedded = 0
  const embedding = {
    ...hashing,
    embed: async (texts: readonly string[]) => {
      if (++embedded === 2) client.abort('Client connection prematurely closed.')
      return hashing.embed(texts)
    },
  }
  await using memory = await openMemory({ storage: 'memory:', embedding })
  const shop = memory.as({ projectId: 'shop' })
  const own = stopWith(shop, client.signal)
  await own.add('Caddy starts in 2 s')
  const left = own.add({ content: 'Mail leaves at noon' })
  await expect(left).rejects.toMatchObject({ name: 'AbortError', message: 'The client has gone' })
  await expect(own.list()).rejects.toMatchObject({ name: 'AbortError' })
  expect((await shop.list()).memories.map(({ content }) => content)).toEqual(['Caddy starts in 2 s'])
})

it('without an end, every form of call answers as before', async () => {
  await using memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding() })
  const own = stopWith(memory.as({ projectId: 'shop' }), new AbortController().signal)
  const { memory: added } = await own.add('Caddy starts in 2 s', { category: 'timing' })
  expect(await own.get(added.id)).toMatchObject({ category: 'timing' })
  expect((await own.list()).totalCount).toBe(1)
  expect((await own.context()).text).toContain('Caddy starts in 2 s')
  expect((await own.search({ query: 'caddy starts' })).results).toHaveLength(1)
  expect((await own.update(added.id, { tags: ['boot'] })).memory.tags).toEqual(['boot'])
  expect(await own.delete(added.id)).toEqual({ success: true })
})
