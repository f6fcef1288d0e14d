/** Hybrid search through the whole engine, compared with sqlite-vec's exact scan and a plain scan with unpruned full text. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { getLoadablePath } from 'sqlite-vec'
import { openMemory } from '../src/engine/open-memory.ts'
import { sqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { type Check, digits, type Section, spread, time, timed } from './report.ts'
import { DIMENSIONS, fill, instantEmbedding, PROJECT, Synthetic } from './synthetic.ts'

const QUERY_WORDS = 9
const WARM_UP = 200
const ROUNDS = 100
/** Maximum duration of a hybrid search, by number of memories. */
const SHARE_OF_SQLITE_VEC: Record<number, number> = { 1000: 1.5, 100000: 0.15 }

export async function benchSearch(sizes: readonly number[]): Promise<Section> {
  const rows: Section['rows'] = []
  const checks: Check[] = []
  for (const size of sizes) {
    const { row, ratios } = await measure(size)
    rows.push(row)
    const bar = SHARE_OF_SQLITE_VEC[size]
    if (bar !== undefined)
      checks.push({
        claim: `hybrid search at ${size.toLocaleString('en')}, share of sqlite-vec’s exact scan`,
        measured: ratios.sqliteVec,
        bar,
        better: 'less',
        unit: 'of its time',
      })
    if (size <= 10_000)
      checks.push({
        claim: `hybrid search at ${size.toLocaleString('en')} against semantic alone`,
        measured: ratios.semantic,
        bar: 2,
        better: 'less',
        unit: 'times',
      })
    if (size === 10_000)
      checks.push({
        claim: 'hybrid search at 10k, share of a plain-JS scan plus unpruned FTS5',
        measured: ratios.plain,
        bar: 0.2,
        better: 'less',
        unit: 'of its time',
      })
  }
  return { title: 'Hybrid search (vector given), milliseconds', rows, checks }
}

/** The same store with every memory in a thread: neighbours are also read and scored. */
async function measureThreads(size: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
  const storage = sqliteStorage({ path: join(folder, 'memory.db'), durability: 'normal' })
  const engine = await openMemory({ storage, embedding: instantEmbedding() })
  await fill(storage, size, () => {}, { threads: true })
  const synthetic = new Synthetic(99)
  const search = () => {
    const question = { query: synthetic.text(QUERY_WORDS), vector: synthetic.clustered() }
    return timed(() => engine.search({ ...question, identifiers: PROJECT, layers: ['project'] }))
  }
  for (let i = 0; i < WARM_UP; i++) await search()
  const times: number[] = []
  for (let i = 0; i < ROUNDS; i++) times.push(await search())
  await engine.shutdown()
  rmSync(folder, { recursive: true })
  return spread(times).median
}

async function measure(size: number) {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
  const storage = sqliteStorage({ path: join(folder, 'memory.db'), durability: 'normal' })
  const engine = await openMemory({ storage, embedding: instantEmbedding() })
  const flat = new Float32Array(size * DIMENSIONS)
  const peer = new DatabaseSync(':memory:', { allowExtension: true })
  peer.loadExtension(getLoadablePath())
  peer.exec(`CREATE VIRTUAL TABLE v USING vec0(embedding float[${DIMENSIONS}])`)
  const insert = peer.prepare('INSERT INTO v (rowid, embedding) VALUES (?, ?)')
  peer.exec('BEGIN')
  await fill(storage, size, (number, vector) => {
    flat.set(vector, number * DIMENSIONS)
    insert.run(BigInt(number + 1), new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
  })
  peer.exec('COMMIT')

  const synthetic = new Synthetic(99)
  // A different question per search, because caches would answer a repeated one.
  const ask = () => ({ query: synthetic.text(QUERY_WORDS), vector: synthetic.clustered() })
  const search = (mode: 'hybrid' | 'semantic') => {
    const question = ask()
    return timed(() => engine.search({ ...question, mode, identifiers: PROJECT, layers: ['project'] }))
  }
  const nearest = peer.prepare('SELECT rowid, distance FROM v WHERE embedding MATCH ? AND k = 40 ORDER BY distance')
  const scanVectors = () => {
    const { vector } = ask()
    return timed(() => nearest.all(new Uint8Array(vector.buffer)))
  }
  // As in a process that has been running for a while.
  for (let i = 0; i < (size > 200_000 ? 20 : WARM_UP); i++) {
    await search('hybrid')
    await search('semantic')
  }
  const times = { nokosu: [] as number[], semantic: [] as number[], sqliteVec: [] as number[] }
  // Alternates, so that a busy moment affects all.
  for (let i = 0; i < (size > 200_000 ? 20 : ROUNDS); i++) {
    times.nokosu.push(await search('hybrid'))
    times.semantic.push(await search('semantic'))
    times.sqliteVec.push(await scanVectors())
  }
  const [nokosu, semantic, sqliteVec] = [spread(times.nokosu), spread(times.semantic), spread(times.sqliteVec)]
  const text = new DatabaseSync(join(folder, 'memory.db'))
  text.exec(`CREATE VIRTUAL TABLE temp.words USING fts5(observation, content = '', tokenize = 'porter unicode61');
    INSERT INTO temp.words (rowid, observation) SELECT id, observation FROM memories`)
  const match = text.prepare('SELECT rowid FROM temp.words WHERE words MATCH ? ORDER BY rank LIMIT 40')
  const plain = await time(20, () => {
    const { query, vector } = ask()
    scan(flat, vector)
    match.all(
      query
        .split(' ')
        .map((word) => `"${word}"`)
        .join(' OR '),
    )
  })
  text.close()
  peer.close()
  await engine.shutdown()
  rmSync(folder, { recursive: true })
  const threads = size > 200_000 ? null : await measureThreads(size)
  return {
    row: {
      memories: size,
      'nokosu median': digits(nokosu.median),
      p95: digits(nokosu.p95),
      'in threads': threads === null ? '' : digits(threads),
      'semantic alone': digits(semantic.median),
      'sqlite-vec (vectors only)': digits(sqliteVec.median),
      'plain JS + unpruned FTS5': digits(plain.median),
      'x sqlite-vec': digits(sqliteVec.median / nokosu.median, 1),
      'x plain': digits(plain.median / nokosu.median, 1),
    },
    ratios: {
      sqliteVec: nokosu.median / sqliteVec.median,
      plain: nokosu.median / plain.median,
      semantic: nokosu.median / semantic.median,
    },
  }
}

/** The forty nearest, written the obvious way. */
function scan(flat: Float32Array, query: Float32Array): { i: number; score: number }[] {
  const scores: { i: number; score: number }[] = []
  for (let i = 0; i < flat.length / DIMENSIONS; i++) {
    let score = 0
    for (let d = 0; d < DIMENSIONS; d++) score += flat[i * DIMENSIONS + d]! * query[d]!
    scores.push({ i, score })
  }
  return scores.sort((a, b) => b.score - a.score).slice(0, 40)
}
