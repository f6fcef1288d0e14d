/**
 * Compares VectorIndex with a plain JavaScript scan and with sqlite-vec, on the same vectors and queries in one run.
 * `node bench/vector-scan.ts [--large]`; --large adds a million vectors and needs about 6 GB.
 */
import { DatabaseSync } from 'node:sqlite'
import { getLoadablePath } from 'sqlite-vec'
import { PAGE_SLOTS, type PackedPage, packPage } from '../src/vector/packed-page.ts'
import { TopK } from '../src/vector/top-k.ts'
import { VectorIndex } from '../src/vector/vector-index.ts'

const DIMENSIONS = 384
const LIMIT = 40
const CLUSTERS = 64

export interface VectorScanRow {
  size: number
  /** Duration of one search in milliseconds. */
  index: { median: number; p95: number }
  javascript: { median: number; p95: number }
  sqliteVec: { median: number; p95: number }
  /** Ratio of the other's median to the index's. */
  fasterThanJavascript: number
  fasterThanSqliteVec: number
  /** Milliseconds to load all packed pages. */
  load: number
  /** Growth of the resident set by loading them, in bytes. */
  resident: number
  /** Share of the true ten best that are among the index's LIMIT candidates. */
  recall: number
}

/** Measures each size in turn; deterministic data, 384 dimensions. */
export function benchVectorScan(sizes: readonly number[]): VectorScanRow[] {
  return sizes.map(measure)
}

function measure(size: number): VectorScanRow {
  const random = mulberry32(size)
  const centres = Array.from({ length: CLUSTERS }, () => unitVector(random))
  const near = (into?: Float32Array) => unitVector(random, centres[Math.floor(random() * CLUSTERS)], into)
  const vectors = new Float32Array(size * DIMENSIONS)
  const pages: PackedPage[] = []
  for (let first = 0; first < size; first += PAGE_SLOTS) {
    const entries = Array.from({ length: Math.min(PAGE_SLOTS, size - first) }, (_, slot) => {
      const start = (first + slot) * DIMENSIONS
      return { key: first + slot + 1, vector: near(vectors.subarray(start, start + DIMENSIONS)) }
    })
    pages.push(packPage(entries, DIMENSIONS))
  }
  const queries = Array.from({ length: size > 200_000 ? 12 : 60 }, () => near())

  const residentBefore = process.memoryUsage.rss()
  const started = performance.now()
  const index = new VectorIndex(DIMENSIONS)
  for (const page of pages) index.loadPage(1, page)
  const load = performance.now() - started
  const resident = process.memoryUsage.rss() - residentBefore
  const request = { scopes: [1], limit: LIMIT, visibleAt: 0 }

  const indexTimes = time(queries, 4, (query) => index.search(query, request))
  const plainTimes = time(queries.slice(0, 20), 1, (query) => scanPlainly(vectors, query, LIMIT))
  const hits = queries.slice(0, 10).map((query) => {
    const found = new Set(index.search(query, request).map(({ key }) => key))
    return scanPlainly(vectors, query, 10).filter(({ key }) => found.has(key)).length
  })
  const vecTimes = timeSqliteVec(vectors, queries.slice(0, 20))
  return {
    size,
    index: indexTimes,
    javascript: plainTimes,
    sqliteVec: vecTimes,
    fasterThanJavascript: plainTimes.median / indexTimes.median,
    fasterThanSqliteVec: vecTimes.median / indexTimes.median,
    load,
    resident,
    recall: hits.reduce((sum, count) => sum + count, 0) / (hits.length * 10),
  }
}

function timeSqliteVec(vectors: Float32Array, queries: Float32Array[]): { median: number; p95: number } {
  const database = new DatabaseSync(':memory:', { allowExtension: true })
  try {
    database.loadExtension(getLoadablePath())
    database.exec(`CREATE VIRTUAL TABLE vectors USING vec0(embedding float[${DIMENSIONS}] distance_metric=cosine)`)
    const insert = database.prepare('INSERT INTO vectors(rowid, embedding) VALUES (?, ?)')
    database.exec('BEGIN')
    for (let row = 0; row * DIMENSIONS < vectors.length; row++) {
      insert.run(BigInt(row + 1), bytesOf(vectors.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS)))
    }
    database.exec('COMMIT')
    const select = database.prepare(`SELECT rowid, distance FROM vectors WHERE embedding MATCH ? AND k = ${LIMIT}`)
    return time(queries, 1, (query) => select.all(bytesOf(query)))
  } finally {
    database.close()
  }
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

function scanPlainly(vectors: Float32Array, query: Float32Array, limit: number): { key: number; score: number }[] {
  const best = new TopK(limit)
  for (let start = 0, key = 1; start < vectors.length; start += DIMENSIONS, key++) {
    const score = dot(vectors, start, query)
    if (score >= best.threshold) best.offer(key, score)
  }
  return best.sorted()
}

/** Four partial sums, so that additions are independent: a fair rival with steady results. */
function dot(vectors: Float32Array, start: number, query: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0]
  for (let i = 0; i < DIMENSIONS; i += 4) {
    a += vectors[start + i]! * query[i]!
    b += vectors[start + i + 1]! * query[i + 1]!
    c += vectors[start + i + 2]! * query[i + 2]!
    d += vectors[start + i + 3]! * query[i + 3]!
  }
  return a + b + c + d
}

/** Milliseconds of one call, over `rounds` passes through the queries; the first calls warm up and do not count. */
function time(
  queries: Float32Array[],
  rounds: number,
  search: (query: Float32Array) => unknown,
): { median: number; p95: number } {
  for (const query of queries.slice(0, 5)) search(query)
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    for (const query of queries) {
      const started = performance.now()
      search(query)
      times.push(performance.now() - started)
    }
  }
  times.sort((a, b) => a - b)
  return { median: times[Math.floor(times.length / 2)]!, p95: times[Math.floor(times.length * 0.95)]! }
}

/** A random direction, or one at a cosine of about 0.7 from `centre`. */
function unitVector(
  random: () => number,
  centre?: Float32Array,
  vector: Float32Array = new Float32Array(DIMENSIONS),
): Float32Array {
  let norm = 0
  for (let i = 0; i < DIMENSIONS; i++) {
    const noise = random() + random() + random() - 1.5
    vector[i] = centre === undefined ? noise : centre[i]! * Math.sqrt(DIMENSIONS / 4) + noise
    norm += vector[i]! ** 2
  }
  for (let i = 0; i < DIMENSIONS; i++) vector[i] = vector[i]! / Math.sqrt(norm)
  return vector
}

function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

if (import.meta.main) {
  const sizes = [1000, 10_000, 100_000, ...(process.argv.includes('--large') ? [1_000_000] : [])]
  const span = (times: { median: number; p95: number }) => `${times.median.toFixed(2)} / ${times.p95.toFixed(2)}`
  for (const size of sizes) {
    for (const row of benchVectorScan([size])) {
      console.table({
        [row.size]: {
          'index ms (median / p95)': span(row.index),
          'plain JS ms': span(row.javascript),
          'sqlite-vec ms': span(row.sqliteVec),
          'x JS': row.fasterThanJavascript.toFixed(1),
          'x sqlite-vec': row.fasterThanSqliteVec.toFixed(1),
          'load ms': row.load.toFixed(1),
          'resident MB': (row.resident / 1e6).toFixed(0),
          'recall 10@40': row.recall.toFixed(3),
        },
      })
    }
  }
}
