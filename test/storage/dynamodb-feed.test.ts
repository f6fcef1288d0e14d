import { DynamoDBClient, PutItemCommand, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Nokosu } from '../../src/engine/nokosu.ts'
import { type Place, place } from '../dynamodb/local-tables.ts'
import type { Fate } from '../dynamodb/proxy.ts'

const NORI = { agentId: 'nori', projectId: 'shop' }
const SHOP = { projectId: 'shop' }
const fact = (content: string) => ({ exact: true, content, layer: 'project' as const, identifiers: SHOP })
const many = (count: number) => Array.from({ length: count }, (_, i) => fact(`Observation ${i} ${'x'.repeat(2000)}`))

function client({ options }: Place): DynamoDBClient {
  const made = new DynamoDBClient(options)
  onTestFinished(() => made.destroy())
  return made
}

async function contents(memory: Nokosu): Promise<string[]> {
  const { memories } = await memory.list({ identifiers: SHOP, layers: ['project'], limit: 100 })
  return memories.map(({ content }) => content).sort()
}

describe('the feed of a partition on DynamoDB', () => {
  it('what another process adds, changes, hides, deletes and restores is read without the rest', async () => {
    const { behindProxy, open } = await place()
    const other = await open()
    await other.bulkAdd(many(60), { exact: true })
    const { memory, proxy } = await behindProxy()
    const texts = async () => {
      proxy.takeUnits()
      const found = (await contents(memory)).filter((content) => !content.startsWith('Observation'))
      const { requests, read } = proxy.takeUnits()
      return { found, requests, read }
    }
    expect((await texts()).read).toBeGreaterThan(60)
    const { memory: added } = await other.add(fact('Deploys go through Kamal'))
    const after = await texts()
    expect(after.found).toEqual(['Deploys go through Kamal'])
    expect(after.read).toBeLessThan(6)
    const shop = other.as(SHOP)
    await shop.update(added.id, { content: 'Deploys go through Helm' })
    expect((await texts()).found).toEqual(['Deploys go through Helm'])
    // Inactive memories are stored elsewhere, invisible to other programs.
    await shop.update(added.id, { active: false })
    expect((await texts()).found).toEqual([])
    await shop.update(added.id, { active: true })
    await shop.delete(added.id)
    expect((await texts()).found).toEqual([])
    await shop.restore(added.id)
    const last = await texts()
    expect(last.found).toEqual(['Deploys go through Helm'])
    expect(last.read).toBeLessThan(12)
    expect((await texts()).requests).toBeLessThan(3)
  })

  it('a write of an earlier version, which has no feed, is seen at once', async () => {
    const store = await place()
    const { options } = store
    const memory = await store.open()
    await memory.bulkAdd([fact('The first'), fact('The second')], { exact: true })
    expect(await contents(memory)).toEqual(['The first', 'The second'])
    const dynamodb = client(store)
    const TableName = `${options.prefix}agent-memories`
    const { Items: [item] = [] } = await dynamodb.send(new ScanCommand({ TableName }))
    const text = item!.content!.S!
    await dynamodb.send(
      new PutItemCommand({
        TableName,
        Item: { ...item!, content: { S: `${text}, changed` }, revision: { N: '2' }, version: { N: '2' } },
      }),
    )
    await dynamodb.send(
      new UpdateItemCommand({
        TableName: `${options.prefix}agent-memory-counters`,
        Key: { owner: { S: '@project#shop' }, shard: { S: '@project#shop|7' } },
        UpdateExpression: 'ADD writes :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      }),
    )
    expect(await contents(memory)).toEqual(
      ['The first', 'The second'].map((each) => (each === text ? `${text}, changed` : each)),
    )
    // A write here continues from the other program's count.
    for (let i = 0; i < 40; i++) await memory.add(fact(`More ${i}`))
    expect(await contents(await store.open())).toHaveLength(42)
    expect(await contents(memory)).toHaveLength(42)
  })

  it('eight writers of one scope neither lose nor double anything, and every reader sees all of it', async () => {
    const store = await place()
    const writers = await Promise.all(Array.from({ length: 8 }, () => store.open()))
    const reader = await store.open()
    const expected: string[] = []
    await Promise.all(
      writers.map(async (memory, w) => {
        for (let i = 0; i < 12; i++) {
          expected.push(`Writer ${w} says ${i}`)
          await memory.add(fact(`Writer ${w} says ${i}`))
          if (i % 4 === 0) await contents(memory)
          if (i % 3 === 0) await contents(reader)
        }
      }),
    )
    for (const memory of [...writers, reader, await store.open()])
      expect(await contents(memory)).toEqual(expected.sort())
  })

  it('lost answers, cut connections and throttling on the way neither lose nor double anything', async () => {
    const store = await place()
    const { memory, proxy } = await store.behindProxy()
    const reader = await store.open()
    let calls = 0
    proxy.fate = ({ operation }): Fate => {
      const turn = calls++ % 17
      if (turn === 3) return 'drop'
      if (turn === 8) return operation === 'TransactWriteItems' ? 'lose' : 'unprocessed'
      return turn === 13 ? { error: 'ThrottlingException', retryAfter: 0 } : 'pass'
    }
    const expected = Array.from({ length: 30 }, (_, i) => `Fact ${i}`).sort()
    for (const content of expected) {
      await memory.add(fact(content))
      await contents(reader)
    }
    expect(calls).toBeGreaterThan(50)
    expect(await contents(memory)).toEqual(expected)
    expect(await contents(reader)).toEqual(expected)
  })

  it('tables that were emptied under a running process are read anew', async () => {
    const store = await place()
    const memory = await store.open()
    const shop = memory.as(NORI)
    await shop.add({ exact: true, content: 'Before', layer: 'agent', identifiers: NORI })
    expect((await shop.list({})).totalCount).toBe(1)
    const { emptyTables } = await import('../dynamodb/local-tables.ts')
    await emptyTables(store.options)
    expect((await shop.list({})).totalCount).toBe(0)
  })
})
