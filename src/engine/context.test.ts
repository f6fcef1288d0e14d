import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { openMemory } from './open-memory.ts'

it('a session is told at its start what was decided, and not how tasks went', async () => {
  const memory = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), relations: null })
  const own = memory.as({ projectId: 'shop' })
  await own.add({ layer: 'project', category: 'decision', content: 'We deploy with Kamal' })
  await own.add({ layer: 'project', category: 'hint', content: 'Staging is faster in the morning' })
  await own.add({ layer: 'project', category: 'rejection', content: 'Cycle 1: tests are missing' })
  const { memories, available } = await own.context({})
  expect(memories.map(({ category }) => category).sort()).toEqual(['decision', 'hint'])
  expect(available).toBe(2)
  await memory.shutdown()
})
