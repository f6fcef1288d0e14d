import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import { scratchFolder } from '../fixtures/scratch-folder.ts'
import { findBrokenInvariants } from '../stress/invariants.ts'
import {
  OPERATIONAL_NEIGHBOURS,
  OPERATIONAL_ROWS,
  OPERATIONAL_TABLE,
  query,
  WORKFLOW_NEIGHBOURS,
  WORKFLOW_ROWS,
  WORKFLOW_TABLE,
  writeFile,
} from '../stress/older-files.ts'
import { runWorker, startWorker } from '../stress/worker-process.ts'

/** The rows are from early 2026, when they had not faded yet. */
const now = () => new Date('2026-03-05T00:00:00.000Z')
const ALL = { everything: true } as const

async function upgrade(...parts: string[]) {
  const path = join(scratchFolder(), 'memory.db')
  writeFile(path, ...parts)
  const memory = await openMemory({ storage: `sqlite:${path}`, embedding: hashingEmbedding(), now })
  onTestFinished(() => memory.shutdown())
  return { path, memory }
}

const WORKFLOW_UPGRADED = [
  {
    scope: 'task',
    scope_id: 'T1',
    event_type: 'rejection',
    source: 'reviewer',
    anchor: 'task_id:T1',
    summary: 'Tests are missing for the parser',
    details_json: '{"cycle":2,"files":["a.ts"]}',
    tags: 'tests,parser',
    importance: 80,
    expires_at: '2099-01-01T00:00:00.000Z',
    last_recalled_at: '2026-01-05T01:02:03.000Z',
    recall_count: 6,
    created_at: '2026-01-04T01:02:03.000Z',
    updated_at: '2026-01-05T01:02:03.000Z',
  },
  {
    scope: 'section',
    scope_id: 'S1',
    event_type: 'decision',
    source: 'coder',
    anchor: null,
    summary: 'The lint rule stays off',
    details_json: '{"details":["not","an","object"]}',
    tags: 'wont_fix',
    importance: 20,
    expires_at: null,
    last_recalled_at: null,
    recall_count: 0,
    created_at: '2026-01-06T01:02:03.000Z',
    updated_at: '2026-01-06T01:02:03.000Z',
  },
  {
    scope: 'project',
    scope_id: null,
    event_type: 'decision',
    source: 'coordinator',
    anchor: 'commit:ab12',
    summary: 'Ship the smaller scope first',
    details_json: null,
    tags: null,
    importance: 50,
    expires_at: null,
    last_recalled_at: null,
    recall_count: 0,
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
  },
]
const workflowRows = (path: string) =>
  query(path, `SELECT * FROM agent_memories WHERE source IN ('coder', 'reviewer', 'coordinator') ORDER BY id`)

const OPERATIONAL_UPGRADED = [
  [
    1,
    'plex',
    'timing',
    'Scans take ninety seconds on Sundays',
    0.9,
    1,
    '2026-01-02T03:04:05.000Z',
    '2026-01-03T03:04:05.000Z',
    42,
    2,
  ],
  [
    2,
    null,
    'behavior',
    'The router drops packets at noon',
    0.2,
    0,
    '2026-02-02T03:04:05.000Z',
    '2026-02-03T03:04:05.000Z',
    777,
    1,
  ],
  [
    7,
    'mail',
    'remediation',
    'Restart the relay before the queue',
    0.7,
    1,
    '2026-03-02T03:04:05.123Z',
    '2026-03-03T03:04:05.123Z',
    null,
    3,
  ],
]
const operationalRows = (path: string) =>
  query(
    path,
    `SELECT id, service, category, observation, confidence, active, created_at, updated_at, session_id, tier FROM memories WHERE source = 'system' ORDER BY id`,
  ).map((row) => Object.values(row))

test.each([
  ['bare', [] as string[]],
  ['with its record of migrations and its other tables', [WORKFLOW_NEIGHBOURS]],
])('[C02] a workflow file, %s, keeps every row and value', async (_, neighbours) => {
  const { path, memory } = await upgrade(WORKFLOW_TABLE, WORKFLOW_ROWS, ...neighbours)
  expect(workflowRows(path)).toEqual(
    WORKFLOW_UPGRADED.map((row, i) => ({ id: [4, 5, 9][i], ...row, active: 1, trust: 'flagged' })),
  )
  expect(query(path, `SELECT name FROM sqlite_schema WHERE name LIKE 'agent_memories_before'`)).toEqual([])
  expect(query(path, `SELECT name FROM _migrations`).map((row) => row.name)).toEqual(
    expect.arrayContaining(['005_memories', '017_agent_memories', '018_engine', '019_second_edition', '020_threads']),
  )
  if (neighbours.length > 0) {
    expect(query(path, 'SELECT id, name FROM _migrations WHERE id IN (5, 17, 18)')).toEqual([
      { id: 5, name: '005_add_disputes' },
      { id: 17, name: '017_agent_memories' },
      { id: 18, name: '018_more' },
    ])
    expect(query(path, 'SELECT * FROM tasks')).toEqual([{ id: 'T1', title: 'Write the parser' }])
    expect(query(path, 'SELECT id FROM important ORDER BY id')).toEqual([{ id: 4 }, { id: 9 }])
  }
  const { results } = await memory.search({ query: 'parser tests', identifiers: { taskId: 'T1' }, mode: 'keyword' })
  expect(results).toMatchObject([{ memory: { metadata: { cycle: 2, files: ['a.ts'] }, recallCount: 6 } }])
  expect(findBrokenInvariants(path)).toEqual([])
})

test('a workflow row that is no memory stays behind; the others are moved', async () => {
  const { path, memory } = await upgrade(
    WORKFLOW_TABLE,
    WORKFLOW_ROWS,
    `INSERT INTO agent_memories (id, scope, event_type, source, summary) VALUES (20, 'galaxy', 'hint', 'coder', 'Lost in space'), (21, 'task', 'hint', 'coder', 'No task')`,
  )
  expect((await memory.stats()).memories).toBe(3)
  expect(query(path, 'SELECT id, summary FROM agent_memories_before')).toEqual([
    { id: 20, summary: 'Lost in space' },
    { id: 21, summary: 'No task' },
  ])
})

test.each([
  ['without sessions', [] as string[]],
  ['with sessions and events that have required columns', [OPERATIONAL_NEIGHBOURS]],
])('[E02] an operational file, %s, keeps every row and value', async (_, neighbours) => {
  const { path, memory } = await upgrade(...neighbours, OPERATIONAL_TABLE, OPERATIONAL_ROWS)
  expect(operationalRows(path)).toEqual(OPERATIONAL_UPGRADED)
  expect(query(path, `SELECT seq FROM sqlite_sequence WHERE name = 'memories'`)).toEqual([{ seq: 7 }])
  const { memories } = await memory.list({ ...ALL, includeInactive: true })
  expect(memories.map(({ session }) => session)).toEqual([null, '777', '42'])
  const sessions = (await memory.sessions(ALL)).sessions.map((session) => session.id)
  expect(sessions).toEqual(neighbours.length > 0 ? ['777', '42', '3'] : ['777', '42'])
  expect((await memory.history(memories[2]!.id, ALL)).changes).toMatchObject([
    { version: 1, operation: 'create', after: { session: '42' } },
  ])

  await memory.add({
    exact: true,
    content: 'New',
    layer: 'project',
    identifiers: { projectId: 'default' },
    session: 'run-1',
  })
  await memory.add({
    exact: true,
    content: 'Old session',
    layer: 'project',
    identifiers: { projectId: 'default' },
    session: '42',
  })
  expect((await memory.list({ ...ALL, session: '42' })).totalCount).toBe(2)
  expect(query(path, `SELECT session_id FROM memories WHERE observation = 'Old session'`)).toEqual([{ session_id: 42 }])
  if (neighbours.length > 0) {
    expect(query(path, 'SELECT session_id, level, message FROM events')).toEqual([
      { session_id: 42, level: 'info', message: 'looked around' },
    ])
    expect(query(path, 'SELECT id, model, prompt_file, status, started_at FROM sessions WHERE id < 50')).toEqual([
      { id: 3, model: 'small', prompt_file: 'tier1.md', status: 'running', started_at: '2026-01-01 00:00:00' },
      { id: 42, model: 'large', prompt_file: 'tier2.md', status: 'running', started_at: '2026-01-02 00:00:00' },
    ])
    expect(
      query(path, `SELECT name FROM sqlite_schema WHERE name IN ('idx_sessions_status', 'idx_events_created')`),
    ).toHaveLength(2)
    const event = {
      id: 'e1',
      at: '2026-05-01T00:00:00.000Z',
      type: 'approval',
      session: '42',
      identifiers: { taskId: 'T1' },
      data: { n: 1 },
    }
    const storage = sqliteStorage({ path })
    await storage.initialize({ name: 'm', dimensions: 4 })
    onTestFinished(() => storage.shutdown())
    await storage.commit({ key: 'k', at: event.at, by: 'test', writes: [{ kind: 'event', event }] })
    expect((await storage.events({ any: null, after: null, limit: 10 })).items).toEqual([event])
    writeFile(
      path,
      `INSERT INTO sessions (tier, model, prompt_file, started_at) VALUES (1, 'small', 'x.md', '2026-04-01 00:00:00')`,
    )
    expect((await memory.sessions(ALL)).sessions).toHaveLength(5)
  }
  const { results } = await memory.search({
    query: 'scans sundays',
    identifiers: { projectId: 'default' },
    mode: 'keyword',
  })
  expect(results).toMatchObject([{ memory: { service: 'plex' } }])
  expect(findBrokenInvariants(path)).toEqual([])
})

test('a category that is not ours stays with its rows, and does not fade', async () => {
  const weather = OPERATIONAL_ROWS.replace("'timing'", "'weather'")
  const { path, memory } = await upgrade(OPERATIONAL_NEIGHBOURS, OPERATIONAL_TABLE, weather)
  const { memories } = await memory.list({ everything: true })
  expect(memories.map(({ category }) => category)).toContain('weather')
  expect(query(path, "SELECT visible_until AS until FROM memories WHERE category = 'weather'")).toEqual([
    { until: '9999-12-31T23:59:59.999Z' },
  ])
  await memory.sweep({ anyway: true })
  const { memories: left } = await memory.list({ everything: true })
  expect(left.map(({ category }) => category)).toContain('weather')
})

test('a file with both tables keeps the rows of both', async () => {
  const { path, memory } = await upgrade(
    OPERATIONAL_NEIGHBOURS,
    OPERATIONAL_TABLE,
    OPERATIONAL_ROWS,
    WORKFLOW_TABLE,
    WORKFLOW_ROWS,
    WORKFLOW_NEIGHBOURS,
  )
  expect(operationalRows(path)).toEqual(OPERATIONAL_UPGRADED)
  expect(workflowRows(path)).toEqual(
    WORKFLOW_UPGRADED.map((row, i) => ({ id: [11, 12, 16][i], ...row, active: 1, trust: 'flagged' })),
  )
  expect(await memory.reembed()).toEqual({ embedded: 6 })
  expect(findBrokenInvariants(path)).toEqual([])
})

function manyRows(): string {
  return `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO memories (category, observation, created_at, updated_at) SELECT 'timing', 'Observation number ' || i, '2026-01-01 00:00:00', '2026-01-01 00:00:00' FROM n;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    INSERT INTO agent_memories (scope, scope_id, event_type, source, summary) SELECT 'task', 'T' || (i % 50), 'hint', 'coder', 'Hint number ' || i FROM n;`
}

test('[C02] eight processes that open an older file at once upgrade it once and lose nothing', async () => {
  const path = join(scratchFolder(), 'memory.db')
  writeFile(path, OPERATIONAL_NEIGHBOURS, OPERATIONAL_TABLE, WORKFLOW_TABLE, manyRows())
  const at = String(Date.now() + 1000)
  const printed = await Promise.all(Array.from({ length: 8 }, () => runWorker('open-store', [path, at])))
  expect(printed.flat()).toEqual(Array.from({ length: 8 }, () => 'memories 4000'))
  expect(query(path, 'SELECT name FROM _migrations')).toHaveLength(10)
  expect(query(path, 'SELECT count(*) AS n FROM changes')).toEqual([{ n: 4000 }])
  expect(findBrokenInvariants(path)).toEqual([])
})

test('[C02] eight processes that open a file that is not there yet make it once', async () => {
  const path = join(scratchFolder(), 'new', 'memory.db')
  const at = String(Date.now() + 1000)
  const printed = await Promise.all(Array.from({ length: 8 }, () => runWorker('open-store', [path, at])))
  expect(printed.flat()).toEqual(Array.from({ length: 8 }, () => 'memories 0'))
  expect(findBrokenInvariants(path)).toEqual([])
})

test('an upgrade killed at any moment leaves the old state or the new, never half', async () => {
  const folder = scratchFolder()
  const original = join(folder, 'original.db')
  writeFile(original, OPERATIONAL_NEIGHBOURS, OPERATIONAL_TABLE, WORKFLOW_TABLE, manyRows())
  const outcomes = { old: 0, new: 0 }
  // An uninterrupted upgrade measures how long the interesting part takes here.
  copyFileSync(original, join(folder, 'timed.db'))
  const start = performance.now()
  await runWorker('open-store', [join(folder, 'timed.db'), '0'])
  const whole = performance.now() - start
  for (let i = 0; i < 12; i++) {
    const path = join(folder, `${i}.db`)
    copyFileSync(original, path)
    const worker = startWorker('open-store', [path, '0'])
    await Promise.race([sleep((whole * i) / 10), worker.ended])
    worker.child.kill('SIGKILL')
    await worker.ended
    const version = query(path, 'PRAGMA user_version')[0]!.user_version
    const tables = query(path, `SELECT type FROM sqlite_schema WHERE name = 'agent_memories'`)
    if (version === 0) {
      expect(tables).toEqual([{ type: 'table' }])
      expect(query(path, 'SELECT count(*) AS n FROM agent_memories')).toEqual([{ n: 1000 }])
      expect(query(path, `SELECT name FROM pragma_table_info('memories')`)).toHaveLength(10)
      expect(query(path, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
      outcomes.old++
    } else {
      expect(tables).toEqual([{ type: 'view' }])
      outcomes.new++
    }
    expect(await runWorker('open-store', [path, '0'])).toEqual(['memories 4000'])
    expect(findBrokenInvariants(path)).toEqual([])
  }
  expect(outcomes.old, JSON.stringify(outcomes)).toBeGreaterThan(0)
})
