import { describe, expect, it } from 'vitest'
import { failure, sample } from './samples.ts'
import { type ConformanceTarget, useStore } from './store-under-test.ts'

export function describeBulkDelete(target: ConformanceTarget): void {
  describe('bulkDelete', () => {
    const store = useStore(target)

    it('[D16] removes all that are there, and says how many', async () => {
      const engine = await store.engine()
      const { memories } = await engine.bulkAdd(Array.from({ length: 12 }, (_, i) => sample({ content: `Fact ${i}` })))
      const ids = memories.map((memory) => memory.id)
      expect(await engine.bulkDelete(ids.slice(0, 11))).toEqual({ deleted: 11, failed: [] })
      expect((await engine.list()).memories.map((memory) => memory.id)).toEqual([ids[11]])
    })

    it('is idempotent: unknown and repeated ids are no failure and are not counted', async () => {
      const engine = await store.engine()
      const { memory } = await engine.add(sample())
      const unknown = '01JNA000000000000000000000'
      expect(await engine.bulkDelete([memory.id, unknown, memory.id])).toEqual({ deleted: 1, failed: [] })
      expect(await engine.bulkDelete([memory.id, unknown])).toEqual({ deleted: 0, failed: [] })
    })

    it('one bad id refuses all of them', async () => {
      const engine = await store.engine()
      const { memory } = await engine.add(sample())
      const error = await failure(engine.bulkDelete([memory.id, '']), 'INVALID_INPUT')
      expect(error.details.field).toMatch(/\[1\]$/)
      await failure(engine.bulkDelete([]), 'INVALID_INPUT')
      expect(await engine.get(memory.id)).toEqual(memory)
    })
  })
}
