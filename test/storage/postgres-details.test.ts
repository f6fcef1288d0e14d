import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import type { MemoryError } from '../../src/model/errors.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { postgresStorage, type SqlClient } from '../../src/storage/postgres/postgres-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { insert, numberOf, query, question, write } from '../../src/testing/conformance/storage/writing.ts'
import { startPglite } from '../postgres/pglite.ts'

const pglite = startPglite()
const MODEL = { name: 'm1', dimensions: 4 }

async function open(): Promise<Storage> {
  const { client } = await pglite
  const storage = postgresStorage({ client })
  await storage.initialize(MODEL)
  return storage
}

/** A server that always answers with this error. */
function failing(error: object): SqlClient {
  const fail = async () => {
    throw Object.assign(new Error('as the driver says it'), error)
  }
  return { query: fail, script: fail, transaction: fail, reading: fail, listen: fail, close: async () => {} }
}

describe('postgres', () => {
  test('a new memory is in the index of words at once: no search reads a list of pending ones', async () => {
    await (await pglite).reset()
    await write(await open(), [insert(1, {}, { tokens: ['a'] })])
    const { client } = await pglite
    const options = `SELECT reloptions FROM pg_class WHERE relname = 'memories_tokens'`
    expect(await client.query(options)).toEqual([{ reloptions: ['fastupdate=off'] }])
    // Nothing was waiting.
    expect(await client.query(`SELECT gin_clean_pending_list('memories_tokens')::int AS pages`)).toEqual([{ pages: 0 }])
  })

  test('a scope that came into being since the last search is searched too', async () => {
    await (await pglite).reset()
    const [reader, writer] = [await open(), await open()]
    const asked = question({ scopes: [{ layer: 'agent', owner: 'miso', projects: null }], tokens: ['a'], limit: 5 })
    const found = async () => (await reader.search([asked]))[0]!
    const agent = (projectId: string) => ({ layer: 'agent' as const, identifiers: { agentId: 'miso', projectId } })
    for (const [i, project] of ['shop', 'lab'].entries()) {
      await write(writer, [insert(i, agent(project), { tokens: ['a'] })])
      expect(await found()).toMatchObject({ documents: i + 1, frequencies: [i + 1] })
      expect((await found()).candidates).toHaveLength(i + 1)
    }
  })

  test('a token that thousands hold is counted, and read only where nothing rarer was asked for', async () => {
    await (await pglite).clear()
    const storage = await open()
    const all = Array.from({ length: 2100 }, (_, i) =>
      insert(i, {}, { tokens: ['all', ...(i < 3 ? ['rare'] : [])], text: null }),
    )
    for (let first = 0; first < all.length; first += 1000) await write(storage, all.slice(first, first + 1000))
    // The second time from the cache.
    for (let time = 0; time < 2; time++) {
      const asked = [['all', 'rare', 'none'], ['all'], ['rare']].map((tokens) => question({ tokens, limit: 5 }))
      const found = (await storage.search(asked)).map(({ candidates, frequencies }) => ({
        numbers: candidates.map(({ memory }) => numberOf(memory.id)).sort((a, b) => a - b),
        frequencies,
      }))
      expect(found).toEqual([
        { numbers: [0, 1, 2], frequencies: [2100, 3, 0] },
        { numbers: [2095, 2096, 2097, 2098, 2099], frequencies: [2100] },
        { numbers: [0, 1, 2], frequencies: [3] },
      ])
    }
  })

  test('the view and the table read as other tools know them', async () => {
    await (await pglite).reset()
    await write(await open(), [insert(1, { category: 'decision', tags: ['a', 'b'], metadata: { x: 1 } })])
    const { client } = await pglite
    expect(
      await client.query('SELECT scope, scope_id, event_type, summary, details_json, tags FROM agent_memories'),
    ).toEqual([
      {
        scope: 'project',
        scope_id: null,
        event_type: 'decision',
        summary: 'Record 1',
        details_json: '{"x":1}',
        tags: 'a,b',
      },
    ])
    const seed =
      'SELECT service, category, observation, confidence, active, session_id, tier FROM memories WHERE active = 1'
    expect(await client.query(seed)).toHaveLength(1)
    expect(await client.query('SELECT id FROM _migrations ORDER BY id')).toEqual([
      { id: 5 },
      { id: 17 },
      { id: 18 },
      { id: 19 },
    ])
    expect(await client.query('SELECT id FROM _expansions ORDER BY id')).toEqual([
      { id: 20 },
      { id: 21 },
      { id: 22 },
      { id: 23 },
      { id: 24 },
    ])
  })

  test('a table of another program, and a schema from the future, are refused', async () => {
    const { client, reset } = await pglite
    await reset()
    await client.script('CREATE TABLE memories (id int)')
    await expect(open()).rejects.toMatchObject({ code: 'PROVIDER_ERROR', retryable: false })
    await reset()
    await open()
    await client.script(`INSERT INTO _migrations VALUES (99, '099_later', '', '')`)
    await expect(open()).rejects.toThrow(/newer Nokosu/)
  })

  test.each([
    [{ code: '40001' }, true],
    [{ code: '40P01' }, true],
    [{ code: '57P01' }, true],
    [{ code: '08006' }, true],
    [{ code: 'ECONNREFUSED' }, true],
    [{ message: 'Connection terminated unexpectedly' }, true],
    [{ code: '28P01' }, false],
    [{ code: '53100' }, false],
    [{ code: '42703' }, false],
  ])('an error of the server or the network: %j, retryable %s', async (error, retryable) => {
    const storage = postgresStorage({ client: failing(error) })
    await expect(storage.initialize(MODEL)).rejects.toMatchObject({ code: 'PROVIDER_ERROR', retryable })
  })

  test('a server without pgvector, or whose user may not enable it, says what to do', async () => {
    const { client } = await startPglite({ extensions: {} })
    await expect(postgresStorage({ client }).initialize(MODEL)).rejects.toThrow(/has no pgvector.*Install version 0\.8/)
    const { client: other } = await startPglite()
    await other.script(
      'DROP EXTENSION vector; CREATE ROLE guest; GRANT CREATE ON SCHEMA public TO guest; SET ROLE guest',
    )
    await expect(postgresStorage({ client: other }).initialize(MODEL)).rejects.toThrow(/CREATE EXTENSION vector/)
  })

  test('a search_path without the schema of pgvector says what to add, and with it one database holds a store more', async () => {
    const { client } = await startPglite()
    await client.script('CREATE SCHEMA s1; SET search_path = s1')
    await expect(postgresStorage({ client }).initialize(MODEL)).rejects.toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining('search_path=s1,public'),
    })
    await client.script('SET search_path = s1, extensions')
    await postgresStorage({ client }).initialize(MODEL)
  })

  test('the grants in the documentation let one user read, and another one write', async () => {
    const { client } = await startPglite()
    const begin = () =>
      openMemory({ storage: postgresStorage({ client }), embedding: hashingEmbedding(), relations: null })
    const fact = (content: string) => ({
      exact: true,
      content,
      layer: 'project' as const,
      identifiers: { projectId: 'shop' },
    })
    await (await begin()).add(fact('The build needs Node 24'))
    const grants = /```sql\n(-- To read[^`]+)```/.exec(readFileSync('docs/postgres.md', 'utf8'))![1]!
    const usage = 'GRANT USAGE ON SCHEMA extensions TO reader, writer;'
    await client.script(`CREATE ROLE reader; CREATE ROLE writer; ${usage} ${grants} SET ROLE reader`)
    const reader = await begin()
    expect((await reader.list({ everything: true })).totalCount).toBe(1)
    expect((await reader.search({ query: 'build node', everything: true, threshold: 0 })).results).toHaveLength(1)
    await expect(reader.add(fact('No'))).rejects.toThrow(/grants in docs\/postgres\.md/)
    await client.script('RESET ROLE; SET ROLE writer')
    const writer = await begin()
    const { memory } = await writer.add({
      ...fact('The deploy takes 12 minutes'),
      identifiers: { projectId: 'lab' },
    })
    await writer.delete(memory.id, { everything: true })
    await writer.sweep()
  })

  test.each(['postgres://app:hush@db:x/shop', 'postgres://app:hu/hush@db/shop'])(
    '%s is no address, and is named without its password',
    async (url) => {
      const failure = await postgresStorage({ url })
        .initialize(MODEL)
        .catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'CONFIGURATION_ERROR', retryable: false })
      expect(JSON.stringify(failure) + String(failure)).not.toContain('hush')
    },
  )

  test('openStorage knows the scheme, and a server that is away is a retryable error that names it without the password', async () => {
    const storage = await openStorage('postgres://nobody:hush@127.0.0.1:1/none')
    expect(storage.name).toBe('postgres')
    const failure: MemoryError = await storage.initialize(MODEL).catch((error) => error)
    expect(failure).toMatchObject({ code: 'PROVIDER_ERROR', retryable: true })
    expect(failure.message).toMatch(/at 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/)
    expect(inspect(failure, { depth: 9 })).not.toContain('hush')
    await storage.shutdown()
    await expect(storage.memories(query())).rejects.toMatchObject({ retryable: false })
  })

  test('a server that accepts and stays silent is given up on once, and says so', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as AddressInfo
    const opening = openMemory({
      storage: `postgres://127.0.0.1:${port}/none`,
      embedding: hashingEmbedding(),
      relations: null,
    })
    await expect(opening).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      message: expect.stringContaining('did not answer in time'),
    })
  })
})
