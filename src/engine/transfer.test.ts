import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { MemoryError } from '../model/errors.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { interceptStorage } from '../testing/intercept-storage.ts'
import { openMemory } from './open-memory.ts'

it('a store that cannot be written is exported, with a warning that the audit log has no entry for it', async () => {
  let readOnly = false
  const storage = interceptStorage(referenceStorage(), {
    before: (method) => {
      if (readOnly && method === 'commit') throw new MemoryError('PROVIDER_ERROR', 'read-only', { retryable: false })
    },
  })
  const warnings: string[] = []
  const log = {
    debug: () => {},
    info: () => {},
    error: () => {},
    warn: (_: unknown, text: string) => void warnings.push(text),
  }
  await using memory = await openMemory({ storage, embedding: hashingEmbedding(), log })
  await memory.as({ projectId: 'shop' }).add('Prices are in cents')
  readOnly = true
  const lines = await Array.fromAsync(memory.export({ everything: true }))
  expect(lines.join('\n')).toContain('Prices are in cents')
  expect(warnings).toEqual(['the audit log has no entry for this export'])
})

it('a caller with identifiers exports what it may read, without naming it again', async () => {
  await using memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding() })
  await memory.as({ projectId: 'shop' }).add('Prices are in cents')
  await memory.as({ projectId: 'bank' }).add('Days end at noon')
  const lines = (await Array.fromAsync(memory.as({ projectId: 'shop' }).export())).join('\n')
  expect(lines).toContain('Prices are in cents')
  expect(lines).not.toContain('Days end at noon')
})

it('a memory that a file marks without a reason is marked as imported', async () => {
  await using memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding() })
  const shop = memory.as({ projectId: 'shop' })
  const { memory: added } = await shop.add('Prices are in cents')
  const lines = await Array.fromAsync(memory.export({ everything: true }))
  await using other = await openMemory({ storage: 'memory:', embedding: hashingEmbedding() })
  const file = lines.map((line) => line.replaceAll('"trust":"operator"', '"trust":"flagged"'))
  await other.import(ReadableStream.from(file))
  const marked = { trust: 'flagged', metadata: { flags: ['imported'] } }
  expect(await other.get(added.id, { everything: true })).toMatchObject(marked)
})
