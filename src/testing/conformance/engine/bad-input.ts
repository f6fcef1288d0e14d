import { beforeAll, describe, expect, it } from 'vitest'
import { hashingEmbedding } from '../../embedding/hashing.ts'
import type { Nokosu } from '../../engine/open-memory.ts'
import { MemoryError } from '../../model/errors.ts'
import { type BadCall, badOperations } from './bad-operations.ts'
import { sample } from './samples.ts'
import { type ConformanceTarget, useStore } from './store-under-test.ts'

/** Texts of this length are too long for every backend. */
const FAR_TOO_LONG = 1_000_000
const NOTHING_STRANGE = /^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]{1,600}$/u

/** Every refusal has the right code, names the field, says nothing that could harm a terminal, and changes nothing. */
export function describeBadInput(target: ConformanceTarget): void {
  describe('bad input', () => {
    const store = useStore(target, 'all')
    let engine: Nokosu
    let existingId: string

    beforeAll(async () => {
      engine = await store.engine({ retry: { retries: 0 } })
      existingId = (await engine.add(sample({ tags: ['t'], metadata: { k: 1 } }))).memory.id
    })

    it.each(badOperations(FAR_TOO_LONG, hashingEmbedding().dimensions))(
      '$operation refuses what it cannot take, names the field, and changes nothing',
      async ({ calls }) => {
        let before = await contents(engine)
        const wrong: string[] = []
        for (const bad of calls) {
          const problem = await judge(bad, engine, existingId)
          if (problem !== null) wrong.push(`${bad.title}: ${problem}`)
          const after = await contents(engine)
          if (after !== before) wrong.push(`${bad.title}: changed the store`)
          before = after
        }
        expect(wrong).toEqual([])
        expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
      },
    )
  })
}

async function judge(bad: BadCall, engine: Nokosu, existingId: string): Promise<string | null> {
  let error: unknown
  try {
    await bad.call(engine, existingId)
    return 'was accepted'
  } catch (thrown) {
    error = thrown
  }
  if (!MemoryError.is(error)) return `threw ${String(error)}`
  const field = String(error.details.field)
  const named = field === bad.field || (bad.within === true && field.startsWith(bad.field))
  if (error.code !== bad.code) return `was ${error.code} (${error.message.slice(0, 80)}), not ${bad.code}`
  if (!named) return `named '${field}', not '${bad.field}'`
  if (error.retryable) return 'was retryable'
  if (!NOTHING_STRANGE.test(error.message)) return `said ${JSON.stringify(error.message.slice(0, 80))}`
  return null
}

async function contents(engine: Nokosu): Promise<string> {
  const [stats, everything, directory] = await Promise.all([
    engine.stats(),
    engine.list({ includeInactive: true }),
    engine.directory(),
  ])
  const { memories, active, byLayer, sessions } = stats
  return JSON.stringify({ memories, active, byLayer, sessions, everything, directory })
}
