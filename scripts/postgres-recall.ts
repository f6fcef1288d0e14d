/**
 * Measures on a real server (NOKOSU_TEST_POSTGRES) how many of the true nearest the HNSW index finds, and how long a search takes:
 * node scripts/postgres-recall.ts [memories] [dimensions]
 */
import { createHash } from 'node:crypto'
import { postgresStorage } from '../src/storage/postgres/postgres-storage.ts'
import { insert, question } from '../src/testing/conformance/storage/writing.ts'
import { unitVector } from '../src/testing/unit-vector.ts'
import { emptySchema } from '../test/postgres/schemas.ts'

const [memories = 20_000, dimensions = 384] = process.argv.slice(2).map(Number)
const LIMIT = 40
const QUERIES = 50
const AT = '2026-03-01T00:00:00.000Z'

const gauss = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())
const noise = () => Array.from({ length: dimensions }, gauss)
/** Texts come in topics: vectors about some hundreds of centres. */
const topics = Array.from({ length: 300 }, noise)
const near = () => {
  const topic = topics[Math.floor(Math.random() * topics.length)]!
  return unitVector(noise().map((value, i) => topic[i]! + value))
}

const place = await emptySchema(process.env.NOKOSU_TEST_POSTGRES!)
const model = { name: 'recall', dimensions }
const exact = postgresStorage({ url: place.url, exactUpTo: Number.POSITIVE_INFINITY })
const indexed = postgresStorage({ url: place.url, exactUpTo: 100 })
try {
  await exact.initialize(model)
  await indexed.initialize(model)
  const started = performance.now()
  for (let start = 0; start < memories; start += 1000) {
    const writes = Array.from({ length: Math.min(1000, memories - start) }, (_, i) => {
      const write = insert(start + i)
      if (write.kind !== 'insert') throw new TypeError('not an insert')
      const id = `01JNA${String(start + i).padStart(21, '0')}`
      const hash = createHash('sha256').update(id).digest('hex').slice(0, 32)
      return {
        ...write,
        row: { ...write.row, memory: { ...write.row.memory, id }, embedding: { hash, vector: near() } },
      }
    })
    await exact.commit({ key: `part ${start}`, at: AT, by: 'recall', writes })
  }
  console.log(`${memories} written in ${((performance.now() - started) / 1000).toFixed(0)} s`)
  const time = { exact: 0, indexed: 0 }
  let found = 0
  for (let i = 0; i < QUERIES; i++) {
    const asked = question({ vector: near(), limit: LIMIT })
    const ask = async (name: keyof typeof time) => {
      const start = performance.now()
      const [answer] = await { exact, indexed }[name].search([asked])
      time[name] += performance.now() - start
      return new Set(answer!.candidates.map(({ memory }) => memory.id))
    }
    const truth = await ask('exact')
    for (const id of await ask('indexed')) if (truth.has(id)) found++
  }
  const each = (name: keyof typeof time) => `${(time[name] / QUERIES).toFixed(1)} ms`
  console.log(`recall ${(found / QUERIES / LIMIT).toFixed(4)}; exact ${each('exact')}, indexed ${each('indexed')}`)
} finally {
  await exact.shutdown()
  await indexed.shutdown()
  await place.destroy()
}
