import { expect, it } from 'vitest'
import { openMemory } from '../engine/open-memory.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { hashingEmbedding } from './hashing.ts'

/** A model as AI SDK providers implement it: version 3 of the specification. */
function model() {
  const vectors = hashingEmbedding({ dimensions: 96 })
  const calls: string[][] = []
  let failures = 0
  return {
    specificationVersion: 'v3' as const,
    provider: 'acme',
    modelId: 'acme-embed-1',
    maxEmbeddingsPerCall: 2,
    supportsParallelCalls: true,
    calls,
    failNext: (times: number) => {
      failures = times
    },
    async doEmbed({ values }: { values: string[] }) {
      if (failures-- > 0) throw Object.assign(new Error('overloaded'), { isRetryable: true })
      calls.push(values)
      const found = await vectors.embed(values)
      // Vectors of any length: Nokosu scales them to 1.
      return { embeddings: found.map((each) => [...each].map((n) => n * 3)), warnings: [] }
    },
  }
}

it('an embedding model of the AI SDK embeds: its dimensions are found out, and its limit is kept', async () => {
  const embedding = model()
  await using memory = await openMemory({
    ...{ storage: referenceStorage(), embedding, relations: null, poisons: null },
    retry: { retries: 2, baseMs: 1 },
  })
  expect(memory.embedding).toMatchObject({ name: 'ai-sdk:acme/acme-embed-1', dimensions: 96 })
  expect(embedding.calls).toEqual([['memory']])
  const shop = memory.as({ projectId: 'shop' })
  embedding.failNext(1)
  await shop.bulkAdd(['Backups run at 3', 'Mail leaves at noon', 'Port 80 is open'], { exact: true })
  expect(embedding.calls.slice(1)).toEqual([['Backups run at 3', 'Mail leaves at noon'], ['Port 80 is open']])
  const { results } = await shop.search('Mail leaves at noon', { mode: 'semantic' })
  expect(results[0]).toMatchObject({ score: 1, memory: { content: 'Mail leaves at noon' } })
  embedding.failNext(9)
  await expect(shop.add('Something else')).rejects.toMatchObject({ code: 'EMBEDDING_FAILED', retryable: true })
})
