import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { postgresStorage, type SqlClient } from '../../src/storage/postgres/postgres-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { insert, numberOf, question, SHOP, vectorFor, write } from '../../src/testing/conformance/storage/writing.ts'
import { startPglite } from '../postgres/pglite.ts'
import { emptySchema, postgresServer } from '../postgres/schemas.ts'

const pglite = startPglite()
const MODEL = { name: 'm1', dimensions: 4 }
const INDEX = 'embeddings_hnsw_1'
const texts = (count: number, projectId = 'shop') =>
  Array.from({ length: count }, (_, i) =>
    insert(projectId === 'shop' ? i : 1000 + i, { identifiers: { projectId } }, { text: `text ${i} of ${projectId}` }),
  )
const asked = question({ scopes: [SHOP], vector: vectorFor('question'), limit: 20 })
const tend = (storage: Storage, dryRun = false, signal?: AbortSignal) => storage.tend!({ dryRun, signal })

/** The plans of the statements that compare vectors are added to `plans`. */
function explaining(client: SqlClient, plans: string[]): SqlClient {
  const reading: SqlClient['reading'] = (work) =>
    client.reading((queries) =>
      work({
        ...queries,
        async query<Row>(text: string, values?: readonly unknown[]) {
          if (text.includes('<=>')) plans.push(JSON.stringify(await queries.query(`EXPLAIN ${text}`, values)))
          return queries.query<Row>(text, values)
        },
      }),
    )
  return { ...client, reading }
}

test.each([true, false])(
  'before the server has statistics of a scope each memory is looked up by its vector (through the index: %s)',
  async (indexed) => {
    await (await pglite).reset()
    const plans: string[] = []
    const client = explaining((await pglite).client, plans)
    const storage = postgresStorage({ client, exactUpTo: indexed ? 0 : 1000 })
    await storage.initialize(MODEL)
    // What the server knows is older than the scope.
    await write(storage, texts(300, 'lab'))
    await client.script('ANALYZE')
    await write(storage, texts(300))
    expect(await tend(storage)).toEqual(indexed ? ['build the index of m1'] : [])
    await storage.search([asked])
    await storage.search([asked])
    const plan = plans.at(-1)!
    expect(plan.includes(INDEX)).toBe(indexed)
    expect(plan).toContain('memories_embedding')
    // The scope is read once, for the vectors that are compared.
    expect(plan.split('memories_scope_newest').length - 1).toBe(indexed ? 0 : 1)
    expect(plan).not.toContain('Materialize')
  },
)

test('through the index the same is found as by comparing everything, other scopes and conditions left out', async () => {
  await (await pglite).reset()
  const { client } = await pglite
  const [exact, indexed] = [postgresStorage({ client }), postgresStorage({ client, exactUpTo: 0 })]
  for (const storage of [exact, indexed]) await storage.initialize(MODEL)
  const inserts = Array.from({ length: 300 }, (_, i) =>
    insert(i, { identifiers: { projectId: i % 3 === 0 ? 'lab' : 'shop' }, tags: [`t${i % 5}`] }, { text: `text ${i}` }),
  )
  await write(exact, inserts)
  await tend(indexed)
  for (const where of [{}, { tags: ['t2'] }]) {
    for (const scopes of [[SHOP], null]) {
      const ids = async (storage: Storage) =>
        (await storage.search([{ ...asked, scopes, where }]))[0]!.candidates.map(({ memory }) => memory.id).sort()
      const truth = await ids(exact)
      expect(truth).toHaveLength(20)
      expect(await ids(indexed)).toEqual(truth)
    }
  }
})

test('equal texts of several scopes share a vector, and each scope finds its own', async () => {
  await (await pglite).reset()
  const storage = postgresStorage({ client: (await pglite).client })
  await storage.initialize(MODEL)
  const of = (i: number, projectId: string) => insert(i, { identifiers: { projectId } }, { text: 'the same' })
  await write(storage, [of(1, 'shop'), of(2, 'lab'), of(3, 'shop')])
  const [found] = await storage.search([{ ...asked, limit: 2 }])
  expect(found!.candidates.map(({ memory }) => numberOf(memory.id)).sort()).toEqual([1, 3])
})

test('a sweep builds the index, says so, and has nothing to do a second time', async () => {
  await (await pglite).reset()
  const storage = postgresStorage({ client: (await pglite).client, exactUpTo: 0 })
  const memory = await openMemory({ storage, embedding: hashingEmbedding(), relations: null })
  await memory.as({ projectId: 'shop' }).add('The build needs Node 24')
  const build = [expect.stringMatching(/^build the index of /)]
  for (const dryRun of [true, false]) expect((await memory.sweep({ dryRun })).indexes).toEqual(build)
  expect(await memory.sweep()).not.toHaveProperty('indexes')
})

async function onServer() {
  const { url, destroy } = await emptySchema(await postgresServer())
  const sql = new pg.Client({ connectionString: url })
  await sql.connect()
  const opened: Storage[] = []
  onTestFinished(async () => {
    for (const storage of opened) await storage.shutdown()
    await sql.end()
    await destroy()
  })
  return {
    sql,
    async open(exactUpTo = 0, at = url) {
      const storage = postgresStorage({ url: at, exactUpTo })
      opened.push(storage)
      await storage.initialize(MODEL)
      return storage
    },
    /** Whether the index is valid; undefined if there is none. */
    async index(): Promise<boolean | undefined> {
      const { rows } =
        await sql.query(`SELECT i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE c.relname = '${INDEX}' AND c.relnamespace = current_schema()::regnamespace`)
      return rows[0]?.valid
    },
    /** A transaction that a build waits for. */
    async hold() {
      const other = new pg.Client({ connectionString: url })
      await other.connect()
      await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1')
      return () => other.end()
    },
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20)
}

test('no index exists until it is worth it; a running process notices it, and that it is gone again', async () => {
  await (await pglite).reset()
  const plans: string[] = []
  const client = explaining((await pglite).client, plans)
  const open = async (exactUpTo = 0) => {
    const storage = postgresStorage({ client, exactUpTo })
    await storage.initialize(MODEL)
    return storage
  }
  const clock = vi.spyOn(performance, 'now')
  onTestFinished(() => clock.mockRestore())
  /** Whether the second search of this minute used the index. */
  const searches = async (storage: Storage, minute: number) => {
    clock.mockReturnValue(minute * 61_000)
    for (let i = 0; i < 2; i++) expect((await storage.search([asked]))[0]!.candidates).toHaveLength(20)
    return plans.at(-1)!.includes(INDEX)
  }
  const running = await open()
  expect(await tend(running)).toEqual([])
  await write(running, texts(50))
  expect(await searches(running, 1)).toBe(false)
  const build = ['build the index of m1']
  expect(await tend(await open(), true)).toEqual(build)
  expect(await tend(await open(), true)).toEqual(build)
  expect(await tend(await open())).toEqual(build)
  expect(await tend(await open())).toEqual([])
  expect(await searches(running, 2)).toBe(true)
  expect(await tend(await open(50))).toEqual([])
  expect(await tend(await open(100))).toEqual(['drop the index of m1'])
  expect(await searches(running, 3)).toBe(false)
})

test('an index whose build was killed is removed and built again; meanwhile another sweep leaves it alone', async () => {
  const { sql, open, index, hold } = await onServer()
  const storage = await open()
  await write(storage, texts(50))
  const release = await hold()
  const killed = tend(storage).catch((error: unknown) => error)
  await until(async () => (await index()) === false)
  expect(await tend(await open())).toEqual([])
  const builders = `SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index WHERE index_relid = '${INDEX}'::regclass`
  expect((await sql.query(builders)).rows).toHaveLength(1)
  expect(await killed).toMatchObject({ code: 'PROVIDER_ERROR', retryable: true })
  await release()
  expect(await index()).toBe(false)
  expect(await tend(await open())).toEqual(['build the index of m1'])
  expect(await index()).toBe(true)
  // What a killed build left is removed as well if the index is not worth it any more.
  await sql.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${INDEX}'::regclass`)
  expect(await tend(await open(2000))).toEqual(['drop the index of m1'])
  expect(await index()).toBeUndefined()
})

test('a build that is stopped leaves nothing', async () => {
  const { open, index, hold } = await onServer()
  const storage = await open()
  await write(storage, texts(50))
  const release = await hold()
  const stop = new AbortController()
  const stopped = tend(storage, false, stop.signal).catch((error: unknown) => error)
  await until(async () => (await index()) === false)
  stop.abort(new Error('interrupted'))
  await sleep(0)
  // Removing it waits for the same transaction.
  const cancelled = until(async () => (await index()) === undefined)
  await sleep(1500)
  await release()
  expect(await stopped).toMatchObject({ message: 'interrupted' })
  await cancelled
})

test('a user who does not own the tables sweeps without building', async () => {
  const { sql, open } = await onServer()
  await write(await open(), texts(50))
  const role = `writer_${randomBytes(4).toString('hex')}`
  await sql.query(`CREATE ROLE ${role} LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`)
  onTestFinished(async () => void (await sql.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)))
  const { rows } = await sql.query('SELECT current_schema() AS own')
  const own = rows[0].own
  await sql.query(
    `GRANT USAGE ON SCHEMA ${own} TO ${role}; GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA ${own} TO ${role}`,
  )
  const { host, port } = sql
  const writer = await open(0, `postgres://${role}@${host}:${port}/postgres?options=-c search_path=${own},public`)
  expect(await tend(writer)).toEqual([])
})
