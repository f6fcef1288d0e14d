import { expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { openMemory } from './open-memory.ts'

const DAY = 86_400_000
const SHOP = { projectId: 'shop' }

function line(type: string, at: number, content: unknown): string {
  return JSON.stringify({
    type,
    sessionId: 's1',
    timestamp: new Date(at).toISOString(),
    message: { id: `m${at}`, content },
  })
}

it('a memory that a session was shown and acted on is used, once a session, and does not fade; one that was only shown does', async () => {
  let now = Date.parse('2026-03-01T00:00:00.000Z')
  const memory = await openMemory({
    storage: 'memory:',
    embedding: hashingEmbedding(),
    relations: null,
    now: () => new Date(now),
  })
  const add = async (content: string) =>
    (await memory.add({ content, category: 'dependency', tier: 1, layer: 'project', identifiers: SHOP })).memory!.id
  const used = await add('Reports read from db-ro.internal')
  const idle = await add('Printers are at printer-7.internal')
  await memory.context({ identifiers: SHOP, session: 's1' })
  const steps = [
    line('user', now + 1000, 'make the report'),
    line('assistant', now + 2000, [{ type: 'tool_use', name: 'Bash', input: { command: 'psql -h db-ro.internal' } }]),
  ].join('\n')
  now += 20 * DAY
  for (let twice = 0; twice < 2; twice++) {
    await memory.capture(steps, { format: 'transcript', identifiers: SHOP, session: 's1' })
  }
  expect(await memory.get(used, { identifiers: SHOP })).toMatchObject({ useCount: 1, confidence: 0.7 })
  expect(await memory.get(idle, { identifiers: SHOP })).toMatchObject({ useCount: 0, lastUsedAt: null })
  await memory.endSession('s1', { used: [used] })
  now += 24 * DAY
  expect(await memory.get(used, { identifiers: SHOP })).toMatchObject({ useCount: 1, confidence: 0.7 })
  expect(await memory.get(idle, { identifiers: SHOP })).toMatchObject({ confidence: 0.5 })
  // 38 days after its use.
  now += 14 * DAY
  expect(await memory.get(used, { identifiers: SHOP })).toMatchObject({ confidence: 0.6 })
  await memory.shutdown()
})

it('a stream that was captured counts as a transcript does; without times nobody knows what it follows', async () => {
  const now = Date.parse('2026-03-01T00:00:00.000Z')
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding(), now: () => new Date(now) })
  const shop = memory.as(SHOP)
  const { memory: known } = await shop.add('Reports read from db-ro.internal')
  const act = [{ type: 'tool_use', name: 'Bash', input: { command: 'psql -h db-ro.internal' } }]
  const capture = async (session: string, line: object) => {
    await shop.context({ session })
    await shop.capture(JSON.stringify(line), { format: 'stream-json', session })
    return (await shop.get(known.id))?.useCount
  }
  const untimed = { type: 'assistant', session_id: 'x', message: { id: 'm', content: act } }
  expect(await capture('s1', untimed)).toBe(0)
  expect(await capture('s2', { ...untimed, timestamp: new Date(now + 1000).toISOString() })).toBe(1)
  await memory.shutdown()
})
