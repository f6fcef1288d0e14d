import { expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { openMemory } from './open-memory.ts'

it('a memory that is turned off shows nothing and records no showing', async () => {
  const storage = referenceStorage()
  const common = { storage, embedding: hashingEmbedding(), relations: null }
  const memory = await openMemory(common)
  onTestFinished(() => memory.shutdown())
  const identifiers = { projectId: 'shop' }
  const content = 'Run terraform apply only from the bastion'
  await memory.add({ layer: 'project', identifiers, content })
  const off = await openMemory({ ...common, memory: { enabled: false } })
  const context = { session: 's1', identifiers }
  const nothing = { format: 'operational', text: '', included: [], omitted: [], tokens: 0, memories: [], available: 0 }
  expect(await off.context(context)).toEqual(nothing)
  const moment = { kind: 'tool', name: 'Bash', input: 'terraform apply' } as const
  expect(await off.recall({ ...context, moment })).toEqual({ lines: [], text: '', tokens: 0 })
  expect(await off.recall({ ...context, moment, explain: true })).toEqual({
    lines: [],
    text: '',
    tokens: 0,
    omitted: [],
  })
  expect((await memory.injections({ session: 's1', identifiers })).injections).toEqual([])
  await memory.context(context)
  expect((await memory.injections({ session: 's1', identifiers })).injections).toHaveLength(1)
})
