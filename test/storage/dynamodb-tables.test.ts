import {
  type AttributeValue,
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import {
  createTables,
  type DynamodbOptions,
  deleteTables,
  describeTables,
  dynamodbStorage,
} from '../../src/storage/dynamodb/dynamodb-storage.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { startLocalServer } from '../dynamodb/local-server.ts'
import { localOptions, ownTables } from '../dynamodb/local-tables.ts'

const local = await localOptions()
const client = new DynamoDBClient(local)
const NORI = { agentId: 'nori', projectId: 'shop' }

afterAll(() => client.destroy())

/** DynamoDB Local allows 256 tables, shared by all test files. */
function deletedLater<Options extends DynamodbOptions>(options: Options): Options {
  onTestFinished(async () => {
    await deleteTables(options)
  })
  return options
}

async function store() {
  const options = deletedLater(await ownTables())
  await createTables(options)
  const memory = await openMemory({ storage: dynamodbStorage(options), embedding: hashingEmbedding() })
  return { memory, tableOf: (name: string) => `${options.prefix}${name}` }
}

describe('the DynamoDB tables', () => {
  it('[A01] agent-memories and agent-personalities have the published keys, an index on id, and native TTL', async () => {
    const options = deletedLater(await ownTables())
    const [TableName, personalities] = ['agent-memories', 'agent-personalities'].map((name) => options.prefix + name)
    expect(await createTables(options)).toContain(TableName)
    expect(await createTables(options)).toEqual([])
    const { Table: memories } = await client.send(new DescribeTableCommand({ TableName }))
    expect(memories?.KeySchema).toEqual([
      { AttributeName: 'agentProjectKey', KeyType: 'HASH' },
      { AttributeName: 'createdAt', KeyType: 'RANGE' },
    ])
    const index = memories?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === 'id-index')
    expect(index?.KeySchema).toEqual([{ AttributeName: 'id', KeyType: 'HASH' }])
    const { Table: persons } = await client.send(new DescribeTableCommand({ TableName: personalities }))
    expect(persons?.KeySchema).toEqual([{ AttributeName: 'agentName', KeyType: 'HASH' }])
    const ttl = await client.send(new DescribeTimeToLiveCommand({ TableName }))
    expect(ttl.TimeToLiveDescription).toMatchObject({ TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' })
    expect((await describeTables(options)).every(({ status }) => status === 'ACTIVE')).toBe(true)
    expect(await deleteTables(options)).toHaveLength(9)
    expect((await describeTables(options)).every(({ status }) => status === null)).toBe(true)
  })

  it('[A01] an item has the published fields: a ULID, ISO time, agent, project, content and source', async () => {
    const { memory, tableOf } = await store()
    const now = new Date().toISOString()
    await Promise.all(
      [1, 2, 3].map((n) =>
        memory.add({ exact: true, content: `Fact ${n}`, layer: 'agent', identifiers: NORI, source: 'extraction' }),
      ),
    )
    const { Items: items = [] } = await client.send(new ScanCommand({ TableName: tableOf('agent-memories') }))
    expect(items).toHaveLength(3)
    for (const item of items) {
      expect(item).toMatchObject({
        agentProjectKey: { S: 'nori#shop' },
        agentName: { S: 'nori' },
        projectId: { S: 'shop' },
        source: { S: 'extraction' },
      })
      expect(item.id?.S).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
      expect(item.createdAt?.S).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,}Z$/)
      expect(item.createdAt!.S! >= now.slice(0, 19)).toBe(true)
    }
    await memory.shutdown()
  })

  it('[A01] what the published helpers wrote is listed, found, changed and deleted, also beside a copy that is held', async () => {
    const { memory, tableOf } = await store()
    const shop = memory.as(NORI)
    await shop.add({ exact: true, content: 'The build needs Node 24', layer: 'agent', identifiers: NORI })
    expect((await shop.search({ query: 'flaky checkout test' })).results).toEqual([])
    const id = '01JNA0000000000000000000AB'
    await client.send(
      new PutItemCommand({
        TableName: tableOf('agent-memories'),
        Item: {
          id: { S: id },
          agentProjectKey: { S: 'nori#shop' },
          createdAt: { S: new Date(Date.now() + 1000).toISOString() },
          agentName: { S: 'nori' },
          projectId: { S: 'shop' },
          content: { S: 'The checkout test is flaky' },
          source: { S: 'extraction' },
        },
      }),
    )
    const { results } = await shop.search({ query: 'flaky checkout test', threshold: 0.1 })
    expect(results[0]?.memory).toMatchObject({ id, content: 'The checkout test is flaky', source: 'extraction' })
    expect((await shop.list({})).totalCount).toBe(2)
    expect(await shop.get(id)).toMatchObject({ version: 1, identifiers: NORI })
    await shop.update(id, { importance: 90 })
    expect(await shop.get(id)).toMatchObject({ version: 2, importance: 90 })
    await shop.delete(id)
    expect(await shop.get(id)).toBeNull()
    expect((await shop.list({})).totalCount).toBe(1)
    await memory.shutdown()
  })

  it('tables that somebody else made are kept, and get what they lack', async () => {
    // A separate server: one that creates other tables at the same time may never finish the index.
    const server = await startLocalServer()
    onTestFinished(() => server.stop())
    const alone = { ...local, endpoint: server.endpoint }
    const theirs = new DynamoDBClient(alone)
    onTestFinished(() => theirs.destroy())
    const options = { ...alone, prefix: 'theirs-' }
    const keys = ['agentProjectKey', 'createdAt']
    const table = (TableName: string, attributes: readonly string[]): CreateTableCommandInput => ({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: attributes.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
    })
    await theirs.send(new CreateTableCommand(table('theirs-agent-memories', keys)))
    expect((await describeTables(options))[0]).toMatchObject({ ttl: false, missingIndexes: ['id-index'] })
    expect(await createTables(options)).toEqual(
      expect.arrayContaining(['theirs-agent-memories/id-index', 'theirs-agent-memories/ttl', 'theirs-agent-sessions']),
    )
    expect((await describeTables(options))[0]).toMatchObject({ ttl: true, missingIndexes: [] })
    expect(await createTables(options)).toEqual([])
    await theirs.send(new CreateTableCommand(table('odd-agent-memories', ['pk', 'sk'])))
    await expect(createTables({ ...alone, prefix: 'odd-' })).rejects.toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining('agentProjectKey, createdAt'),
    })
  })

  it('[B01] a personality is one item by the name of its agent, the same in every project', async () => {
    const { memory, tableOf } = await store()
    await memory.personality.set({ agentName: 'nori', displayName: 'Nori', persona: 'A calm coder.' })
    const { Items: items = [] } = await client.send(new ScanCommand({ TableName: tableOf('agent-personalities') }))
    expect(items).toMatchObject([
      { agentName: { S: 'nori' }, displayName: { S: 'Nori' }, persona: { S: 'A calm coder.' } },
    ])
    for (const projectId of ['shop', 'lab']) {
      const own = memory.as({ agentId: 'nori', projectId })
      expect(await own.personality.get('nori')).toMatchObject({ persona: 'A calm coder.' })
    }
    await memory.shutdown()
  })

  it('a personality that another program wrote counts as far as it is one, and stops nothing', async () => {
    const { memory, tableOf } = await store()
    const put = (Item: Record<string, AttributeValue>) =>
      client.send(new PutItemCommand({ TableName: tableOf('agent-personalities'), Item }))
    await put({ agentName: { S: 'a' }, displayName: { N: '5' }, persona: { BOOL: true }, traits: { S: 'x' } })
    const traits = { L: [{ N: '1' }, { S: 'calm' }, { S: '' }] }
    await put({ agentName: { S: 'b' }, displayName: { S: 'B' }, persona: { S: 'z'.repeat(100_000) }, traits })
    await put({ agentName: { S: 'c\n' }, persona: { S: 'Nobody' } })
    await put({ agentName: { S: 'd' }, name: { S: 'Dashi' }, voice: { S: 'Warm.' }, persona: { S: 'A cook.' } })
    const both = {
      displayName: { S: 'Ebi' },
      name: { S: 'e2' },
      communicationStyle: { S: 'Short.' },
      voice: { S: 'Loud.' },
    }
    await put({ agentName: { S: 'e' }, ...both })
    expect(await memory.personality.list()).toMatchObject([
      { agentName: 'a', displayName: 'a', persona: '', traits: [] },
      { agentName: 'b', displayName: 'B', persona: '', traits: ['calm'] },
      { agentName: 'd', displayName: 'Dashi', persona: 'A cook.', communicationStyle: 'Warm.' },
      { agentName: 'e', displayName: 'Ebi', communicationStyle: 'Short.' },
    ])
    await memory.shutdown()
  })

  it('a store without tables names the command that makes them', async () => {
    const storage = dynamodbStorage(await ownTables())
    await expect(storage.initialize({ name: 'm', dimensions: 4 })).rejects.toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining('nokosu tables create'),
    })
    await storage.shutdown()
  })

  it('opens by URL, and says what it cannot read', async () => {
    const storage = await openStorage('dynamodb://eu-west-1?prefix=a-&endpoint=http://127.0.0.1:1')
    expect(storage.name).toBe('dynamodb')
    await storage.shutdown()
    await expect(openStorage('dynamodb://eu-west-1?prefx=a-')).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' })
  })

  it('a server that is away is a PROVIDER_ERROR that may be tried again', async () => {
    const storage = dynamodbStorage({ ...local, endpoint: 'http://127.0.0.1:1' })
    await expect(storage.initialize({ name: 'm', dimensions: 4 })).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      retryable: true,
    })
    await storage.shutdown()
  })
})
