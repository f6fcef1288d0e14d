import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { interceptStorage } from '../testing/intercept-storage.ts'
import { openMemory } from './open-memory.ts'

async function shop() {
  /** While the gate is closed, calls wait until both kinds have arrived. */
  const gate = { kinds: null as Set<string> | null, open: Promise.withResolvers<void>() }
  const storage = interceptStorage(referenceStorage(), {
    before: async (method) => {
      if (gate.kinds === null || (method !== 'documents' && method !== 'search')) return
      gate.kinds.add(method)
      if (gate.kinds.size === 2) gate.open.resolve()
      await gate.open.promise
    },
  })
  const memory = await openMemory({ storage, embedding: hashingEmbedding(), relations: null })
  await memory.add({ layer: 'team', identifiers: { teamId: 'web' }, content: 'The web team deploys on Mondays' })
  const find = async () => {
    const { results, searchedLayers } = await memory.as({ projectId: 'shop' }).search({ query: 'web team deploys' })
    return [results.length, searchedLayers.length]
  }
  return { memory, gate, find }
}

it('a search sees at once what the directory says now, more or less', async () => {
  const { memory, find } = await shop()
  const [without] = [await find(), await find()]
  expect(without[0]).toBe(0)
  await memory.directory.set({ projectId: 'shop', teamId: 'web' })
  expect((await find())[0]).toBe(1)
  expect((await find())[0]).toBe(1)
  await memory.directory.remove('project', 'shop')
  expect(await find()).toEqual(without)
})

it('a second search does not wait for the directory', async () => {
  const { gate, find } = await shop()
  await find()
  gate.kinds = new Set()
  // Only completes if both are requested before either has answered.
  await find()
  expect(gate.kinds).toEqual(new Set(['documents', 'search']))
})
