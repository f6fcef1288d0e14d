import { afterEach, expect, it, vi } from 'vitest'
import type { MemoryOptions } from '../memory-options.ts'
import type { Nokosu } from '../nokosu.ts'
import { openMemory } from '../open-memory.ts'
import { DEFAULT_SETTINGS } from '../settings.ts'

afterEach(() => void vi.restoreAllMocks())

interface Asked {
  name: string
  args: unknown[]
  as?: object
}

const ABOUT = {
  capabilities: { maxContentLength: 1000 },
  settings: DEFAULT_SETTINGS,
  model: { name: 'm', dimensions: 2 },
}

/** A client whose server answers each call with `answer`. */
async function served(options: MemoryOptions = {}, answer: (name: string) => unknown = () => null) {
  const asked: Asked[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, request = {}) => {
    const name = String(url).replace('https://host/api/engine', '').slice(1)
    if (name === '') return Response.json({ value: ABOUT })
    asked.push({ name, ...(JSON.parse(String(request.body)) as Pick<Asked, 'args'>) })
    const value = answer(name)
    if (value instanceof Error) throw value
    return Response.json({ value })
  })
  const memory = await openMemory({ storage: 'https://host', token: 'nks_x', retry: { retries: 0 }, ...options })
  return { memory, asked, shop: memory.as({ projectId: 'shop' }) }
}

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  )

it('where memory is switched off on this machine, nothing is asked of the server', async () => {
  const { memory, asked, shop } = await served({ memory: { enabled: false } })
  expect(memory.settings.enabled).toBe(false)
  expect(await shop.context({ format: 'workflow' })).toMatchObject({ text: '', included: [] })
  expect((await shop.context()).text).toBe('')
  expect(await shop.recall({ moment: { kind: 'prompt', text: 'restart caddy' } })).toMatchObject({ text: '' })
  const off = { code: 'UNSUPPORTED', message: expect.stringContaining('switched off') }
  expect(await refusal(shop.capture('x', { format: 'text' }))).toMatchObject(off)
  expect(await refusal(shop.record({ type: 'hint', projectId: 'shop', summary: 'x' }))).toMatchObject(off)
  expect(asked).toEqual([])
})

it('a shut memory refuses, and what only the server does is refused with where to do it', async () => {
  const { memory, shop } = await served()
  for (const name of ['verify', 'find', 'used', 'signOut', 'isSignedOut'] as const) {
    const call = memory.tokens[name] as (...values: unknown[]) => Promise<unknown>
    expect(await refusal(call('x')), name).toMatchObject({
      code: 'UNSUPPORTED',
      message: 'Only the server of this store can do that: run it there.',
    })
  }
  expect(await refusal(memory.bindKey('a', 'b'))).toMatchObject({ code: 'UNSUPPORTED' })
  expect(await memory.follow(() => {})).toBeNull()
  await memory.shutdown()
  expect(await refusal(shop.list())).toMatchObject({ code: 'PROVIDER_ERROR', retryable: false })
})

it('health is what the server says, and otherwise why it could not be asked', async () => {
  const { memory } = await served({}, () => ({ status: 'degraded', latencyMs: 1e9, problems: ['No vectors.'] }))
  const health = await memory.healthCheck()
  expect(health).toMatchObject({ status: 'degraded', problems: ['No vectors.'] })
  expect(health.latencyMs).toBeLessThan(1e6)
  const { memory: other } = await served({}, () => new TypeError('fetch failed'))
  expect(await other.healthCheck()).toMatchObject({
    status: 'unhealthy',
    problems: ['The server at https://host cannot be reached (fetch failed).'],
  })
})

it('sends the budget of this machine where a call says none, and a key with each call that writes', async () => {
  const { shop, asked } = await served({ budget: 500 })
  await shop.context()
  await shop.context({ budget: 7, session: 's' })
  await shop.recall({ moment: { kind: 'prompt', text: 'x' } })
  await shop.add('Prices are in cents', { key: 'mine' })
  await shop.add('Prices are in cents')
  const key = expect.stringMatching(/^[0-9A-Z]{26}$/)
  const as = { identifiers: { projectId: 'shop' } }
  expect(asked).toEqual([
    { name: 'context', args: [{ budget: 500 }], as },
    { name: 'context', args: [{ budget: 7, session: 's', key }], as },
    { name: 'recall', args: [{ moment: { kind: 'prompt', text: 'x' } }], as },
    { name: 'add', args: ['Prices are in cents', { key: 'mine' }], as },
    { name: 'add', args: ['Prices are in cents', { key }], as },
  ])
  await refusal(shop.context('caddy' as never))
  expect(asked.at(-1)?.args).toEqual(['caddy'])
})

it('waits longer for a call that writes, and longest for one over the whole store', async () => {
  const { memory, shop } = await served()
  const limits = vi.spyOn(AbortSignal, 'timeout')
  await shop.get('x')
  await shop.add('Prices are in cents')
  await memory.sweep()
  const [read, write, whole] = limits.mock.calls.map(([ms]) => ms)
  expect([read! < write!, write! < whole!]).toEqual([true, true])
})

it('reads a stream to its end, makes a vector of each text, and asks as whom it was opened', async () => {
  const { memory, asked } = await served({ insideRun: true }, (name) => (name === 'generateEmbedding' ? [1, 0] : {}))
  async function* output() {
    yield Buffer.from('[MEMORY:timing:ca')
    yield Buffer.from('ddy] Starts in 2 s')
  }
  await memory.capture(output(), { format: 'text', everything: true } as never)
  await memory.capture('as text', { format: 'text', everything: true } as never)
  expect(asked.map(({ args }) => args[0])).toEqual(['[MEMORY:timing:caddy] Starts in 2 s', 'as text'])
  expect(asked[0]?.as).toEqual({ agent: true, seesHeld: false })
  expect(await memory.embedding.embed(['a', 'b'])).toEqual([Float32Array.of(1, 0), Float32Array.of(1, 0)])
  expect(await refusal((memory as Nokosu).sweep())).toMatchObject({ code: 'UNAUTHORIZED' })
  expect(await memory.embedding.embed([])).toEqual([])
})

it('waits for the calls under way before it is shut', async () => {
  const answered = Promise.withResolvers<unknown>()
  const { memory, shop } = await served({}, () => answered.promise)
  const fetched = vi.mocked(globalThis.fetch)
  fetched.mockImplementation(async () => Response.json({ value: await answered.promise }))
  const waiting = shop.get('x')
  let shut = false
  const closing = memory.shutdown().then(() => {
    shut = true
  })
  await new Promise(setImmediate)
  expect(shut).toBe(false)
  answered.resolve(null)
  await closing
  expect(await waiting).toBeNull()
})
