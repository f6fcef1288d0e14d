import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { dynamodbStorage } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import { place } from '../dynamodb/local-tables.ts'
import type { Call, Fate } from '../dynamodb/proxy.ts'

const NORI = { agentId: 'nori', projectId: 'shop' }
const fact = (content: string) => ({ exact: true, content, layer: 'agent' as const, identifiers: NORI })
const quick = { retries: 3, baseMs: 1, factor: 1, maxMs: 5 }
const never = { retries: 0 }

/** Applies this fault to the first `count` calls of an operation. */
function first(count: number, operation: string, fate: Fate): (call: Call) => Fate {
  let left = count
  return (call) => (call.operation === operation && left-- > 0 ? fate : 'pass')
}

describe('DynamoDB that fails', () => {
  it('an answer that is lost is asked for again: stored once', async () => {
    const { behindProxy, open } = await place()
    const { memory, proxy } = await behindProxy({ retry: quick })
    proxy.fate = first(1, 'TransactWriteItems', 'lose')
    const { memory: added } = await memory.as(NORI).add(fact('The cache is warmed at six'))
    proxy.fate = first(2, 'TransactWriteItems', 'lose')
    await memory.as(NORI).update(added.id, { importance: 90 })
    const { memories, totalCount } = await (await open()).as(NORI).list({})
    expect([totalCount, memories[0]?.importance, memories[0]?.version]).toEqual([1, 90, 2])
    expect((await memory.as(NORI).history(added.id)).changes).toHaveLength(2)
  })

  it('connections that break in a batch, and answers that are lost, leave nothing out and nothing twice', async () => {
    const { behindProxy, open } = await place()
    const { memory, proxy } = await behindProxy({ retry: { ...quick, retries: 8 } })
    proxy.fate = ({ number }) => (number % 11 === 5 ? 'drop' : number % 13 === 7 ? 'lose' : 'pass')
    const wanted = Array.from({ length: 60 }, (_, i) => `Observation ${i} of the batch`)
    await memory.bulkAdd(wanted.map(fact))
    const { memories } = await (await open()).as(NORI).list({ limit: 100 })
    expect(memories.map(({ content }) => content).sort()).toEqual(wanted.sort())
  })

  it('throttling is RATE_LIMITED with the delay that was said, or a default', async () => {
    const { behindProxy } = await place()
    const { memory, proxy } = await behindProxy({ retry: never })
    const throttled = { error: 'ProvisionedThroughputExceededException' }
    const cancelled = {
      error: 'TransactionCanceledException',
      body: { CancellationReasons: [{ Code: 'None' }, { Code: 'ThrottlingError' }] },
    }
    for (const [fate, retryAfterMs] of [
      [{ ...throttled, retryAfter: 2 }, 2000],
      [throttled, 500],
      [cancelled, 500],
    ] as const) {
      proxy.fate = first(1, 'TransactWriteItems', fate)
      await expect(memory.add(fact('The queue is drained at night'))).rejects.toMatchObject({
        code: 'RATE_LIMITED',
        retryable: true,
        details: { retryAfterMs },
      })
    }
    await memory.add(fact('The queue is drained at night'))
    expect((await memory.as(NORI).list({})).totalCount).toBe(1)
  })

  it('a burst of throttling is waited for, for as long as it says', async () => {
    const { behindProxy } = await place()
    const { memory, proxy } = await behindProxy({ retry: quick })
    proxy.fate = first(1, 'TransactWriteItems', { error: 'ThrottlingException', retryAfter: 1 })
    const start = performance.now()
    await memory.add(fact('The queue is drained at night'))
    expect(performance.now() - start).toBeGreaterThan(950)
    expect((await memory.as(NORI).list({})).totalCount).toBe(1)
  })

  it('what a batch left unprocessed is asked for again', async () => {
    const { behindProxy, options } = await place()
    const { memory, proxy } = await behindProxy({ retry: never })
    const { memories } = await memory.as(NORI).bulkAdd(Array.from({ length: 30 }, (_, i) => fact(`Fact ${i}`)))
    let seen = 0
    proxy.fate = ({ operation }) => (operation.startsWith('Batch') && seen++ % 2 === 0 ? 'unprocessed' : 'pass')
    const ids = memories.map(({ id }) => id)
    const storage = dynamodbStorage({ ...options, endpoint: proxy.endpoint })
    await storage.initialize({ name: 'm', dimensions: 4 })
    expect((await storage.get(ids)).map(({ memory: { id } }) => id).sort()).toEqual([...ids].sort())
    await memory.as(NORI).bulkDelete(ids)
    expect(await memory.purge({ before: new Date(Date.now() + 1000) })).toMatchObject({ changes: 60 })
    expect((await storage.changes({ memory: null, after: null, limit: 100 })).items).toEqual([])
    await storage.shutdown()
  })

  it('a name that nobody knows is a PROVIDER_ERROR that may be tried again', async () => {
    const { options } = await place()
    const storage = dynamodbStorage({ ...options, endpoint: 'http://nowhere.invalid:8000' })
    const failure = await storage.initialize({ name: 'm', dimensions: 4 }).catch((error) => error)
    expect(failure).toMatchObject({ code: 'PROVIDER_ERROR', retryable: true })
    expect(failure.message).toMatch(/nowhere\.invalid/)
    await storage.shutdown()
  })

  it('credentials that are refused are UNAUTHORIZED, and are not tried again', async () => {
    const { behindProxy } = await place()
    const { memory, proxy } = await behindProxy({ retry: quick })
    let calls = 0
    proxy.fate = () => {
      calls++
      return { error: 'AccessDeniedException' }
    }
    await expect(memory.as(NORI).get('01JNA0000000000000000000AB')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    expect(calls).toBe(1)
  })

  it('an item over the limit of DynamoDB is a clear error, and nothing of the commit is stored', async () => {
    const { options, open } = await place()
    const memory = await open()
    const { memory: added } = await memory.add(fact('Short'))
    const storage = dynamodbStorage(options)
    const { name, dimensions } = hashingEmbedding()
    await storage.initialize({ name, dimensions })
    const tokens = Array.from({ length: 60_000 }, (_, i) => `token${i}`)
    const row = { memory: { ...added, version: 2 }, visibleUntil: '', tokens, embedding: null }
    const commit = { key: 'large', at: added.createdAt, by: 'test', writes: [{ kind: 'update' as const, row }] }
    await expect(storage.commit(commit)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('400 KB'),
    })
    expect((await storage.get([added.id]))[0]?.memory.version).toBe(1)
    await storage.shutdown()
  })

  it('an endpoint that accepts and stays silent is given up on once, and says so', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as AddressInfo
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
    const storage = dynamodbStorage({ region: 'local', endpoint: `http://127.0.0.1:${port}`, credentials })
    onTestFinished(() => storage.shutdown())
    await expect(openMemory({ storage, embedding: hashingEmbedding(), relations: null })).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      message: expect.stringContaining('did not answer in time'),
    })
  })
})
