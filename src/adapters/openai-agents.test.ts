import { Agent, run, setTracingDisabled, tool } from '@openai/agents-core'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents-core/testing'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { hashingEmbedding } from '../embedding/hashing.ts'
import type { Nokosu, OwnMemories } from '../engine/nokosu.ts'
import { openMemory } from '../engine/open-memory.ts'
import { memoryTools, withMemory } from './openai-agents.ts'

/** More memories than fit into the block at session start. */
const RACKS = Array.from({ length: 150 }, (_, i) => ({
  content: `Rack ${i} has its own switch ${i * 7} in hall ${i % 5}`,
  exact: true,
}))

let memory: Nokosu
let shop: OwnMemories
beforeAll(() => setTracingDisabled(true))
beforeEach(async () => {
  memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding() })
  shop = memory.as({ projectId: 'shop' })
})
afterEach(() => memory.shutdown())

const contents = async () => (await shop.list()).memories.map(({ content }) => content)

it('the tools look up and keep', async () => {
  const observation = 'Caddy must be started after WireGuard'
  const model = new ScriptedModel([
    [functionCall('remember', { observation, category: 'dependency', service: 'caddy' }, { callId: '1' })],
    [functionCall('recall', { query: 'caddy started after WireGuard' }, { callId: '2' })],
    [assistantMessage('Done')],
  ])
  await run(new Agent({ name: 'nori', model, tools: memoryTools(shop) }), 'Restart')
  expect(await contents()).toEqual([observation])
  expect(JSON.stringify(model.calls[2]!.request.input)).toContain(`[dependency:caddy] ${observation}`)
})

it('shows what is known and what matters after a tool’s answer, and keeps what every answer marks', async () => {
  await shop.bulkAdd(RACKS)
  await shop.add('Orders live in the schema sales', { exact: true, confidence: 1 })
  await shop.add('ECONNREFUSED 5433 means that the tunnel of pgbouncer is down: run tunnel up first', {
    exact: true,
    confidence: 0.3,
  })
  const shell = tool({
    name: 'shell',
    description: 'Runs a command',
    parameters: z.object({ command: z.string() }),
    execute: async () => 'psql: error: connect ECONNREFUSED 127.0.0.1:5433 pgbouncer tunnel',
  })
  const model = new ScriptedModel([
    [functionCall('shell', { command: 'psql' }, { callId: '1' })],
    [assistantMessage('Counted.\n[MEMORY:timing:orders] Counting takes 40 s')],
  ])
  const nokosu = withMemory(shop)
  const result = await run(
    new Agent({ name: 'nori', instructions: 'Be brief', model, tools: [shell] }),
    'Count the orders',
    nokosu,
  )
  await nokosu.answered(result.finalOutput)
  const [first, second] = model.calls.map(({ request }) => request.systemInstructions ?? '')
  expect(first).toMatch(/^Be brief\n/)
  expect(first).toContain('Orders live in the schema sales')
  expect(first).not.toContain('tunnel up first')
  expect(second!.startsWith(first!)).toBe(true)
  expect(second).toContain('tunnel up first')
  expect(JSON.stringify(result.history)).not.toContain('tunnel up first')
  expect(await contents()).toContain('Counting takes 40 s')
})
