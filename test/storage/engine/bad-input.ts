import { expect } from 'vitest'
import { hashingEmbedding } from '../../../src/embedding/hashing.ts'
import type { Nokosu } from '../../../src/engine/nokosu.ts'
import { MemoryError } from '../../../src/model/errors.ts'
import { group } from '../../../src/testing/conformance/group.ts'
import { ALL, sample } from '../../../src/testing/conformance/samples.ts'
import type { BadCall } from './bad-calls.ts'
import { badOperations } from './bad-operations.ts'

/** This length is too long for every backend. */
const FAR_TOO_LONG = 1_000_000
const NOTHING_STRANGE = /^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]{1,600}$/u

/** Every refusal has the right code, names the field, is safe for a terminal, and changes nothing. */
export const badInputCases = group('engine: bad input', (it) => {
  for (const { operation, calls } of badOperations(FAR_TOO_LONG, hashingEmbedding().dimensions)) {
    it(`${operation} refuses what it cannot take, names the field, and changes nothing`, async (store) => {
      const engine = await store.engine({ retry: { retries: 0 } })
      const existingId = (await engine.add(sample({ tags: ['t'], metadata: { k: 1 } }))).memory.id
      const before = await contents(engine)
      const wrong: string[] = []
      for (const bad of calls) {
        const problem = await judge(bad, engine, existingId)
        if (problem !== null) wrong.push(`${bad.title}: ${problem}`)
      }
      expect(wrong).toEqual([])
      expect(await contents(engine)).toBe(before)
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    })
  }
})

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
    engine.list({ ...ALL, includeInactive: true }),
    engine.directory.list(),
  ])
  const { memories, active, byLayer, sessions } = stats
  return JSON.stringify({ memories, active, byLayer, sessions, everything, directory })
}
