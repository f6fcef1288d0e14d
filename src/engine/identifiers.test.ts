import { expect, it, onTestFinished } from 'vitest'
import { sqliteStorage } from '../storage/sqlite/sqlite-storage.ts'
import { openMemory } from './open-memory.ts'

async function opened() {
  const memory = await openMemory({
    storage: sqliteStorage({ path: ':memory:' }),
    embedding: { kind: 'hashing' },
    relations: null,
  })
  onTestFinished(() => memory.shutdown())
  return memory
}

it('an event and a memory of one project are of one project, whatever spaces are around its name', async () => {
  const memory = await opened()
  for (const projectId of ['shop', ' shop ']) {
    await memory.record({ type: 'hint', projectId, summary: 'Restart the proxy before the cache' })
    await memory.add({ layer: 'project', identifiers: { projectId }, content: 'The cache is warm after a minute' })
    const { memories } = await memory.list({ identifiers: { projectId }, includeInactive: true })
    expect(memories.map(({ identifiers }) => identifiers.projectId)).toEqual([projectId, projectId])
  }
  await expect(memory.record({ type: 'hint', projectId: '  ', summary: 'Nowhere' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
})

it('the memory file of every agent needs the project, and says so', async () => {
  const memory = await opened()
  await memory.add({ layer: 'agent', identifiers: { projectId: 'shop', agentId: 'nori' }, content: 'Of nori' })
  await expect(memory.context({ format: 'file', identifiers: { agentId: '*' } })).rejects.toMatchObject({
    code: 'MISSING_IDENTIFIER',
    details: { identifier: 'projectId' },
  })
  const { included } = await memory.context({ format: 'file', identifiers: { projectId: 'shop', agentId: '*' } })
  expect(included).toHaveLength(1)
})
