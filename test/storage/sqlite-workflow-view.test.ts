import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { scratchFolder } from '../fixtures/scratch-folder.ts'
import { findBrokenInvariants } from '../stress/invariants.ts'
import { query } from '../stress/older-files.ts'

const ALL = { everything: true } as const

async function openStore() {
  const path = join(scratchFolder(), 'memory.db')
  const memory = await openMemory({ storage: `sqlite:${path}`, embedding: hashingEmbedding() })
  const sql = new DatabaseSync(path)
  onTestFinished(async () => {
    sql.close()
    await memory.shutdown()
  })
  return { path, memory, sql }
}

test('[C01] a row inserted into the view is a memory at once, with history, and is found by keyword', async () => {
  const { path, memory, sql } = await openStore()
  sql.exec(`INSERT INTO agent_memories (scope, scope_id, event_type, source, anchor, summary, details_json, tags, importance, expires_at)
    VALUES ('task', 'T7', 'rejection', 'reviewer', 'task_id:T7', 'The migration lacks a rollback', '{"cycle":3}', 'db, rollback,db', 80, '2099-01-01')`)
  const { results } = await memory.search({
    query: 'migration rollback',
    identifiers: { taskId: 'T7' },
    mode: 'keyword',
  })
  expect(results).toMatchObject([
    {
      layer: 'task',
      memory: {
        content: 'The migration lacks a rollback',
        identifiers: { taskId: 'T7' },
        category: 'rejection',
        source: 'reviewer',
        anchor: 'task_id:T7',
        metadata: { cycle: 3 },
        tags: ['db', 'rollback'],
        importance: 80,
        expiresAt: '2099-01-01T00:00:00.000Z',
        version: 1,
      },
    },
  ])
  expect((await memory.history(results[0]!.memory.id, ALL)).changes).toMatchObject([{ operation: 'create', by: 'sql' }])
  expect(findBrokenInvariants(path)).toEqual([])
})

test('[C01] the least row gets every default', async () => {
  const { path, sql } = await openStore()
  sql.exec(
    `INSERT INTO agent_memories (scope, event_type, source, summary) VALUES ('project', 'hint', 'coder', 'Short')`,
  )
  expect(query(path, 'SELECT * FROM agent_memories')).toEqual([
    {
      id: 1,
      scope: 'project',
      scope_id: null,
      event_type: 'hint',
      source: 'coder',
      anchor: null,
      summary: 'Short',
      details_json: null,
      tags: null,
      importance: 50,
      expires_at: null,
      last_recalled_at: null,
      recall_count: 0,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      active: 1,
      trust: 'flagged',
    },
  ])
  expect(query(path, 'SELECT typeof(importance) AS type FROM agent_memories')).toEqual([{ type: 'integer' }])
})

test('[C01] updates and deletes through the view reach the engine, the text index and the history', async () => {
  const { path, memory, sql } = await openStore()
  sql.exec(
    `INSERT INTO agent_memories (scope, scope_id, event_type, source, summary) VALUES ('section', 'S1', 'hint', 'coder', 'Prefer small commits')`,
  )
  const { id } = (await memory.list(ALL)).memories[0]!
  await memory.update(id, { tags: ['say "hi"', 'C:\\temp', 'ütf'] }, ALL)
  sql.exec(
    `UPDATE agent_memories SET summary = 'Prefer tiny commits', importance = 90, recall_count = recall_count + 1`,
  )
  expect(await memory.get(id, ALL)).toMatchObject({
    content: 'Prefer tiny commits',
    importance: 90,
    recallCount: 1,
    version: 3,
    tags: ['say "hi"', 'C:\\temp', 'ütf'],
  })
  const find = async (query: string) =>
    (await memory.search({ query, identifiers: { sectionId: 'S1' }, mode: 'keyword' })).results.length
  expect([await find('small'), await find('tiny')]).toEqual([0, 1])
  sql.exec('DELETE FROM agent_memories')
  expect(await memory.get(id, ALL)).toBeNull()
  expect(await find('tiny')).toBe(0)
  expect((await memory.history(id, ALL)).changes.map(({ operation, by }) => [operation, by])).toEqual([
    ['create', 'sql'],
    ['update', 'library'],
    ['update', 'sql'],
    ['delete', 'sql'],
  ])
  expect(findBrokenInvariants(path)).toEqual([])
})

test('older words for an event become a category and a tag', async () => {
  const { memory, sql } = await openStore()
  for (const type of ['commit', 'wont_fix', 'dispute']) {
    sql.exec(
      `INSERT INTO agent_memories (scope, scope_id, event_type, source, summary, tags) VALUES ('task', 'T', '${type}', 'coder', 'About ${type}', 'x')`,
    )
  }
  const { memories } = await memory.list(ALL)
  expect(memories.map(({ category, tags }) => [category, tags]).sort()).toEqual([
    ['decision', ['x', 'dispute']],
    ['decision', ['x', 'wont_fix']],
    ['submission', ['x', 'commit']],
  ])
})

test('a memory that the engine adds shows in the view; agents and teams do not', async () => {
  const { path, memory } = await openStore()
  await memory.add({
    exact: true,
    content: 'Shown',
    layer: 'task',
    identifiers: { taskId: 'T1', projectId: 'p' },
    category: 'approval',
    source: 'reviewer',
    tags: ['a', 'b'],
    metadata: { n: 1 },
  })
  await memory.add({ exact: true, content: 'Hidden', layer: 'agent', identifiers: { agentId: 'miso' } })
  await memory.add({ exact: true, content: 'Hidden', layer: 'team', identifiers: { teamId: 'red' } })
  expect(
    query(path, 'SELECT scope, scope_id, event_type, source, summary, details_json, tags FROM agent_memories'),
  ).toEqual([
    {
      scope: 'task',
      scope_id: 'T1',
      event_type: 'approval',
      source: 'reviewer',
      summary: 'Shown',
      details_json: '{"n":1}',
      tags: 'a,b',
    },
  ])
})

const GOOD = { scope: `'task'`, scope_id: `'T1'`, event_type: `'hint'`, source: `'coder'`, summary: `'Fine'` }
test.each([
  ['scope', `'team'`, 'scope must be task, section or project'],
  ['scope', 'NULL', 'scope must be task, section or project'],
  ['scope_id', 'NULL', 'scope_id is required for a task or section'],
  ['event_type', `'party'`, 'event_type must be one of those in memory_categories'],
  ['event_type', 'NULL', 'event_type must be one of those in memory_categories'],
  ['source', `'robot'`, 'source must be coder'],
  ['source', 'NULL', 'source must be coder'],
  ['summary', `''`, 'summary is required'],
  ['summary', 'NULL', 'summary is required'],
  ['details_json', `'{'`, 'details_json must be a JSON object'],
  ['details_json', `'[1]'`, 'details_json must be a JSON object'],
  ['importance', '101', 'importance must be from 0 to 100'],
  ['importance', `'high'`, 'importance must be from 0 to 100'],
  ['expires_at', `'soon'`, 'expires_at must be a time'],
])('[C01] the view refuses %s = %s and says why', async (column, value, message) => {
  const { path, memory, sql } = await openStore()
  const insert = (row: Record<string, string>) =>
    sql.exec(`INSERT INTO agent_memories (${Object.keys(row)}) VALUES (${Object.values(row)})`)
  expect(() => insert({ ...GOOD, [column]: value })).toThrow(message)
  insert(GOOD)
  expect(() => sql.exec(`UPDATE agent_memories SET ${column} = ${value}`)).toThrow(message)
  expect((await memory.list(ALL)).memories).toMatchObject([{ content: 'Fine', version: 1 }])
  expect(findBrokenInvariants(path)).toEqual([])
})

test('[C15] an expiry set through the view hides the memory when it is due', async () => {
  const { memory, sql } = await openStore()
  sql.exec(`INSERT INTO agent_memories (scope, scope_id, event_type, source, summary, expires_at) VALUES
    ('task', 'T1', 'hint', 'coder', 'Parser hint that is over', datetime('now', '-1 minute')),
    ('task', 'T1', 'hint', 'coder', 'Parser hint that holds', datetime('now', '+1 hour'))`)
  await memory.reembed()
  for (const mode of ['keyword', 'semantic'] as const) {
    const { results } = await memory.search({
      query: 'parser hint',
      identifiers: { taskId: 'T1' },
      mode,
      threshold: 0.5,
    })
    expect(results.map((result) => result.memory.content)).toEqual(['Parser hint that holds'])
  }
  expect((await memory.list({ identifiers: { taskId: 'T1' } })).memories).toHaveLength(1)
  expect((await memory.list({ identifiers: { taskId: 'T1' }, includeInactive: true })).memories).toHaveLength(2)
})

test('[C16] recall counts move through the view without making history', async () => {
  const { memory, sql } = await openStore()
  sql.exec(
    `INSERT INTO agent_memories (scope, event_type, source, summary) VALUES ('project', 'hint', 'coder', 'Recalled')`,
  )
  const { id } = (await memory.list(ALL)).memories[0]!
  sql.exec(
    `UPDATE memories SET recall_count = recall_count + 1, last_recalled_at = strftime('%Y-%m-%dT%H:%M:%fZ', '2026-02-03')`,
  )
  expect(await memory.get(id, ALL)).toMatchObject({
    recallCount: 1,
    lastRecalledAt: '2026-02-03T00:00:00.000Z',
    version: 1,
  })
  expect((await memory.history(id, ALL)).changes).toHaveLength(1)
})
