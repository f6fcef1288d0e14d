import { expect } from 'vitest'
import { group } from '../group.ts'
import { ALL, clock, sample } from '../samples.ts'

export const getCases = group('engine: get', (it) => {
  it('[D07] returns the memory with all fields', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample({ tags: ['a'], metadata: { k: 1 } }))
    expect(await engine.get(memory.id, ALL)).toEqual(memory)
  })

  it('[D07] an unknown id is null, not an error', async (store) => {
    const engine = await store.engine()
    expect(await engine.get('01JNA000000000000000000000', ALL)).toBeNull()
    expect(await engine.get('no such thing', ALL)).toBeNull()
  })

  it('a deleted memory is null', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample())
    await engine.delete(memory.id, ALL)
    expect(await engine.get(memory.id, ALL)).toBeNull()
  })

  it('finds inactive and expired memories by id', async (store) => {
    const time = clock()
    const engine = await store.engine({ now: time.now })
    const inactive = (await engine.add(sample())).memory
    await engine.update(inactive.id, { active: false }, ALL)
    const expired = (await engine.add(sample({ expiresAt: '2026-03-01T00:00:01Z' }))).memory
    time.advance(5000)
    expect(await engine.get(inactive.id, ALL)).toMatchObject({ active: false })
    expect(await engine.get(expired.id, ALL)).toMatchObject({ id: expired.id })
  })

  it('ids are compared exactly', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(sample())
    expect(await engine.get(memory.id.toLowerCase(), ALL)).toBeNull()
    expect(await engine.get(` ${memory.id}`, ALL)).toBeNull()
    expect(await engine.get(memory.id.slice(0, -1), ALL)).toBeNull()
  })
})
