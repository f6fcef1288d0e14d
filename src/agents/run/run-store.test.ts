import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { candidateSchema } from '../../model/candidate.ts'
import { MemoryError } from '../../model/errors.ts'
import type { StoreClient } from '../../remote/client.ts'
import { RunStore } from './run-store.ts'

const BLOCK = { text: '', entries: [], omitted: [], available: 0, memories: [] }
const START = { id: 's1', project: 'shop' }
const END = { id: 's1', exitCode: 0, outcome: 'success' }
const FACT = candidateSchema.parse({ content: 'Takes 60s to start', category: 'timing', service: 'web' })

/** The part of a run that lives in this process: the store is scripted, there is no disk, and the clock only moves on request. */
function scripted(answer: (call: string, input: object) => Promise<unknown>, spoolFolders: string[] = []) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const store = {
    start: async () => {},
    request: (call: string, input: object) => answer(call, input),
    reset: async () => {},
  } as unknown as StoreClient
  const target = { identifiers: { projectId: 'shop' }, session: 's1' }
  return new RunStore({ store, spoolFolders, boundMs: 2000, remember: true, target, warn: () => {} })
}

/** Advances the clock until the work is done. */
async function passing<T>(work: Promise<T>): Promise<T> {
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  while (!isDone) {
    await vi.advanceTimersByTimeAsync(10)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return work
}

it('writes nothing before the agent has its memories: a write that waits for another process blocks reads', async () => {
  const calls: string[] = []
  const run = scripted(async (call) => {
    if (call === 'context') await new Promise((resolve) => setTimeout(resolve, 1000))
    calls.push(call)
    return call === 'context' ? BLOCK : { delivered: 0, failures: [], more: false }
  })
  await passing(run.begin(START, 'operational'))
  await passing(run.finish(END, []))
  expect(calls.indexOf('beginSession')).toBeGreaterThan(calls.indexOf('context'))
})

it('models that take longer to load than the store may take to answer put nothing into the spool', async () => {
  const run = scripted(async (call) => {
    if (call === 'context') return BLOCK
    if (call === 'deliver') return { delivered: 0, failures: [], more: false }
    // Sequentially, like the store's process.
    if (call !== 'beginSession') await models
    return call === 'remember' ? [] : null
  })
  const models = new Promise((resolve) => setTimeout(resolve, 7000))
  await run.begin(START, 'operational')
  run.remember(FACT)
  expect(await passing(run.finish(END, []))).toMatchObject({ spooled: 0, lost: 0 })
})

it('[B08] a store that was dead at the start and has taken nothing since is not waited for at the end', async () => {
  const run = scripted((call) => {
    if (call === 'context') return Promise.reject(new MemoryError('PROVIDER_ERROR', 'silent'))
    return new Promise((resolve) => setTimeout(resolve, 10_000))
  })
  await run.begin(START, 'operational')
  run.remember(FACT)
  const before = performance.now()
  expect(await passing(run.finish(END, []))).toMatchObject({ spooled: 0, lost: 1 })
  expect(performance.now() - before).toBeLessThan(100)
})

describe('a store that another process has locked: it reads, and a write waits', () => {
  function locked(spoolFolders?: string[]) {
    const calls: string[] = []
    const run = scripted((call) => {
      calls.push(call)
      if (call === 'context') return Promise.resolve(BLOCK)
      // The bound of the connection.
      const late = new MemoryError('PROVIDER_ERROR', 'late')
      return new Promise((_, reject) => setTimeout(() => reject(late), call === 'live' ? 2000 : 30_000))
    }, spoolFolders)
    return { run, calls }
  }

  it('neither loads models nor is asked again where earlier writes wait', async () => {
    const spool = mkdtempSync(join(tmpdir(), 'nokosu-run-'))
    onTestFinished(() => rmSync(spool, { recursive: true }))
    writeFileSync(join(spool, 'earlier.ready.jsonl'), '')
    const { run, calls } = locked([spool])
    await passing(run.begin(START, 'operational'))
    await passing(run.readLive())
    await passing(run.finish(END, []))
    for (const call of ['warm', 'live']) expect(calls).not.toContain(call)
  })

  it('is given no more time at the end once it has not said what was shown', async () => {
    const { run } = locked()
    await passing(run.begin(START, 'operational'))
    const reading = run.readLive()
    await vi.advanceTimersByTimeAsync(32_000)
    await reading
    const before = performance.now()
    await passing(run.finish(END, []))
    expect(performance.now() - before).toBeLessThan(500)
  })
})

it('a store that came back while the agent worked is given its bound', async () => {
  const run = scripted((call) => {
    if (call === 'context') return Promise.reject(new MemoryError('PROVIDER_ERROR', 'silent'))
    if (call === 'deliver') return Promise.resolve({ delivered: 0, failures: [], more: false })
    const ms = call === 'endSession' ? 1000 : 0
    return new Promise((resolve) => setTimeout(() => resolve(call === 'remember' ? [] : null), ms))
  })
  await run.begin(START, 'operational')
  run.remember(FACT)
  await passing(new Promise((resolve) => setTimeout(resolve, 500)))
  expect(await passing(run.finish(END, []))).toMatchObject({ spooled: 0, lost: 0 })
})

it('[B09] a store that takes each record within the bound is waited for, however many there are', async () => {
  const run = scripted((call) => {
    if (call === 'context') return Promise.resolve(BLOCK)
    if (call === 'deliver') return Promise.resolve({ delivered: 0, failures: [], more: false })
    // Sequentially, like the store's process.
    const before = last
    last = before.then(() => new Promise((resolve) => setTimeout(resolve, call === 'warm' ? 12_000 : 900)))
    return last.then(() => (call === 'remember' ? [] : null))
  })
  let last: Promise<unknown> = Promise.resolve()
  await run.begin(START, 'operational')
  for (let i = 0; i < 8; i++) run.remember(FACT)
  expect(await passing(run.finish(END, []))).toMatchObject({ spooled: 0, lost: 0 })
})

it('where not everything fits, what the prompt calls for is asked too, and done without where that takes too long', async () => {
  const PART = { ...BLOCK, text: 'some', omitted: [{ memory: 'm1', reason: 'over budget' }] }
  const answering = (first: object, second: () => Promise<unknown>) =>
    scripted(async (call, input) => {
      if (call === 'deliver') return { delivered: 0, failures: [], more: false }
      if (call !== 'context') return null
      asked.push(input)
      return 'for' in input ? second() : first
    })
  const asked: object[] = []
  const begin = (first: object, second: () => Promise<unknown>) =>
    passing(answering(first, second).begin(START, 'operational', 'fix it'))
  expect(await begin(PART, async () => ({ ...PART, text: 'some, and more' }))).toMatchObject({ text: 'some, and more' })
  expect(asked).toMatchObject([{ format: 'operational' }, { for: 'fix it' }])
  expect(await begin(PART, () => new Promise(() => {}))).toMatchObject({ text: 'some' })
  asked.length = 0
  expect(await begin({ ...BLOCK, text: 'all' }, () => Promise.reject(new Error('asked')))).toMatchObject({
    text: 'all',
  })
  expect(asked).toHaveLength(1)
})
