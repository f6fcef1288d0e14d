/** One scope that many processes share, on DynamoDB Local: cold searches, searches after others' writes, six agents. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openMemory } from '../src/engine/open-memory.ts'
import { createTables, dynamodbStorage } from '../src/storage/dynamodb/dynamodb-storage.ts'
import { postgresStorage } from '../src/storage/postgres/postgres-storage.ts'
import { sqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { startLocalServer } from '../test/dynamodb/local-server.ts'
import { startPostgres } from '../test/postgres/start-postgres.ts'
import { fillTable } from './dynamodb-table.ts'
import { digits, type Section, spread, timed } from './report.ts'
import { fill, instantEmbedding, MODEL, PROJECT, Synthetic } from './synthetic.ts'

const CHILD = join(import.meta.dirname, 'scope-child.ts')
const SIZE = 10_000
const SHARED = 2000
const AGENTS = 6
const ROUNDS = 15
const COLD_ROUNDS = 5

export async function benchDynamodbScope(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
  const [server, postgres] = [await startLocalServer(), await startPostgres(folder, { survives: 'power cut' })]
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' })
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const storeOf = async (prefix: string, size: number) => {
    const options = { region: 'local', endpoint: server.endpoint, credentials, prefix, timeoutMs: 60_000 }
    await createTables({ ...options, ttl: false })
    await fillTable(options, size)
    return { options, url: `dynamodb://local?prefix=${prefix}&endpoint=${server.endpoint}` }
  }
  try {
    const large = await storeOf('large-', SIZE)
    const file = join(folder, 'large.db')
    await fillStore(sqliteStorage({ path: file, durability: 'normal' }), SIZE)
    const cold = (url: string, cache: string) => Number(JSON.parse(run([url, 'cold'], cache))[0])
    const rounds = Array.from({ length: COLD_ROUNDS }, (_, round) => ({
      sqlite: cold(`sqlite:${file}`, folder),
      without: cold(large.url, join(folder, `cache ${round}`)),
      with: cold(large.url, join(folder, `cache ${round}`)),
    }))
    const median = (name: 'sqlite' | 'without' | 'with') => spread(rounds.map((each) => each[name])).median
    const afterWrite = await searchAfterWrite(large.options)

    const shared = await storeOf('shared-', SHARED)
    await fillStore(postgresStorage({ url: postgres.url }), SHARED)
    const agents = { dynamodb: await together(shared.url, folder), postgres: await together(postgres.url, folder) }
    const rows = [
      { what: `cold search of ${SIZE}, SQLite`, ms: digits(median('sqlite'), 1) },
      { what: 'without a local cache', ms: digits(median('without'), 1) },
      { what: 'with a local cache', ms: digits(median('with'), 1) },
      { what: 'search after a write of another process', ms: digits(afterWrite, 1) },
      { what: `${AGENTS} agents that share ${SHARED}: search`, ms: digits(agents.dynamodb, 1) },
      { what: 'the same on PostgreSQL', ms: digits(agents.postgres, 1) },
    ]
    const ms = (claim: string, measured: number, bar: number) =>
      ({ claim, measured, bar, better: 'less', unit: 'ms' }) as const
    const times = (claim: string, measured: number, bar: number) =>
      ({ claim, measured, bar, better: 'less', unit: 'times' }) as const
    return {
      title: 'One scope on DynamoDB Local, milliseconds (median)',
      rows,
      checks: [
        times('cold search with a local cache against SQLite', median('with') / median('sqlite'), 3),
        ms('cold search without a local cache', median('without'), 2000),
        ms('search after a write of another process', afterWrite, 50),
        times('six agents against PostgreSQL', agents.dynamodb / agents.postgres, 2),
      ],
    }
  } finally {
    postgres.stop('fast')
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

async function fillStore(storage: ReturnType<typeof sqliteStorage>, size: number): Promise<void> {
  await storage.initialize(MODEL)
  await fill(storage, size)
  await storage.shutdown()
}

function run(args: string[], cache: string): string {
  return execFileSync(process.execPath, [CHILD, ...args], {
    encoding: 'utf8',
    env: { ...process.env, XDG_CACHE_HOME: cache },
  })
}

async function searchAfterWrite(options: Parameters<typeof dynamodbStorage>[0]): Promise<number> {
  const open = () => openMemory({ storage: dynamodbStorage(options), embedding: instantEmbedding(), relations: null })
  const [reader, writer] = [await open(), await open()]
  const synthetic = new Synthetic(5)
  const search = () => reader.search({ query: synthetic.text(9), identifiers: PROJECT, layers: ['project'] })
  await search()
  const times: number[] = []
  for (let round = 0; round < 20; round++) {
    await writer.add({ exact: true, content: synthetic.text(14), layer: 'project', identifiers: PROJECT })
    times.push(await timed(search))
  }
  await Promise.all([reader.shutdown(), writer.shutdown()])
  return spread(times).median
}

/** The median of all searches of all agents. */
async function together(url: string, cache: string): Promise<number> {
  const agents = Array.from({ length: AGENTS }, () => {
    const child = spawn(process.execPath, [CHILD, url, 'agent', String(ROUNDS)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, XDG_CACHE_HOME: cache },
    })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    return { child, next: async () => (await lines.next()).value as string }
  })
  await Promise.all(agents.map(({ next }) => next()))
  for (const { child } of agents) child.stdin.write('go\n')
  const times = await Promise.all(agents.map(async ({ next }) => JSON.parse(await next()) as number[]))
  return spread(times.flat()).median
}
