import { describe, expect, it } from 'vitest'
import { clock, sample } from './samples.ts'
import { type ConformanceTarget, useStore } from './store-under-test.ts'

export function describeGet(target: ConformanceTarget): void {
  describe('get', () => {
    const store = useStore(target)

    it('[D07] returns the memory with all fields', async () => {
      const engine = await store.engine()
      const { memory } = await engine.add(sample({ tags: ['a'], metadata: { k: 1 } }))
      expect(await engine.get(memory.id)).toEqual(memory)
    })

    it('[D07] an unknown id is null, not an error', async () => {
      const engine = await store.engine()
      expect(await engine.get('01JNA000000000000000000000')).toBeNull()
      expect(await engine.get('no such thing')).toBeNull()
    })

    it('a deleted memory is null', async () => {
      const engine = await store.engine()
      const { memory } = await engine.add(sample())
      await engine.delete(memory.id)
      expect(await engine.get(memory.id)).toBeNull()
    })

    it('finds inactive and expired memories by id', async () => {
      const time = clock()
      const engine = await store.engine({ now: time.now })
      const inactive = (await engine.add(sample())).memory
      await engine.update(inactive.id, { active: false })
      const expired = (await engine.add(sample({ expiresAt: '2026-03-01T00:00:01Z' }))).memory
      time.advance(5000)
      expect(await engine.get(inactive.id)).toMatchObject({ active: false })
      expect(await engine.get(expired.id)).toMatchObject({ id: expired.id })
    })

    it('ids are compared exactly', async () => {
      const engine = await store.engine()
      const { memory } = await engine.add(sample())
      expect(await engine.get(memory.id.toLowerCase())).toBeNull()
      expect(await engine.get(` ${memory.id}`)).toBeNull()
      expect(await engine.get(memory.id.slice(0, -1))).toBeNull()
    })
  })
}
