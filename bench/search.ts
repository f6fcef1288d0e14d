/** Hybrid search through the whole engine, against sqlite-vec's exact scan and against a plain scan with unpruned full text. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { getLoadablePath } from 'sqlite-vec'
import { openMemory } from '../src/engine/open-memory.ts'
import { sqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { type Check, digits, type Section, time } from './report.ts'
import { DIMENSIONS, fill, instantEmbedding, PROJECT, Synthetic } from './synthetic.ts'

const QUERY_WORDS = 9
/** The most that a hybrid search may take, by the number of memories. */
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
  const rounds = size > 200_000 ? 20 : 60
  // Questions of their own for warming up and for each mode: what one has read, the next would find in memory.
  const queries = Array.from({ length: 3 * rounds }, () => ({
    query: synthetic.text(QUERY_WORDS),
    vector: synthetic.clustered(),
  }))
  const search = (mode: 'hybrid' | 'semantic', first: number) => (i: number) =>
    engine.search({ ...queries[first + i]!, mode, identifiers: PROJECT, layers: ['project'] })
  for (const mode of ['hybrid', 'semantic'] as const) await time(rounds, search(mode, 0))
  const nokosu = await time(rounds, search('hybrid', rounds))
  const semantic = await time(rounds, search('semantic', 2 * rounds))
  const nearest = peer.prepare('SELECT rowid, distance FROM v WHERE embedding MATCH ? AND k = 40 ORDER BY distance')
  const sqliteVec = await time(Math.min(rounds, 20), (i) => nearest.all(new Uint8Array(queries[i]!.vector.buffer)))
  const text = new DatabaseSync(join(folder, 'memory.db'))
  text.exec(`CREATE VIRTUAL TABLE temp.words USING fts5(observation, content = '', tokenize = 'porter unicode61');
    INSERT INTO temp.words (rowid, observation) SELECT id, observation FROM memories`)
  const match = text.prepare('SELECT rowid FROM temp.words WHERE words MATCH ? ORDER BY rank LIMIT 40')
  const plain = await time(Math.min(rounds, 20), (i) => {
    scan(flat, queries[i]!.vector)
    match.all(
      queries[i]!.query.split(' ')
        .map((word) => `"${word}"`)
        .join(' OR '),
    )
  })
  text.close()
  peer.close()
  await engine.shutdown()
  rmSync(folder, { recursive: true })
  return {
    row: {
      memories: size,
      'nokosu median': digits(nokosu.median),
      p95: digits(nokosu.p95),
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

/** The forty nearest, as one would write it. */
function scan(flat: Float32Array, query: Float32Array): { i: number; score: number }[] {
  const scores: { i: number; score: number }[] = []
  for (let i = 0; i < flat.length / DIMENSIONS; i++) {
    let score = 0
    for (let d = 0; d < DIMENSIONS; d++) score += flat[i * DIMENSIONS + d]! * query[d]!
    scores.push({ i, score })
  }
  return scores.sort((a, b) => b.score - a.score).slice(0, 40)
}
