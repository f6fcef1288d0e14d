import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { type Nokosu, openMemory } from '../../src/engine/open-memory.ts'
import { findBrokenInvariants } from './invariants.ts'
import { query } from './older-files.ts'
import { scratchFolder } from './scratch-folder.ts'
import { sentence, sequence } from './sentences.ts'
import { startWorker, type WorkerProcess } from './worker-process.ts'

const LIMIT = 12
const QUERIES = [
  'amber basil cedar delta',
  'river ocean lagoon harbor island',
  'quartz flint cinder',
  'kestrel eagle nimbus juniper',
]

type Answer = [id: string, cosine: number][]

/** Nearest by comparing with every row of the table: the truth that the index must agree with. */
async function bruteForce(
  path: string,
  query_: string,
  projectId: string,
  dimensions: number,
): Promise<Map<string, number>> {
  const rows = query(
    path,
    `SELECT ulid, observation, embedding_id FROM memories WHERE scope = 'project' AND scope_id = '${projectId}' AND active = 1
       AND (expires_at IS NULL OR expires_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) AND embedding_id IS NOT NULL`,
  )
  const [target, ...vectors] = await hashingEmbedding({ dimensions }).embed([
    query_,
    ...rows.map((row) => row.observation as string),
  ])
  return new Map(
    rows.map((row, i) => [row.ulid as string, target!.reduce((sum, x, d) => sum + x * vectors[i]![d]!, 0)]),
  )
}

async function ask(memory: Nokosu, text: string, projectId: string): Promise<Answer> {
  const matches = await memory.storage.searchVector!({
    scope: { layer: 'project', owner: projectId, projects: [null] },
    vector: (await memory.embedding.embed([text]))[0]!,
    model: memory.embedding.name,
    where: { visibleAt: new Date() },
    limit: LIMIT,
  })
  return matches.map((match) => [match.memory.id, match.cosine])
}

async function askWorker(worker: WorkerProcess, text: string, projectId: string): Promise<Answer> {
  const before = worker.lines.length
  worker.child.stdin!.write(`${JSON.stringify({ query: text, projectId, limit: LIMIT })}\n`)
  while (worker.lines.length === before) {
    if (worker.child.exitCode !== null) throw new Error(`the reader ended: ${(await worker.ended).errors}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return JSON.parse(worker.lines.at(-1)!.slice('answer '.length)) as Answer
}

function expectNearest(answer: Answer, truth: Map<string, number>, who: string): void {
  const best = [...truth.values()].sort((a, b) => b - a).slice(0, LIMIT)
  expect(
    answer.map(([, cosine]) => cosine.toFixed(4)),
    who,
  ).toEqual(best.map((cosine) => cosine.toFixed(4)))
  for (const [id, cosine] of answer) expect(truth.get(id), `${who}: ${id}`).toBeCloseTo(cosine, 4)
}

describe('vector search equals brute force over the table', () => {
  let path: string
  let memory: Nokosu
  let reader: WorkerProcess
  let sql: DatabaseSync
  let ids: string[]
  const random = sequence(7)
  const open = (dimensions = 384) =>
    openMemory({ storage: `sqlite:${path}`, embedding: hashingEmbedding({ dimensions }) })

  async function add(projectId: string, count: number, mark: string): Promise<string[]> {
    const added: string[] = []
    while (added.length < count) {
      const batch = Array.from({ length: Math.min(100, count - added.length) }, (_, i) => ({
        content: sentence(random, `${mark}${added.length + i}`),
        layer: 'project' as const,
        identifiers: { projectId },
      }))
      added.push(...(await memory.bulkAdd(batch)).memories.map(({ id }) => id))
    }
    return added
  }

  /** The writer, a process that has had the scope loaded all along, and one that opens the file now all see the truth. */
  async function expectExact(
    dimensions = 384,
    readers: { writer: Nokosu; follower: WorkerProcess } = { writer: memory, follower: reader },
  ) {
    const fresh = await open(dimensions)
    for (const projectId of ['p', 'q']) {
      for (const text of QUERIES) {
        const truth = await bruteForce(path, text, projectId, dimensions)
        expectNearest(await ask(readers.writer, text, projectId), truth, 'writer')
        expectNearest(await askWorker(readers.follower, text, projectId), truth, 'follower')
        expectNearest(await ask(fresh, text, projectId), truth, 'newcomer')
      }
    }
    await fresh.shutdown()
    expect(findBrokenInvariants(path)).toEqual([])
  }

  async function startReader(dimensions: number): Promise<WorkerProcess> {
    const worker = startWorker('answer', [path, String(dimensions)])
    onTestFinished(async () => {
      worker.child.stdin!.end()
      await worker.ended
    })
    await worker.printed('ready')
    return worker
  }

  beforeEach(async () => {
    path = join(scratchFolder(), 'memory.db')
    memory = await open()
    sql = new DatabaseSync(path)
    ids = await add('p', 600, 'a')
    await add('q', 270, 'b')
    reader = await startReader(384)
    // Loads the scopes in the reader, so that from here on it can only follow.
    for (const projectId of ['p', 'q']) await askWorker(reader, QUERIES[0]!, projectId)
    return async () => {
      sql.close()
      await memory.shutdown()
    }
  })

  const part = (from: number, to: number) => ids.slice(from, to)
  const list = (some: readonly string[]) => some.map((id) => `'${id}'`).join(', ')

  test('after packing, additions, deletions, new texts, deactivation and expiry', async () => {
    expect(query(path, 'SELECT count(*) AS n FROM vector_pages')).toEqual([{ n: 3 }])
    await expectExact()
    await memory.bulkDelete(part(0, 90))
    await expectExact()
    for (const id of part(100, 170)) await memory.update(id, { content: sentence(random, `c${id.slice(-4)}`) })
    for (const id of part(200, 230)) await memory.update(id, { active: false })
    for (const id of part(230, 260)) await memory.update(id, { confidence: 0.1 })
    for (const id of part(300, 330)) await memory.update(id, { expiresAt: '2020-01-01T00:00:00Z' })
    for (const id of part(330, 360)) await memory.update(id, { expiresAt: '2099-01-01T00:00:00Z' })
    await expectExact()
    for (const id of part(200, 215)) await memory.update(id, { active: true, confidence: 0.8 })
    for (const id of part(300, 315)) await memory.update(id, { expiresAt: null })
    await add('p', 300, 'd')
    await expectExact()
  })

  test('after changes by plain SQL, before and after they are embedded', async () => {
    sql.exec(`DELETE FROM memories WHERE ulid IN (${list(part(0, 60))})`)
    sql.exec(`UPDATE memories SET active = 0 WHERE ulid IN (${list(part(60, 90))})`)
    sql.exec(`UPDATE memories SET expires_at = '2020-01-01T00:00:00.000Z' WHERE ulid IN (${list(part(90, 120))})`)
    sql.exec(
      `UPDATE memories SET observation = 'amber basil cedar delta ' || id WHERE ulid IN (${list(part(120, 240))})`,
    )
    await expectExact()
    await memory.reembed()
    await expectExact()
    // The nearest hundred lose their meaning: what is left must come up from behind them.
    sql.exec(`UPDATE memories SET observation = 'velvet willow ' || id WHERE ulid IN (${list(part(120, 240))})`)
    await expectExact()
    await add('p', 1, 'settles')
    expect(query(path, 'SELECT count(*) AS n FROM vector_removals')).toEqual([{ n: 0 }])
    await expectExact()
  })

  test('after what was deleted and retired was purged', async () => {
    await memory.bulkDelete(part(0, 90))
    sql.exec(`DELETE FROM memories WHERE ulid IN (${list(part(90, 120))})`)
    for (const id of part(120, 160)) await memory.update(id, { active: false })
    for (const id of part(160, 180)) await memory.update(id, { content: sentence(random, `e${id.slice(-4)}`) })
    const later = new Date(Date.now() + 60_000).toISOString()
    const expected = await memory.storage.purge(later, true)
    expect(expected).toMatchObject({ memories: 40 })
    expect(await memory.storage.purge(later, false)).toMatchObject({ memories: 40, changes: expected.changes })
    await expectExact()
    expect(query(path, 'SELECT count(*) AS n FROM memories')).toEqual([{ n: 710 }])
    expect(query(path, 'SELECT count(*) AS n FROM embeddings')).toEqual([{ n: 710 }])
    await add('p', 300, 'f')
    await expectExact()
  })

  test('a row id that comes back in another scope does not show there', async () => {
    const gone = query(path, `SELECT id FROM memories WHERE ulid = '${ids[3]}'`)[0]!.id as number
    sql.exec(`DELETE FROM memories WHERE id = ${gone}`)
    sql.exec(
      `INSERT INTO agent_memories (id, scope, scope_id, event_type, source, summary) VALUES (${gone}, 'task', 'T1', 'hint', 'coder', 'amber basil cedar delta')`,
    )
    await expectExact()
    await memory.reembed()
    await expectExact()
    const { results } = await memory.search({
      query: 'amber basil cedar delta',
      identifiers: { taskId: 'T1' },
      mode: 'semantic',
    })
    expect(results.map((result) => result.memory.content)).toEqual(['amber basil cedar delta'])
  })

  test('after every vector was made anew by another model, which is never compared with the old one', async () => {
    const small = await open(128)
    onTestFinished(() => small.shutdown())
    const follower = await startReader(128)
    await askWorker(follower, QUERIES[0]!, 'p')
    const progress: number[] = []
    expect(await small.reembed({ onProgress: (done) => progress.push(done) })).toEqual({ embedded: 870 })
    expect(progress.at(-1)).toBe(870)
    await expectExact(128, { writer: small, follower })
    expect(await ask(memory, QUERIES[0]!, 'p')).toEqual([])
    expect(await askWorker(reader, QUERIES[0]!, 'p')).toEqual([])
    expect(await memory.healthCheck()).toMatchObject({ status: 'degraded' })

    // Half in one model, half in the other: each sees its own.
    const mixed = await memory.add({
      content: 'amber basil cedar delta',
      layer: 'project',
      identifiers: { projectId: 'p' },
    })
    expect((await ask(memory, QUERIES[0]!, 'p')).map(([id]) => id)).toEqual([mixed.memory.id])
    expect((await askWorker(follower, QUERIES[0]!, 'p')).map(([id]) => id)).not.toContain(mixed.memory.id)
    await memory.reembed()
    await expectExact()
  })
})

test('a search reads the vectors of the scopes it may see and of no other', async () => {
  const path = join(scratchFolder(), 'memory.db')
  const embedding = hashingEmbedding({ dimensions: 64 })
  const memory = await openMemory({ storage: `sqlite:${path}`, embedding })
  const random = sequence(3)
  // One scope of 300 with a page of its own, 299 of fifteen or sixteen.
  for (let start = 0; start < 5000; start += 100) {
    await memory.bulkAdd(
      Array.from({ length: 100 }, (_, i) => {
        const n = start + i
        return {
          content: sentence(random, `s${n}`),
          layer: 'project' as const,
          identifiers: { projectId: `p${n < 300 ? 0 : 1 + (n % 299)}` },
        }
      }),
    )
  }
  await memory.shutdown()
  expect(query(path, 'SELECT count(DISTINCT scope_key) AS scopes, count(*) AS n FROM memories')).toEqual([
    { scopes: 300, n: 5000 },
  ])

  // What is not read cannot do harm: every vector outside the two scopes is spoiled.
  const sql = new DatabaseSync(path)
  sql.exec(
    `UPDATE embeddings SET vector = x'0000' WHERE id IN (SELECT embedding_id FROM memories WHERE scope_id NOT IN ('p0', 'p7'))`,
  )
  const reader = await openMemory({ storage: `sqlite:${path}`, embedding })
  onTestFinished(() => reader.shutdown())
  const search = (projectId: string) =>
    reader.search({
      query: 'amber basil cedar',
      identifiers: { projectId },
      mode: 'semantic',
      threshold: 0,
      limit: 100,
    })
  expect((await search('p7')).totalCount).toBeGreaterThan(10)
  expect((await search('p0')).totalCount).toBeGreaterThan(100)
  await expect(search('p8')).rejects.toMatchObject({ code: 'PROVIDER_ERROR', retryable: false })
  expect((await search('p7')).totalCount).toBeGreaterThan(10)
  sql.close()
})
