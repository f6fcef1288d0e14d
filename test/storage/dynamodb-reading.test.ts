import { DeleteItemCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { place } from '../dynamodb/local-tables.ts'

const NORI = { agentId: 'nori', projectId: 'shop' }
const fact = (content: string) => ({ content, layer: 'agent' as const, identifiers: NORI })
const many = (count: number, length: number) =>
  Array.from({ length: count }, (_, i) => fact(`Observation ${i} ${'x'.repeat(length)}`))

describe('reading from DynamoDB', () => {
  it('a second search does not read the partition again, and a write of this process changes nothing in that', async () => {
    const { behindProxy, open } = await place('copy-')
    const { memory, proxy } = await behindProxy()
    const shop = memory.as(NORI)
    await shop.bulkAdd(many(80, 2000))
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

  it('a partition of several megabytes is read in all its pages', async () => {
    const { open } = await place('pages-')
    const memory = await open()
    await memory.as(NORI).bulkAdd(many(90, 15_000))
    const other = (await open()).as(NORI)
    const { memories, totalCount } = await other.list({ limit: 100 })
    expect(totalCount).toBe(90)
    await other.bulkDelete(memories.map(({ id }) => id))
    expect((await memory.as(NORI).list({})).totalCount).toBe(0)
  })

  it('200 writes of one millisecond, from four handles, are all kept', async () => {
    const { open, options } = await place('same-')
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
    const { Items: items = [] } = await client.send(new ScanCommand({ TableName: 'same-agent-memories' }))
    client.destroy()
    expect(items.map(({ id }) => id?.S).sort()).toEqual(added.flat().sort())
    expect(items.every(({ createdAt }) => createdAt?.S?.startsWith('2026-03-01T12:00:00.123'))).toBe(true)
    const { memories } = await handles[0]!.as(NORI).list({ limit: 100 })
    expect(new Set(memories.map(({ createdAt }) => createdAt))).toEqual(new Set([at.toISOString()]))
  })

  it('what DynamoDB deleted by its expiry can be brought in again under its id', async () => {
    const { open, options } = await place('ttl-')
    const memory = await open()
    const { memory: added } = await memory.add(fact('Gone by morning'))
    const lines: string[] = []
    for await (const line of memory.export({ everything: true })) lines.push(line)
    const client = new DynamoDBClient(options)
    const [item] = (await client.send(new ScanCommand({ TableName: 'ttl-agent-memories' }))).Items ?? []
    const { agentProjectKey, createdAt } = item!
    const Key = { agentProjectKey: agentProjectKey!, createdAt: createdAt! }
    await client.send(new DeleteItemCommand({ TableName: 'ttl-agent-memories', Key }))
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
