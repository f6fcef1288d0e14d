import { DatabaseSync } from 'node:sqlite'
import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import type { Link, Memory } from '../../src/model/memory.ts'
import { idOf, insert, query, SHOP, update, write } from '../../src/testing/conformance/storage/writing.ts'
import { MODEL } from '../../src/testing/conformance/store-under-test.ts'
import { localOptions } from '../dynamodb/local-tables.ts'
import { BACKENDS, type BackendStore } from './backends.ts'

const link = (relation: Link['relation'], other: number): Partial<Memory> => ({
  links: [{ relation, memory: idOf(other) }],
})
const agents = { trust: 'agent', tier: 1 } as const
const never = { visibleUntil: '' }

/** Each memory, and whether other programs may read it. */
const CASES: [name: string, isShown: boolean, fields: Partial<Memory>, beside?: { visibleUntil: string }][] = [
  ['plain', true, agents],
  ['marked', true, { ...agents, trust: 'flagged' }],
  ['held', false, { ...agents, trust: 'quarantined' }, never],
  ['inactive', false, { ...agents, active: false }, never],
  [
    'expired',
    false,
    { ...agents, expiresAt: '2026-02-01T00:00:00.000Z' },
    { visibleUntil: '2026-02-01T00:00:00.000Z' },
  ],
  ['corrected', false, { ...agents, ...link('contradictedBy', 6) }],
  ['correction', true, { ...agents, ...link('contradicts', 5) }],
  ['opposed by a held one', true, { ...agents, ...link('contradictedBy', 2) }],
  ['operator, opposed by an agent', true, link('contradictedBy', 0)],
  ['operator, corrected by an operator', false, link('contradictedBy', 8)],
  ['operator, replaced', false, { metadata: { settled: [{ memory: idOf(0), words: 'w', as: 'replaced' }] } }],
]
const SHOWN = CASES.flatMap(([name, isShown]) => (isShown ? [name] : [])).sort()

const READERS: Record<string, (store: BackendStore) => Promise<string[]>> = {
  async sqlite({ url }) {
    const file = new DatabaseSync(url!.replace('sqlite:', ''), { readOnly: true })
    onTestFinished(() => file.close())
    return file
      .prepare('SELECT summary FROM agent_memories')
      .all()
      .map(({ summary }) => String(summary))
  },
  async postgres({ url }) {
    const client = new pg.Client({ connectionString: url! })
    await client.connect()
    onTestFinished(() => client.end())
    return (await client.query('SELECT summary FROM agent_memories')).rows.map(({ summary }) => summary)
  },
  async dynamodb({ url }) {
    const client = new DynamoDBClient(await localOptions())
    onTestFinished(() => client.destroy())
    const TableName = `${new URLSearchParams(url!.slice(url!.indexOf('?'))).get('prefix')}agent-memories`
    const values = { ':k': { S: '@project#shop' } }
    const key = { KeyConditionExpression: 'agentProjectKey = :k', ExpressionAttributeValues: values }
    const { Items: items } = await client.send(new QueryCommand({ TableName, ...key, ConsistentRead: true }))
    return items!.map((item) => item.content!.S!)
  },
}

async function open(name: string) {
  const store = await BACKENDS.find((backend) => backend.name === name)!.create()
  const storage = store.open()
  await storage.initialize(MODEL)
  onTestFinished(async () => {
    await storage.shutdown()
    await store.destroy()
  })
  return { store, storage, read: async () => (await READERS[name]!(store)).sort() }
}

describe.each(Object.keys(READERS))('what other programs read of a store on %s', (name) => {
  it('[C01] [A01] leaves out what is held, inactive, expired or corrected', async () => {
    const { storage, read } = await open(name)
    await write(
      storage,
      CASES.map(([content, , fields, beside]) => ({ content, fields, beside })).map(({ content, fields, beside }, i) =>
        insert(i, { ...fields, content }, beside),
      ),
    )
    expect(await read()).toEqual(SHOWN)
    expect((await storage.get(CASES.map((_, i) => idOf(i)))).length).toBe(CASES.length)
  })

  it('[C01] [A01] changes with the memory, and the engine keeps all of it', async () => {
    const { store, storage, read } = await open(name)
    const other = store.open()
    await other.initialize(MODEL)
    onTestFinished(() => other.shutdown())
    await write(storage, [insert(1, { ...agents, content: 'one' }), insert(2, { ...agents, content: 'two' })])
    const list = async () => {
      const page = await other.memories(query({ scopes: [SHOP] }))
      return page.items.map(({ memory }) => [memory.content, memory.trust])
    }
    await list()
    await write(storage, [update(1, 2, { ...agents, trust: 'quarantined', content: 'one' }, never)])
    expect(await read()).toEqual(['two'])
    expect((await list()).sort()).toEqual([
      ['one', 'quarantined'],
      ['two', 'agent'],
    ])
    await write(storage, [update(1, 3, { ...agents, content: 'one' })])
    expect(await read()).toEqual(['one', 'two'])
  })
})

describe.each(['sqlite', 'postgres'])('a row that another program inserts on %s', (name) => {
  it('[C01] is guarded when it is read, found by its words, and has a history', async () => {
    const { store, storage, read } = await open(name)
    const SQL = `INSERT INTO agent_memories (scope, scope_id, event_type, source, summary, tags) VALUES
      ('task', 'T1', 'wont_fix', 'reviewer', 'The rollback needs a flag', 'db, db'),
      ('task', 'T1', 'hint', 'coder', 'The deploy token is ghp_16C7e42F292c6912E7710c838347Ae178B4a', NULL)`
    if (name === 'sqlite') {
      const file = new DatabaseSync(store.url!.replace('sqlite:', ''))
      file.exec(SQL)
      file.close()
    } else {
      const client = new pg.Client({ connectionString: store.url! })
      await client.connect()
      await client.query(SQL)
      await expect(client.query(`UPDATE agent_memories SET summary = 'x'`)).rejects.toThrow('takes new rows only')
      await expect(client.query('DELETE FROM agent_memories')).rejects.toThrow('takes new rows only')
      await client.end()
    }
    expect((await read())[1]).toBe('The rollback needs a flag')
    const memory = await openMemory({ storage: store.open(), embedding: hashingEmbedding(), relations: null })
    onTestFinished(() => memory.shutdown())
    const task = memory.as({ taskId: 'T1' })
    const { results } = await task.search({ query: 'rollback flag', mode: 'keyword' })
    expect(results).toMatchObject([
      {
        memory: { content: 'The rollback needs a flag', category: 'decision', tags: ['db', 'wont_fix'], layer: 'task' },
      },
    ])
    const { memories } = await task.list({})
    expect(memories.map(({ content }) => content).join()).not.toContain('ghp_16C7e42F292c6912E7710c838347Ae178B4a')
    expect((await task.history(results[0]!.memory.id)).changes).toMatchObject([
      {
        operation: 'create',
        by: 'sql',
        after: { content: 'The rollback needs a flag', identifiers: { taskId: 'T1' } },
      },
    ])
    expect(await memory.stats()).toMatchObject({ memories: 2, active: 2 })
    await task.update(results[0]!.memory.id, { importance: 90 })
    expect((await task.history(results[0]!.memory.id)).changes).toHaveLength(2)
    expect((await storage.stats()).memories).toBe(2)
  })
})
