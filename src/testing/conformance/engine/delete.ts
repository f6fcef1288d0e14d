import { expect } from 'vitest'
import { group } from '../group.ts'
import { ALL, sample } from '../samples.ts'

export const deleteCases = group('engine: delete', (it) => {
  it('[D11] removes the memory and reports it', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample())
    expect(await engine.delete(memory.id, ALL)).toEqual({ success: true })
    expect(await engine.get(memory.id, ALL)).toBeNull()
  })

  it('[D11] is idempotent: again, or an unknown id, succeeds', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample())
    await engine.delete(memory.id, ALL)
    expect(await engine.delete(memory.id, ALL)).toEqual({ success: true })
    expect(await engine.delete('01JNA000000000000000000000', ALL)).toEqual({ success: true })
  })

  it('removes it from every read path', async (store) => {
    const engine = await store.engine()
    const gone = (await engine.add(sample({ content: 'The nightly import starts at two' }))).memory
    const kept = (await engine.add(sample({ content: 'The nightly export starts at three' }))).memory
    await engine.delete(gone.id, ALL)
    const { results } = await engine.search({ query: gone.content, identifiers: { projectId: 'shop' }, threshold: 0 })
    expect(results.map((result) => result.memory.id)).toEqual([kept.id])
    const all = await engine.list({ ...ALL, includeInactive: true })
    expect(all.memories.map((memory) => memory.id)).toEqual([kept.id])
    expect(all.totalCount).toBe(1)
    expect(await engine.stats()).toMatchObject({ memories: 1, byLayer: { project: 1 } })
  })

  it('another handle that searched before no longer finds it', async (store) => {
    const engine = await store.engine()
    const other = await store.engine()
    const { memory } = await engine.add(sample())
    const search = { query: memory.content, identifiers: { projectId: 'shop' } }
    expect((await other.search(search)).results).toHaveLength(1)
    await engine.delete(memory.id, ALL)
    expect((await other.search(search)).results).toEqual([])
  })
})
