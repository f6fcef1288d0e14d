import { expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { openMemory } from './open-memory.ts'

async function open() {
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding(), relations: null })
  onTestFinished(() => memory.shutdown())
  return memory
}

it('a chain that was set with a key and removed since does not come back by a repetition', async () => {
  const { directory } = await open()
  const chain = { projectId: 'shop', teamId: 'web' }
  const [entry] = await directory.set(chain, { key: 'once' })
  expect(entry).toMatchObject({ layer: 'project', id: 'shop', teamId: 'web' })
  await directory.remove('project', 'shop')
  expect(await directory.set(chain, { key: 'once' })).toEqual([entry])
  expect(await directory.list()).toEqual([])
  await directory.set(chain)
  expect(await directory.list()).toEqual([entry])
})

it('refuses a chain of one link, and says which call it was', async () => {
  const { directory } = await open()
  await expect(directory.set({ projectId: 'shop' })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  const operation = 'directory.set'
  await expect(directory.set({ nonsense: 'x' } as never)).rejects.toMatchObject({ operation })
  await expect(directory.set({ projectId: 'a', teamId: 'b' }, { nonsense: 1 } as never)).rejects.toMatchObject({
    operation,
  })
})

it('a directory that is given decides like a stored one, by layer and by id', async () => {
  const entry = { companyId: null, orgId: null, teamId: null }
  const directory = [
    { ...entry, layer: 'project', id: 'shop', teamId: 'web' },
    { ...entry, layer: 'team', id: 'bank', orgId: 'retail' },
    { ...entry, layer: 'project', id: 'bank', teamId: 'ledger' },
  ] as never
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding(), relations: null, directory })
  onTestFinished(() => memory.shutdown())
  for (const teamId of ['web', 'ledger'])
    await memory.add({ layer: 'team', identifiers: { teamId }, content: `Known to ${teamId}` })
  const known = async (projectId: string) =>
    (await memory.as({ projectId }).list({})).memories.map(({ content }) => content)
  expect(await known('bank')).toEqual(['Known to ledger'])
  expect(await known('shop')).toEqual(['Known to web'])
  expect(await known('blog')).toEqual([])
})
