import { generateText, isStepCount, streamText, wrapLanguageModel } from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { hashingEmbedding } from '../embedding/hashing.ts'
import type { Nokosu, OwnMemories } from '../engine/nokosu.ts'
import { openMemory } from '../engine/open-memory.ts'
import { memoryMiddleware, memoryTools } from './ai-sdk.ts'

type Answer = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>

const usage: Answer['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const says = (text: string): Answer => ({
  content: [{ type: 'text', text }],
  finishReason: { unified: 'stop', raw: undefined },
  usage,
  warnings: [],
})
const calls = (toolName: string, input: object): Answer => ({
  content: [{ type: 'tool-call', toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) }],
  finishReason: { unified: 'tool-calls', raw: undefined },
  usage,
  warnings: [],
})
/** A model that returns these answers in order and records its prompts. */
function scripted(...answers: Answer[]) {
  const asked: string[] = []
  const model = new MockLanguageModelV4({
    async doGenerate({ prompt }) {
      asked.push(prompt.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`).join('\n'))
      return answers[asked.length - 1]!
    },
  })
  return { model, asked }
}

/** More memories than fit into the block at session start. */
const RACKS = Array.from({ length: 150 }, (_, i) => ({
  content: `Rack ${i} has its own switch ${i * 7} in hall ${i % 5}`,
  exact: true,
}))

let memory: Nokosu
let shop: OwnMemories
beforeEach(async () => {
  memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding() })
  shop = memory.as({ projectId: 'shop' })
})
afterEach(() => memory.shutdown())

const contents = async () => (await shop.list()).memories.map(({ content }) => content)

it('the tools look up and keep', async () => {
  const { model, asked } = scripted(
    calls('remember', {
      observation: 'Caddy must be started after WireGuard',
      category: 'dependency',
      service: 'caddy',
    }),
    calls('recall', { query: 'caddy started after WireGuard' }),
    says('Done'),
  )
  await generateText({ model, prompt: 'Restart', tools: memoryTools(shop), stopWhen: isStepCount(5) })
  expect(await contents()).toEqual(['Caddy must be started after WireGuard'])
  expect(asked[1]).toContain('insert: ')
  expect(asked[2]).toContain('[dependency:caddy] Caddy must be started after WireGuard')
})

it('the middleware shows what is known, once, in the same place of every call', async () => {
  await shop.add('Caddy must be started after WireGuard', { category: 'dependency' })
  const { model, asked } = scripted(calls('restart', { command: 'systemctl restart caddy' }), says('Done'))
  const wrapped = wrapLanguageModel({ model, middleware: memoryMiddleware(shop) })
  const restart = { inputSchema: z.object({ command: z.string() }), execute: async () => 'ok' }
  const stopWhen = isStepCount(3)
  await generateText({
    model: wrapped,
    instructions: 'Be brief',
    prompt: 'Restart caddy',
    tools: { restart },
    stopWhen,
  })
  expect(asked[0]!.split('\n')[0]).toBe('system: "Be brief"')
  for (const prompt of asked) expect(prompt.split('Caddy must be started after WireGuard')).toHaveLength(2)
  expect(asked[1]!.startsWith(asked[0]!)).toBe(true)
})

it('recalls after a tool that failed, behind its result, and shows it with every later call', async () => {
  await shop.bulkAdd(RACKS)
  await shop.add('ECONNREFUSED 5433 means that the tunnel of pgbouncer is down: run tunnel up first', {
    exact: true,
    confidence: 0.3,
  })
  const { model, asked } = scripted(
    calls('shell', { command: 'psql' }),
    calls('shell', { command: 'ls' }),
    says('Done'),
  )
  const wrapped = wrapLanguageModel({ model, middleware: memoryMiddleware(shop, { capture: false }) })
  const shell = {
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }: { command: string }) => {
      if (command === 'psql') throw new Error('connect ECONNREFUSED 127.0.0.1:5433 pgbouncer tunnel')
      return 'ok'
    },
  }
  await generateText({ model: wrapped, prompt: 'Count the orders', tools: { shell }, stopWhen: isStepCount(4) })
  expect(asked[0]).not.toContain('tunnel up first')
  const lines = asked[1]!.split('\n')
  expect(lines.findIndex((line) => line.startsWith('tool: '))).toBe(lines.length - 2)
  expect(lines.at(-1)).toContain('tunnel up first')
  expect(asked[2]!.startsWith(asked[1]!)).toBe(true)
})

it('keeps what answers mark, whole and streamed, and only once', async () => {
  const { model } = scripted(says('Done.\n[MEMORY:timing:caddy] Starts in 2 s'))
  const middleware = memoryMiddleware(shop)
  await generateText({ model: wrapLanguageModel({ model, middleware }), prompt: 'Restart' })
  expect(await contents()).toEqual(['Starts in 2 s'])
  const streaming = new MockLanguageModelV4({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'Fine.\n[MEMORY:timing:ci] The build ' },
          { type: 'text-delta', id: '1', delta: 'takes 12 minutes' },
          { type: 'text-end', id: '1' },
          { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
        ],
      }),
    }),
  })
  const { text } = streamText({ model: wrapLanguageModel({ model: streaming, middleware }), prompt: 'Build' })
  expect(await text).toContain('takes 12 minutes')
  await expect.poll(contents).toContain('The build takes 12 minutes')
})

it('a memory that fails does not stop the model, and says so', async () => {
  await memory.shutdown()
  const errors: Error[] = []
  const { model, asked } = scripted(says('Done. [MEMORY:timing] Takes 2 s'))
  const middleware = memoryMiddleware(shop, { onError: (error) => errors.push(error) })
  const { text } = await generateText({ model: wrapLanguageModel({ model, middleware }), prompt: 'Restart' })
  expect(text).toContain('Done.')
  expect(asked[0]).toBe('user: [{"type":"text","text":"Restart"}]')
  expect(errors.length).toBeGreaterThan(0)
})
