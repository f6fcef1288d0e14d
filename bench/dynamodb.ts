/** The engine on DynamoDB, compared with the bare AWS SDK that writes the same items, on DynamoDB Local in memory. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Nokosu } from '../src/engine/nokosu.ts'
import { openMemory } from '../src/engine/open-memory.ts'
import { createTables, dynamodbStorage } from '../src/storage/dynamodb/dynamodb-storage.ts'
import { sqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { startLocalServer } from '../test/dynamodb/local-server.ts'
import { BareClient } from './dynamodb-bare.ts'
import { fillTable, PARTITION } from './dynamodb-table.ts'
import { type Check, digits, type Section, spread, timed } from './report.ts'
import { fill, instantEmbedding, PROJECT, Synthetic } from './synthetic.ts'

const ROUNDS = 60
const BATCH = 96
const MARKERS = 20

export async function benchDynamodb(sizes: readonly number[]): Promise<Section> {
  const rows: Section['rows'] = []
  const checks: Check[] = []
  for (const size of sizes) {
    const times = await measure(size)
    for (const [what, { own, bare }] of Object.entries(times)) {
      rows.push({
        memories: size,
        what,
        'engine, ms': digits(own),
        'rival, ms': digits(bare),
        times: digits(own / bare),
      })
    }
    if (size !== 10_000) continue
    const ratio = (what: string) => times[what]!.own / times[what]!.bare
    checks.push(
      { claim: 'add against the client alone', measured: ratio('add'), bar: 1.6, better: 'less', unit: 'times' },
      {
        claim: 'a second search over 10,000 against SQLite',
        measured: ratio('second search (rival: SQLite)'),
        bar: 2,
        better: 'less',
        unit: 'times',
      },
    )
  }
  return { title: 'DynamoDB Local, milliseconds (median)', rows, checks }
}

type Times = Record<string, { own: number; bare: number }>

async function measure(size: number): Promise<Times> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
  const server = await startLocalServer()
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const options = { region: 'local', endpoint: server.endpoint, credentials, prefix: 'bench-' }
  await createTables({ ...options, ttl: false })
  const client = new DynamoDBClient(options)
  const storage = dynamodbStorage(options)
  const engine = await openMemory({ storage, embedding: instantEmbedding(), relations: null })
  const file = sqliteStorage({ path: join(folder, 'memory.db'), durability: 'normal' })
  const sqlite = await openMemory({ storage: file, embedding: instantEmbedding(), relations: null })
  try {
    await fillTable(options, size)
    // All counter items of the partition, as after many commits.
    for (let i = 0; i < 100; i++)
      await engine.add({ exact: true, content: `Written ${i}`, layer: 'project', identifiers: PROJECT })
    await fill(file, size)
    return await compare(engine, sqlite, new BareClient(client, 'bench-'))
  } finally {
    await engine.shutdown()
    await sqlite.shutdown()
    client.destroy()
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

async function compare(engine: Nokosu, sqlite: Nokosu, bare: BareClient): Promise<Times> {
  const synthetic = new Synthetic(3)
  let number = 0
  const text = () => `${synthetic.text(14)} more${number++}`
  const texts = (count: number) => Array.from({ length: count }, text)
  const fact = (content: string) => ({
    exact: true,
    content,
    layer: 'project' as const,
    identifiers: { projectId: 'fresh' },
  })
  const question = () => ({ query: synthetic.text(9), vector: synthetic.clustered() })
  const ask = (memory: Nokosu) => memory.search({ ...question(), identifiers: PROJECT, layers: ['project'] })
  const first = {
    own: await timed(() => ask(engine)),
    bare: await timed(() => bare.search(PARTITION, synthetic.vector())),
  }
  await ask(sqlite)
  return {
    add: await inTurns(
      ROUNDS,
      () => engine.add(fact(text())),
      () => bare.add(texts(1), synthetic.vector()),
    ),
    [`bulkAdd of ${BATCH}`]: await inTurns(
      5,
      () => engine.bulkAdd(texts(BATCH).map(fact)),
      () => bare.add(texts(BATCH), synthetic.vector()),
    ),
    'list 50': await inTurns(
      ROUNDS,
      () => engine.list({ identifiers: PROJECT, layers: ['project'], limit: 50 }),
      () => bare.list(PARTITION, 50),
    ),
    'first search': first,
    'second search (rival: SQLite)': await inTurns(
      ROUNDS,
      () => ask(engine),
      () => ask(sqlite),
    ),
    [`capture of ${MARKERS} markers`]: await inTurns(
      5,
      (round) => {
        const said = texts(MARKERS).map((content) => ({ content, category: 'timing' as const, service: 'web' }))
        return engine.remember(said, { identifiers: { projectId: 'fresh' }, session: `run ${round}` })
      },
      () => bare.add(texts(MARKERS), synthetic.vector()),
    ),
  }
}

/** Alternates, so that a slower machine slows both. The first round warms up. */
async function inTurns(rounds: number, own: (round: number) => unknown, bare: () => unknown) {
  const times = { own: [] as number[], bare: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    const [ours, theirs] = [await timed(() => own(round)), await timed(bare)]
    if (round === 0) continue
    times.own.push(ours)
    times.bare.push(theirs)
  }
  return { own: spread(times.own).median, bare: spread(times.bare).median }
}
