import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import type { NewMemory } from '../../src/model/schema.ts'
import { clock } from '../../src/testing/conformance/samples.ts'
import { BACKENDS } from './backends.ts'

/** SQL statements of tools that read the workflow memory. */
const STATEMENTS = [
  'SELECT * FROM agent_memories ORDER BY id',
  'SELECT id, summary FROM agent_memories ORDER BY importance DESC, created_at DESC, id DESC LIMIT 5',
  `SELECT summary FROM agent_memories WHERE scope = 'task' AND scope_id = 'T1' ORDER BY id`,
  `SELECT summary, scope_id FROM agent_memories WHERE scope = 'project' ORDER BY id`,
  `SELECT summary FROM agent_memories WHERE scope = 'project' AND scope_id IS NULL ORDER BY id`,
  `SELECT summary, tags FROM agent_memories WHERE tags LIKE '%db%' ORDER BY id`,
  `SELECT summary, tags FROM agent_memories WHERE ',' || tags || ',' LIKE '%,Ünï,%' ORDER BY id`,
  'SELECT tags FROM agent_memories WHERE tags IS NULL ORDER BY id',
  'SELECT details_json FROM agent_memories WHERE details_json IS NOT NULL ORDER BY id',
  'SELECT event_type, count(*) AS n FROM agent_memories GROUP BY event_type ORDER BY event_type',
  'SELECT source, max(importance) AS most FROM agent_memories GROUP BY source ORDER BY source',
  'SELECT summary FROM agent_memories ORDER BY summary',
  'SELECT DISTINCT anchor FROM agent_memories WHERE anchor IS NOT NULL ORDER BY anchor',
  `SELECT summary FROM agent_memories WHERE summary LIKE 'The %' ORDER BY id`,
  `SELECT lower(summary) AS small, length(summary) AS long FROM agent_memories ORDER BY id`,
  `SELECT summary FROM agent_memories WHERE expires_at IS NULL OR expires_at > '2126-06-01T00:00:00.000Z' ORDER BY id`,
  `SELECT substr(created_at, 1, 10) AS day, count(*) AS n FROM agent_memories GROUP BY substr(created_at, 1, 10) ORDER BY 1`,
  'SELECT sum(recall_count) AS recalled, min(last_recalled_at) AS since FROM agent_memories',
  'SELECT avg(importance) AS middle FROM agent_memories',
  `SELECT coalesce(anchor, 'none') AS anchor, created_at = updated_at AS untouched FROM agent_memories ORDER BY id`,
  'SELECT summary, active, trust FROM agent_memories ORDER BY id',
  `SELECT service, category, observation, confidence, active, tier FROM memories WHERE active = 1 ORDER BY ulid`,
  `SELECT observation FROM memories WHERE category = 'rejection' AND confidence >= 0.5 ORDER BY ulid`,
]

test('the view and the table read alike on SQLite and PostgreSQL', async () => {
  const time = clock()
  const [sqlite, postgres] = await Promise.all(['sqlite', 'postgres'].map(filled))
  const file = new DatabaseSync(sqlite!.url!.replace('sqlite:', ''))
  const client = new pg.Client({ connectionString: postgres!.url! })
  await client.connect()
  onTestFinished(async () => {
    file.close()
    await client.end()
    for (const store of [sqlite!, postgres!]) await store.destroy()
  })
  for (const statement of STATEMENTS) {
    const expected = file.prepare(statement).all().map(plain)
    expect.soft((await client.query(statement)).rows.map(plain), statement).toEqual(expected)
  }

  async function filled(name: string) {
    const store = await BACKENDS.find((backend) => backend.name === name)!.create()
    const engine = await openMemory({
      storage: store.open(),
      now: time.now,
      embedding: hashingEmbedding(),
      relations: null,
    })
    for (const memory of MEMORIES) await engine.add(memory, { exact: true })
    const { memories } = await engine.list({ everything: true, sort: 'oldest' })
    await engine.recordShowing({
      ...{ everything: true, session: 'run-1', format: 'file' },
      entries: [{ memory: memories[0]!.id, position: 0, tokens: 9 }],
    })
    await engine.shutdown()
    return store
  }
})

/** Normalises values across drivers: SQLite has no booleans, and `pg` returns large numbers as strings. */
function plain(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (typeof value === 'boolean') return [name, Number(value)]
      return [name, typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value]
    }),
  )
}

const task = { layer: 'task', identifiers: { taskId: 'T1', projectId: 'shop' } } as const
const project = { layer: 'project', identifiers: { projectId: 'shop' } } as const
const MEMORIES: NewMemory[] = [
  {
    ...task,
    content: 'The migration lacks a rollback',
    category: 'rejection',
    source: 'reviewer',
    tags: ['db', 'Ünï'],
    importance: 80,
  },
  {
    ...task,
    content: 'éclair before zebra',
    category: 'submission',
    source: 'coder',
    anchor: 'task_id:T1',
    metadata: { cycle: 3, note: 'ü' },
  },
  {
    ...project,
    content: 'Zebra',
    category: 'decision',
    source: 'coordinator',
    expiresAt: '2126-05-01T00:00:00.000Z',
    importance: 33.5,
  },
  {
    ...project,
    content: 'apple',
    category: 'hint',
    source: 'orchestrator',
    metadata: { a: [1, 2.5, null], b: { c: true } },
  },
  {
    layer: 'section',
    identifiers: { sectionId: 'S1', projectId: 'shop' },
    content: 'The section is done',
    category: 'approval',
    source: 'reviewer',
  },
  {
    layer: 'agent',
    identifiers: { agentId: 'miso' },
    content: 'Agents are not in the view',
    category: 'timing',
    source: 'manual',
  },
] as NewMemory[]
