import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { scratchFolder } from '../fixtures/scratch-folder.ts'
import { type DirectStore, projectScope } from './direct-store.ts'
import { findBrokenInvariants } from './invariants.ts'
import { query } from './older-files.ts'
import { openForTest } from './open-for-test.ts'
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

/** Exact nearest neighbours from every row: the truth that the index must match. */
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

async function askWorker(worker: WorkerProcess, text: string, projectId: string): Promise<Answer> {
  const before = worker.lines.length
  worker.child.stdin!.write(`${JSON.stringify({ query: text, projectId, limit: LIMIT })}\n`)
  while (worker.lines.length === before) {
    if (worker.child.exitCode !== null) throw new Error(`the reader ended: ${(await worker.ended).errors}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return JSON.parse(worker.lines.at(-1)!.slice('answer '.length)) as Answer
}

/** The maximum cosine error of 16-bit floats. */
const PRECISION = 0.001

function expectNearest(answer: Answer, truth: Map<string, number>, who: string): void {
  const best = [...truth.values()].sort((a, b) => b - a).slice(0, LIMIT)
  expect(answer, who).toHaveLength(best.length)
  for (const [i, [id, cosine]] of answer.entries()) {
    expect(Math.abs(cosine - best[i]!), `${who}: place ${i}`).toBeLessThan(PRECISION)
    expect(Math.abs(cosine - truth.get(id)!), `${who}: ${id}`).toBeLessThan(PRECISION)
  }
}

describe('vector search equals brute force over the table, to the precision of 16 bits', () => {
  let path: string
  let memory: DirectStore
  let reader: WorkerProcess
  let sql: DatabaseSync
  let ids: string[]
  const random = sequence(7)
  const open = (dimensions = 384) => openForTest(path, { dimensions })

  async function add(projectId: string, count: number, mark: string): Promise<string[]> {
    const added: string[] = []
    while (added.length < count) {
      const length = Math.min(100, count - added.length)
      const batch = Array.from({ length }, (_, i) => sentence(random, `${mark}${added.length + i}`))
      added.push(...(await memory.add(batch, projectId)).map(({ id }) => id))
    }
    return added
  }

  /** The writer, a process with the scope already loaded, and a newly opened one all see the truth. */
  async function expectExact(
    dimensions = 384,
    readers: { writer: DirectStore; follower: WorkerProcess } = { writer: memory, follower: reader },
  ) {
    const fresh = await open(dimensions)
    for (const projectId of ['p', 'q']) {
      for (const text of QUERIES) {
        const truth = await bruteForce(path, text, projectId, dimensions)
        expectNearest(await readers.writer.nearest(text, projectId, LIMIT), truth, 'writer')
        expectNearest(await askWorker(readers.follower, text, projectId), truth, 'follower')
        expectNearest(await fresh.nearest(text, projectId, LIMIT), truth, 'newcomer')
      }
    }
    await fresh.storage.shutdown()
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
    // Loads the scopes in the reader, which from now on only follows changes.
    for (const projectId of ['p', 'q']) await askWorker(reader, QUERIES[0]!, projectId)
    return () => sql.close()
  })

  const part = (from: number, to: number) => ids.slice(from, to)
  const list = (some: readonly string[]) => some.map((id) => `'${id}'`).join(', ')

  test('after packing, additions, deletions, new texts, deactivation and expiry', async () => {
    expect(query(path, 'SELECT count(*) AS n FROM vector_pages')).toEqual([{ n: 3 }])
    await expectExact()
    await memory.remove(part(0, 90))
    await expectExact()
    for (const id of part(100, 170)) await memory.update(id, { content: sentence(random, `c${id.slice(-4)}`) })
    for (const id of part(200, 230)) await memory.update(id, { active: false })
    for (const id of part(230, 260)) await memory.update(id, { confidence: 0.1, active: false })
    for (const id of part(300, 330)) await memory.update(id, { expiresAt: '2020-01-01T00:00:00.000Z' })
    for (const id of part(330, 360)) await memory.update(id, { expiresAt: '2099-01-01T00:00:00.000Z' })
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
    await memory.embedAll()
    await expectExact()
    // The nearest hundred lose their vectors, so the next ones must take their place.
    sql.exec(`UPDATE memories SET observation = 'velvet willow ' || id WHERE ulid IN (${list(part(120, 240))})`)
    await expectExact()
    await add('p', 1, 'settles')
    expect(query(path, 'SELECT count(*) AS n FROM vector_removals')).toEqual([{ n: 0 }])
    await expectExact()
  })

  test('after what was deleted and retired was purged', async () => {
    await memory.remove(part(0, 90))
    sql.exec(`DELETE FROM memories WHERE ulid IN (${list(part(90, 120))})`)
    for (const id of part(120, 160)) await memory.update(id, { active: false })
    for (const id of part(160, 180)) await memory.update(id, { content: sentence(random, `e${id.slice(-4)}`) })
    const later = new Date(Date.now() + 60_000).toISOString()
    const expected = await memory.storage.purge({ before: later, dryRun: true })
    expect(expected).toMatchObject({ memories: 40 })
    expect(await memory.storage.purge({ before: later, dryRun: false })).toEqual(expected)
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
    await memory.embedAll()
    await expectExact()
    const scopes = [{ layer: 'task' as const, owner: 'T1', projects: null }]
    const [vector] = await hashingEmbedding().embed(['amber basil cedar delta'])
    const [found] = await memory.storage.search([{ scopes, where: {}, vector: vector!, tokens: [], limit: 5 }])
    expect(found!.candidates.map((candidate) => candidate.memory.content)).toEqual(['amber basil cedar delta'])
  })

  test('after every vector was made anew by another model, which is never compared with the old one', async () => {
    const small = await open(128)
    const follower = await startReader(128)
    await askWorker(follower, QUERIES[0]!, 'p')
    expect(await small.embedAll()).toBe(870)
    expect((await small.storage.stats()).models).toEqual(['hashing:v1-128'])
    await expectExact(128, { writer: small, follower })
    expect(await memory.nearest(QUERIES[0]!, 'p', LIMIT)).toEqual([])
    expect(await askWorker(reader, QUERIES[0]!, 'p')).toEqual([])

    // Half in each model: each sees its own.
    const [mixed] = await memory.add(['amber basil cedar delta'], 'p')
    expect((await memory.nearest(QUERIES[0]!, 'p', LIMIT)).map(([id]) => id)).toEqual([mixed!.id])
    expect((await askWorker(follower, QUERIES[0]!, 'p')).map(([id]) => id)).not.toContain(mixed!.id)
    expect((await memory.storage.stats()).models).toEqual(['hashing:v1-128', 'hashing:v1-384'])
    await memory.embedAll()
    await expectExact()
  })
})

test('a search reads the vectors of the scopes it may see and of no other', async () => {
  const path = join(scratchFolder(), 'memory.db')
  const memory = await openForTest(path, { dimensions: 64 })
  const random = sequence(3)
  // One scope of 300 with a page of its own, 99 of seven.
  await memory.add(
    Array.from({ length: 300 }, (_, i) => sentence(random, `s${i}`)),
    'p0',
  )
  for (let project = 1; project < 100; project++) {
    await memory.add(
      Array.from({ length: 7 }, (_, i) => sentence(random, `s${project}n${i}`)),
      `p${project}`,
    )
  }
  await memory.storage.shutdown()

  // Unread rows cannot do harm: outside two scopes every row, vector and token list is unreadable.
  const sql = new DatabaseSync(path)
  const others = `SELECT id FROM memories WHERE scope_id NOT IN ('p0', 'p7')`
  sql.exec(`DROP TRIGGER memories_update_checked; DROP TRIGGER memories_updated;
    UPDATE embeddings SET vector = x'0000' WHERE id IN (SELECT embedding_id FROM memories WHERE id IN (${others}));
    UPDATE memories SET metadata = '{' WHERE id IN (${others})`)
  const reader = await openForTest(path, { dimensions: 64 })
  const nearest = async (project: string) => (await reader.nearest('amber basil cedar', project, 100)).length
  expect([await nearest('p7'), await nearest('p0'), await nearest('p8')]).toEqual([7, 100, 0])
  const words = 'amber basil cedar delta ember fjord grove harbor river ocean quartz flint'
  expect((await reader.searchTokens(words, projectScope('p7'))).length).toBeGreaterThan(3)
  const query_ = { scopes: [projectScope('p7')], where: {}, order: 'newest', limit: 50, after: null } as const
  const page = await reader.storage.memories({ ...query_, count: true, vectors: true })
  expect([page.items.length, page.totalCount]).toEqual([7, 7])
  await expect(reader.list()).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
  sql.close()
})
