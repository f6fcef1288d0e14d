/** The engine on PostgreSQL, compared with bare `pg` that writes the same rows and queries pgvector, on a server with fsync. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openMemory } from '../src/engine/open-memory.ts'
import { postgresStorage } from '../src/storage/postgres/postgres-storage.ts'
import { decodeFloat16, encodeFloat16 } from '../src/vector/float16.ts'
import { startPostgres } from '../test/postgres/start-postgres.ts'
import { bareClient } from './postgres-bare.ts'
import { measureRecall } from './postgres-recall.ts'
import { type Check, digits, type Section, spread, timed } from './report.ts'
import { DIMENSIONS, fill, instantEmbedding, PROJECT, Synthetic } from './synthetic.ts'

const ROUNDS = 150
const BATCH = 500
const MARKERS = 20

export async function benchPostgres(sizes: readonly number[]): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
  const server = await startPostgres(folder, { survives: 'power cut' })
  const rows: Section['rows'] = []
  const checks: Check[] = []
  const lists: number[] = []
  try {
    for (const size of sizes) {
      const { times, recall } = await measure(server.url, size)
      for (const [what, { own, bare }] of Object.entries(times)) {
        rows.push({
          memories: size,
          what,
          'engine, ms': digits(own),
          'pg alone, ms': digits(bare),
          times: digits(own / bare),
        })
      }
      const name = size.toLocaleString('en')
      const ratio = (what: string) => times[what]!.own / times[what]!.bare
      checks.push(
        { claim: `add at ${name} against pg alone`, measured: ratio('add'), bar: 1.6, better: 'less', unit: 'times' },
        {
          claim: `search at ${name} against pgvector, a stored tsvector and a rerank`,
          measured: ratio('search'),
          bar: 1,
          better: 'less',
          unit: 'times',
        },
        {
          claim: `recall of the 40 nearest at ${name}`,
          measured: recall.ofTopics,
          bar: 0.99,
          better: 'more',
          unit: '',
        },
      )
      rows.push({
        memories: size,
        what: 'recall of the 40 nearest, questions on no stored topic',
        'engine, ms': recall.besides,
      })
      lists.push(times['list 50']!.own)
    }
    if (lists.length > 1) {
      const measured = lists.at(-1)! / lists[0]!
      const claim = 'list at the largest size, against the smallest'
      checks.push({ claim, measured, bar: 3, better: 'less', unit: 'times' })
    }
  } finally {
    server.stop('fast')
    rmSync(folder, { recursive: true })
  }
  return { title: 'PostgreSQL (fsync), medians', rows, checks }
}

async function measure(server: string, size: number) {
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`CREATE DATABASE bench_${size}`)
  // An index that is built in less memory takes many times as long.
  await admin.query(`ALTER DATABASE bench_${size} SET maintenance_work_mem = '512MB'`)
  await admin.end()
  const url = server.replace(/[^/]+$/, `bench_${size}`)
  const storage = postgresStorage({ url })
  const engine = await openMemory({ storage, embedding: instantEmbedding(), relations: null })
  const bare = await bareClient(url)
  const vectors: Float32Array[] = []
  await fill(storage, size, (_, vector) => void vectors.push(decodeFloat16(encodeFloat16(vector), DIMENSIONS)))
  // As a sweep does it: from here on adding pays for the index, if there is one.
  await storage.tend?.({ dryRun: false })
  await bare.copyAll()
  const synthetic = new Synthetic(31)
  const texts = (count: number) =>
    Array.from({ length: count }, () => `${synthetic.text(14)} code${Math.floor(synthetic.number() * 1e9)}`)
  const item = (content: string) => ({ exact: true, content, layer: 'project' as const, identifiers: PROJECT })
  const markers = () =>
    texts(MARKERS)
      .map((text) => `[MEMORY:timing] ${text}`)
      .join('\n')
  // Before other writes, whose closer rows would hide the filled ones.
  const recall = await measureRecall(storage, vectors, size)
  const question = () => ({ query: synthetic.text(9), vector: synthetic.clustered() })
  let session = 0
  const times: Record<string, { own: number; bare: number }> = {
    add: await pair(
      ROUNDS,
      () => texts(1)[0]!,
      (text) => engine.add(item(text)),
      (text) => bare.add([text]),
    ),
    [`bulkAdd ${BATCH}`]: await pair(
      5,
      () => texts(BATCH),
      (all) => engine.bulkAdd(all.map(item)),
      (all) => bare.add(all),
    ),
    'list 50': await pair(
      ROUNDS,
      () => 0,
      () => engine.list({ identifiers: PROJECT, limit: 50 }),
      () => bare.list(50),
    ),
    'search by meaning': await pair(
      ROUNDS,
      question,
      ({ query }) => engine.search({ identifiers: PROJECT, query, mode: 'semantic', limit: 10, threshold: 0 }),
      ({ vector }) => bare.search(vector, 10),
    ),
    search: await pair(
      ROUNDS,
      question,
      ({ query }) => engine.search({ identifiers: PROJECT, query, limit: 10, threshold: 0 }),
      ({ vector, query }) => bare.searchBoth(vector, query, 10),
    ),
    'search, pg alone without words': await pair(
      ROUNDS,
      question,
      ({ query }) => engine.search({ identifiers: PROJECT, query, limit: 10, threshold: 0 }),
      ({ vector }) => bare.search(vector, 10),
    ),
    [`capture of ${MARKERS} markers`]: await pair(
      10,
      () => markers(),
      (text) =>
        engine.capture(text, {
          ...{ identifiers: PROJECT, layer: 'project', format: 'text', session: `run-${session++}` },
        }),
      (text) => bare.add(text.split('\n')),
    ),
  }
  await bare.close()
  await engine.shutdown()
  return { times, recall }
}

/** Medians of both, alternating, so that a slow machine affects both. */
async function pair<T>(
  rounds: number,
  make: () => T,
  own: (input: T) => Promise<unknown>,
  bare: (input: T) => Promise<unknown>,
): Promise<{ own: number; bare: number }> {
  const times = { own: [] as number[], bare: [] as number[] }
  const warmUp = Math.min(5, rounds)
  for (let i = 0; i < rounds + warmUp; i++) {
    const [first, second] = [await timed(() => own(make())), await timed(() => bare(make()))]
    if (i < warmUp) continue
    times.own.push(first)
    times.bare.push(second)
  }
  return { own: spread(times.own).median, bare: spread(times.bare).median }
}
