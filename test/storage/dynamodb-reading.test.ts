import { DeleteItemCommand, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Connection } from '../../src/storage/dynamodb/connection.ts'
import { readPartition } from '../../src/storage/dynamodb/read-partition.ts'
import { place } from '../dynamodb/local-tables.ts'

const NORI = { agentId: 'nori', projectId: 'shop' }
const fact = (content: string) => ({ exact: true, content, layer: 'agent' as const, identifiers: NORI })
const many = (count: number, length: number) =>
  Array.from({ length: count }, (_, i) => fact(`Observation ${i} ${'x'.repeat(length)}`))

describe('reading from DynamoDB', () => {
  it('a second search does not read the partition again, and a write of this process changes nothing in that', async () => {
    const { behindProxy, open } = await place()
    const { memory, proxy } = await behindProxy()
    const shop = memory.as(NORI)
    await shop.bulkAdd(many(80, 2000), { exact: true })
    const search = async () => {
      proxy.takeUnits()
      const { results } = await shop.search({ query: 'Observation 7', threshold: 0 })
      return { found: results.length, ...proxy.takeUnits() }
    }
    const [cold, warm] = [await search(), await search()]
    expect(cold.read).toBeGreaterThan(60)
    expect(warm.found).toBe(cold.found)
    expect(warm.read).toBeLessThan(8)
    await shop.add(fact('One more observation'))
    expect((await search()).read).toBeLessThan(8)
    await (await open()).add(fact('Observation 7 of another process'))
    const { results } = await shop.search({ query: 'Observation 7 of another process', threshold: 0 })
    expect(results[0]?.memory.content).toBe('Observation 7 of another process')
  })

  it('questions that are asked at once read a partition once', async () => {
    const { behindProxy, open } = await place()
    await (await open()).as(NORI).bulkAdd(many(40, 2000), { exact: true })
    const { memory, proxy } = await behindProxy()
    proxy.takeUnits()
    const shop = memory.as(NORI)
    await Promise.all(['one', 'two', 'three', 'four'].map((query) => shop.search({ query, threshold: 0 })))
    const { read } = proxy.takeUnits()
    expect(read).toBeGreaterThan(40)
    // Four queries that each read it would take four times 40. Usually one does; on a busy machine one may come late.
    expect(read).toBeLessThan(130)
  })

  it('a new memory costs two requests, and the answer to a repeated one is read', async () => {
    const { behindProxy } = await place()
    const { memory, proxy } = await behindProxy()
    await memory.add(fact('The first one puts its partition on the list'))
    proxy.takeUnits()
    await memory.add(fact('The second one'))
    expect(proxy.takeUnits().requests).toBe(2)
  })

  it('an export that is brought in again finds what other helpers wrote, and leaves it alone', async () => {
    const { open, options } = await place()
    const client = new DynamoDBClient(options)
    const texts = {
      id: '01JNA0000000000000000000AB',
      agentProjectKey: 'nori#shop',
      createdAt: '2026-03-01T12:00:00.000Z',
    }
    const more = { agentName: 'nori', projectId: 'shop', content: 'The checkout test is flaky', source: 'extraction' }
    const Item = Object.fromEntries(Object.entries({ ...texts, ...more }).map(([name, S]) => [name, { S }]))
    await client.send(new PutItemCommand({ TableName: `${options.prefix}agent-memories`, Item }))
    const memory = await open()
    const lines: string[] = []
    for await (const line of memory.export({ everything: true })) lines.push(line)
    expect(lines.some((line) => line.includes(texts.id))).toBe(true)
    await memory.import(
      (async function* () {
        yield* lines
      })(),
    )
    const { Items: items = [] } = await client.send(new ScanCommand({ TableName: `${options.prefix}agent-memories` }))
    client.destroy()
    expect(items.map(({ id }) => id?.S)).toEqual([texts.id])
  })

  it('a partition of several megabytes is read in all its pages', async () => {
    const { open } = await place()
    const memory = await open()
    await memory.as(NORI).bulkAdd(many(90, 15_000), { exact: true })
    const other = (await open()).as(NORI)
    const { memories, totalCount } = await other.list({ limit: 100 })
    expect(totalCount).toBe(90)
    await other.bulkDelete(memories.map(({ id }) => id))
    expect((await memory.as(NORI).list({})).totalCount).toBe(0)
  })

  it('a large partition is read in ranges at once, each item once, however its times are spread', async () => {
    const { options } = await place()
    const connection = new Connection(options)
    onTestFinished(() => connection.close())
    const day = (i: number) => new Date(Date.UTC(2026, 0, 1) + i * 86_400_000).toISOString()
    const minute = (i: number) => new Date(Date.UTC(2026, 5, 1) + i * 60_000).toISOString()
    const times = {
      even: Array.from({ length: 60 }, (_, i) => day(i)),
      dense: [day(0), ...Array.from({ length: 60 }, (_, i) => minute(i)), '9999-01-01T00:00:00.000Z'],
      strange: ['1700000000', ...Array.from({ length: 40 }, (_, i) => day(i)), 'zz\uD83D\uDE00', 'yesterday'],
    }
    for (const [key, sorts] of Object.entries(times)) {
      const items = sorts.map((createdAt) => ({ agentProjectKey: key, createdAt, content: 'x'.repeat(100_000) }))
      await connection.put('agent-memories', items)
      const read = await readPartition(connection, key)
      expect(read.map(({ createdAt }) => createdAt?.S)).toEqual(sorts.toSorted())
    }
  })

  it('200 writes of one millisecond, from four handles, are all kept', async () => {
    const { open, options } = await place()
    const at = new Date('2026-03-01T12:00:00.123Z')
    const handles = await Promise.all([1, 2, 3, 4].map(() => open({ now: () => at })))
    const added = await Promise.all(
      handles.map(async (memory, h) => {
        const ids: string[] = []
        for (let i = 0; i < 50; i++) ids.push((await memory.add(fact(`Fact ${i} of handle ${h}`))).memory.id)
        return ids
      }),
    )
    const client = new DynamoDBClient(options)
    const { Items: items = [] } = await client.send(new ScanCommand({ TableName: `${options.prefix}agent-memories` }))
    client.destroy()
    expect(items.map(({ id }) => id?.S).sort()).toEqual(added.flat().sort())
    expect(items.every(({ createdAt }) => createdAt?.S?.startsWith('2026-03-01T12:00:00.123'))).toBe(true)
    const { memories } = await handles[0]!.as(NORI).list({ limit: 100 })
    expect(new Set(memories.map(({ createdAt }) => createdAt))).toEqual(new Set([at.toISOString()]))
  })

  it('what DynamoDB deleted by its expiry can be brought in again under its id', async () => {
    const { open, options } = await place()
    const memory = await open()
    const { memory: added } = await memory.add(fact('Gone by morning'))
    const lines: string[] = []
    for await (const line of memory.export({ everything: true })) lines.push(line)
    const client = new DynamoDBClient(options)
    const [item] = (await client.send(new ScanCommand({ TableName: `${options.prefix}agent-memories` }))).Items ?? []
    const { agentProjectKey, createdAt } = item!
    const Key = { agentProjectKey: agentProjectKey!, createdAt: createdAt! }
    await client.send(new DeleteItemCommand({ TableName: `${options.prefix}agent-memories`, Key }))
    client.destroy()
    const other = await open()
    expect(await other.as(NORI).get(added.id)).toBeNull()
    await other.import(
      (async function* () {
        yield* lines
      })(),
    )
    expect(await other.as(NORI).get(added.id)).toMatchObject({ content: 'Gone by morning' })
  })
})
