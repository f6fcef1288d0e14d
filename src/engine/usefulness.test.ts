import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { openMemory } from './open-memory.ts'

const SHOP = { projectId: 'shop' }

async function opened() {
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding(), relations: null })
  const shop = memory.as(SHOP)
  const add = async (content: string) => (await shop.add(content, { category: 'timing' })).memory!.id
  let count = 0
  /** A run that was shown these memories and had this outcome. */
  async function run(shown: readonly string[], exitCode: number | null, role = 'coder') {
    const id = `run-${count++}`
    await shop.beginSession({ id, project: 'shop', role })
    const entries = shown.map((each, position) => ({ memory: each, position, tokens: 5 }))
    if (entries.length > 0) await shop.recordShowing({ session: id, format: 'operational', entries })
    if (exitCode !== null) await shop.endSession(id, { exitCode })
    return id
  }
  return { memory, shop, add, run }
}

it('counts how runs that were shown a memory ended, beside runs of the same kind without it', async () => {
  const { memory, shop, add, run } = await opened()
  const id = await add('Takes 60s to start')
  for (let i = 0; i < 12; i++) await run([id], i < 11 ? 0 : 1)
  for (let i = 0; i < 12; i++) await run([], i < 3 ? 0 : 1)
  await run([id], null)
  // Another role, with an unknown outcome.
  for (let i = 0; i < 20; i++) await run([], 0, 'tester')
  const [found] = await shop.usefulness([id])
  expect(found).toMatchObject({
    memory: id,
    shown: 13,
    used: 0,
    runs: { good: 11, of: 12 },
    others: { good: 3, of: 12 },
  })
  expect(found!.verdict).toBe('helps')
  expect(found!.difference!.low).toBeGreaterThan(0)
  // Other callers do not see that it exists.
  expect(await memory.as({ projectId: 'other' }).usefulness([id])).toEqual([])
  await memory.shutdown()
})

it('a reviewer’s verdict counts for the run that submitted the work', async () => {
  const { memory, shop, add, run } = await opened()
  const [id, other] = [await add('Takes 60s to start'), await add('Takes 9 GB')]
  for (let i = 0; i < 10; i++) {
    const session = await run([id], 0)
    const approved = await run([other], 1)
    const task = { projectId: 'shop', taskId: `T${i}` }
    await shop.record({ type: 'submission', summary: `Did part ${i}`, ...task }, { session })
    await shop.record({ type: 'rejection', notes: `Part ${i} lacks a test of its limits`, cycle: 1, ...task })
    const next = { projectId: 'shop', taskId: `U${i}` }
    await shop.record({ type: 'submission', summary: `Did more of part ${i}`, ...next }, { session: approved })
    await shop.record({ type: 'approval', notes: `Part ${i} is whole now`, ...next })
    await run([], 0)
  }
  const found = await shop.usefulness([id, other])
  expect(found).toMatchObject([
    { runs: { good: 0, of: 10 }, others: { good: 20, of: 20 }, verdict: 'harms' },
    { runs: { good: 10, of: 10 }, others: { good: 10, of: 20 } },
  ])
  await memory.shutdown()
})

it('a sweep puts up for review what looks harmful, says in which figures, and changes nothing that is believed', async () => {
  const { memory, shop, add, run } = await opened()
  const [harmful, fine] = [await add('Skip the warm-up'), await add('Takes 60s to start')]
  for (let i = 0; i < 12; i++) await run([harmful], i < 2 ? 0 : 1)
  for (let i = 0; i < 12; i++) await run([fine], i < 11 ? 0 : 1)
  await memory.sweep()
  await memory.sweep()
  const after = (await shop.get(harmful))!
  expect((await shop.history(harmful)).changes).toHaveLength(2)
  expect(after).toMatchObject({ confidence: 0.7, active: true, tags: ['review'] })
  expect(after.metadata.looksHarmful).toBe(
    'was shown to runs that succeeded 2 of 12 times; similar runs without it succeeded 11 of 12 times',
  )
  expect((await shop.get(fine))!.tags).toEqual([])
  await memory.review(harmful, 'accept', { everything: true })
  await memory.sweep()
  expect((await shop.get(harmful))!.tags).toEqual([])
  await memory.shutdown()
})
