import { expect } from 'vitest'
import { group } from '../group.ts'
import { ALL, failure, sample } from '../samples.ts'

export const bulkDeleteCases = group('engine: bulkDelete', (it) => {
  it('[D16] removes all existing ones, and reports how many', async (store) => {
    const engine = await store.engine()
    const { memories } = await engine.bulkAdd(Array.from({ length: 12 }, (_, i) => sample({ content: `Fact ${i}` })))
    const ids = memories.map((memory) => memory.id)
    expect(await engine.bulkDelete(ids.slice(0, 11), ALL)).toEqual({ deleted: 11, failed: [] })
    expect((await engine.list(ALL)).memories.map((memory) => memory.id)).toEqual([ids[11]])
  })

  it('is idempotent: unknown and repeated ids neither fail nor count', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample())
    const unknown = '01JNA000000000000000000000'
    expect(await engine.bulkDelete([memory.id, unknown, memory.id], ALL)).toEqual({ deleted: 1, failed: [] })
    expect(await engine.bulkDelete([memory.id, unknown], ALL)).toEqual({ deleted: 0, failed: [] })
  })

  it('one invalid id rejects all', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample())
    const error = await failure(engine.bulkDelete([memory.id, ''], ALL), 'INVALID_INPUT')
    expect(error.details.field).toMatch(/\[1\]$/)
    await failure(engine.bulkDelete([], ALL), 'INVALID_INPUT')
    expect(await engine.get(memory.id, ALL)).toEqual(memory)
  })
})
