import { expect, test } from 'vitest'
import { visibleUntil } from '../../src/lifecycle/decay.ts'
import { findBrokenInvariants } from '../stress/invariants.ts'
import { query } from '../stress/older-files.ts'
import { now, openHandle, openStore } from './sqlite-store.ts'

const ALL = { everything: true } as const
const DEFAULT_PROJECT = { layers: ['project' as const], identifiers: { projectId: 'default' } }

test('a row inserted in the operational way is a whole memory: found by keyword at once, by meaning after reembed', async () => {
  const { path, memory, sql } = await openStore()
  sql
    .prepare('INSERT INTO memories (service, category, observation, created_at, updated_at) VALUES (?, ?, ?, ?, ?)')
    .run('plex', 'timing', 'Scanning needs ninety seconds', '2026-01-02 03:04:05', '2026-01-02T04:04:05Z')
  const [found] = (await memory.list(ALL)).memories
  expect(found).toMatchObject({
    id: expect.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
    layer: 'project',
    identifiers: { projectId: 'default' },
    service: 'plex',
    confidence: 0.7,
    active: true,
    tier: 1,
    createdAt: '2026-01-02T03:04:05.000Z',
    updatedAt: '2026-01-02T04:04:05.000Z',
    version: 1,
    session: null,
    source: 'system',
  })
  expect((await memory.history(found!.id, ALL)).changes).toMatchObject([
    { version: 1, operation: 'create', by: 'sql', after: { id: found!.id } },
  ])

  const search = async (mode: 'keyword' | 'semantic') =>
    (await memory.search({ ...DEFAULT_PROJECT, query: 'scanning ninety seconds', mode })).results.map(
      (result) => result.memory.id,
    )
  expect(await search('keyword')).toEqual([found!.id])
  expect(await search('semantic')).toEqual([])
  expect(await memory.reembed()).toEqual({ embedded: 1 })
  expect(await search('semantic')).toEqual([found!.id])
  expect(findBrokenInvariants(path)).toEqual([])
})

test('a text changed by plain SQL is found under its new words only, and under its new meaning after reembed', async () => {
  const { path, memory, sql } = await openStore()
  const { memory: added } = await memory.add({
    exact: true,
    content: 'The walrus eats clams',
    layer: 'project',
    identifiers: { projectId: 'default' },
  })
  const search = async (query: string, mode: 'keyword' | 'semantic' | 'hybrid') =>
    (await memory.search({ ...DEFAULT_PROJECT, query, mode })).results.length
  expect(await search('walrus eats clams', 'semantic')).toBe(1)
  sql.exec(
    `UPDATE memories SET observation = 'Backups finish before dawn', updated_at = '2026-01-19 00:00:00' WHERE ulid = '${added.id}'`,
  )
  for (const mode of ['keyword', 'semantic', 'hybrid'] as const) expect(await search('walrus eats clams', mode)).toBe(0)
  expect(await search('backups dawn', 'keyword')).toBe(1)
  await memory.reembed()
  expect(await search('Backups finish before dawn', 'semantic')).toBe(1)
  expect(await search('walrus eats clams', 'semantic')).toBe(0)
  const history = (await memory.history(added.id, ALL)).changes
  expect(history.map(({ version, operation, by }) => [version, operation, by])).toEqual([
    [1, 'create', 'test'],
    [2, 'update', 'sql'],
  ])
  expect(history.map(({ after }) => [after?.content, after?.updatedAt])).toEqual([
    ['The walrus eats clams', now().toISOString()],
    ['Backups finish before dawn', '2026-01-19T00:00:00.000Z'],
  ])
  expect(findBrokenInvariants(path)).toEqual([])
})

test('a content update through the engine keeps the memory findable by meaning', async () => {
  const { path, memory } = await openStore()
  const { memory: added } = await memory.add({
    exact: true,
    content: 'The walrus eats clams',
    layer: 'project',
    identifiers: { projectId: 'default' },
  })
  expect(await memory.update(added.id, { content: 'Backups finish before dawn' }, ALL)).toMatchObject({
    embeddingRegenerated: true,
  })
  const { results } = await memory.search({ ...DEFAULT_PROJECT, query: 'Backups finish before dawn', mode: 'semantic' })
  expect(results.map((result) => result.memory.id)).toEqual([added.id])
  expect(await memory.reembed()).toEqual({ embedded: 0 })
  expect(findBrokenInvariants(path)).toEqual([])
})

test('a row that plain SQL puts into a layer carries the identifier of that layer', async () => {
  const { path, memory, sql } = await openStore()
  sql.exec(`INSERT INTO memories (category, observation, created_at, updated_at, scope, scope_id)
    VALUES ('hint', 'For the team', '2026-01-01', '2026-01-01', 'team', 'red')`)
  const { results } = await memory.search({ query: 'team', identifiers: { teamId: 'red' }, mode: 'keyword' })
  expect(results).toMatchObject([{ layer: 'team', memory: { identifiers: { teamId: 'red' } } }])
  expect(await memory.update(results[0]!.memory.id, { content: 'For the red team' }, ALL)).toMatchObject({
    memory: { version: 2 },
  })
  expect(findBrokenInvariants(path)).toEqual([])
})

test('a reinforcement by plain SQL starts the decay anew, as one by the engine does', async () => {
  const { path, memory, sql } = await openStore()
  await memory.add({ exact: true, content: 'Old', layer: 'project', identifiers: { projectId: 'p' } })
  sql.exec('UPDATE memories SET decayed_weeks = 3')
  sql.exec('UPDATE memories SET confidence = 0.75')
  expect(query(path, 'SELECT decayed_weeks FROM memories')).toEqual([{ decayed_weeks: 3 }])
  sql.exec(`UPDATE memories SET confidence = 0.85, updated_at = '2026-06-01 00:00:00'`)
  expect(query(path, 'SELECT decayed_weeks, updated_at FROM memories')).toEqual([
    { decayed_weeks: 0, updated_at: '2026-06-01T00:00:00.000Z' },
  ])
  sql.exec('UPDATE memories SET decayed_weeks = 3')
  sql.exec(`UPDATE memories SET updated_at = '2026-06-02 00:00:00'`)
  expect(query(path, 'SELECT decayed_weeks FROM memories')).toEqual([{ decayed_weeks: 0 }])
})

test('history names who deleted: the engine its actor, plain SQL itself', async () => {
  const { path, memory, sql } = await openStore()
  const add = async () =>
    (await memory.add({ exact: true, content: 'Gone soon', layer: 'project', identifiers: { projectId: 'p' } })).memory
      .id
  const [first, second] = [await add(), await add()]
  await memory.delete(first, ALL)
  sql.exec(`DELETE FROM memories WHERE ulid = '${second}'`)
  const lastOf = async (id: string) => (await memory.history(id, ALL)).changes.at(-1)
  expect(await lastOf(first)).toMatchObject({ operation: 'delete', by: 'test', version: 2, at: now().toISOString() })
  expect(await lastOf(second)).toMatchObject({ operation: 'delete', by: 'sql', version: 2 })
  expect(findBrokenInvariants(path)).toEqual([])
})

test('an imported row has the history it brought, and a new entry for a later plain SQL change', async () => {
  const { path, memory, sql } = await openStore()
  const { memory: original } = await memory.add({
    exact: true,
    content: 'Copied',
    layer: 'project',
    identifiers: { projectId: 'p' },
  })
  const brought = (await memory.history(original.id, ALL)).changes
  sql.exec('DELETE FROM memories; DELETE FROM changes')
  const row = { memory: original, visibleUntil: visibleUntil(original), tokens: ['copi'], embedding: null }
  const storage = await openHandle(path)
  await storage.commit({
    key: 'import',
    at: now().toISOString(),
    by: 'copy',
    writes: [
      { kind: 'insert', row, imported: true },
      ...brought.map((change) => ({ kind: 'change' as const, change })),
    ],
  })
  sql.exec(`UPDATE memories SET confidence = 0.4`)
  const changes = (await memory.history(original.id, ALL)).changes
  expect(changes.map(({ version, by }) => [version, by])).toEqual([
    [1, 'test'],
    [2, 'sql'],
  ])
  expect(findBrokenInvariants(path)).toEqual([])
})

test('a session that another tool starts has its number as its id, and memories that name it join it', async () => {
  const { path, memory, sql } = await openStore()
  sql.exec(`INSERT INTO sessions (id, started_at) VALUES (42, '2026-01-01T00:00:00.000Z')`)
  sql.exec(
    `INSERT INTO memories (category, observation, created_at, updated_at, session_id) VALUES ('timing', 'Seen', '2026-01-01', '2026-01-01', 42)`,
  )
  await memory.add({
    exact: true,
    content: 'Seen too',
    layer: 'project',
    identifiers: { projectId: 'default' },
    session: '42',
  })
  expect((await memory.list({ ...ALL, session: '42' })).totalCount).toBe(2)
  expect((await memory.sessions(ALL)).sessions.map((session) => session.id)).toEqual(['42'])
  expect(findBrokenInvariants(path)).toEqual([])
})

test('what plain SQL writes leaves the read paths when the engine would say so', async () => {
  const { path, memory, sql } = await openStore()
  const add = (values: string) =>
    sql.exec(`INSERT INTO memories (observation, category, confidence, active, trust, expires_at, created_at, updated_at)
      VALUES (${values}, '2026-01-02 03:04:05', '2026-01-02T03:04:05.678Z')`)
  add(`'Fades late', 'timing', 1.0, 1, 'agent', NULL`)
  add(`'Fades at the line', 'behavior', 0.3, 1, 'agent', NULL`)
  add(`'Is below the line', 'behavior', 0.2, 1, 'agent', NULL`)
  add(`'Fades in between', 'learning', 0.55, 1, 'agent', NULL`)
  add(`'Never fades', 'decision', 0.7, 1, 'agent', NULL`)
  add(`'Expires before', 'timing', 0.7, 1, 'agent', '2026-01-25T00:00:00.000Z'`)
  add(`'Expires after', 'timing', 0.7, 1, 'agent', '2027-01-25T00:00:00.000Z'`)
  add(`'Expires only', 'hint', 0.7, 1, 'agent', '2027-01-25T00:00:00.000Z'`)
  add(`'Is inactive', 'timing', 0.7, 0, 'agent', NULL`)
  add(`'Is held back', 'timing', 0.7, 1, 'quarantined', NULL`)
  const handle = await openHandle(path)
  const check = async () => {
    const { memories } = await memory.list({ ...ALL, includeInactive: true })
    expect(memories).toHaveLength(10)
    const stored = new Map(query(path, 'SELECT ulid, visible_until FROM memories').map((row) => [row.ulid, row]))
    for (const each of memories) {
      // The list shows their current state; the stored state is from when they were written.
      const written = (await handle.get([each.id]))[0]!.memory
      expect([each.content, stored.get(each.id)!.visible_until]).toEqual([each.content, visibleUntil(written)])
    }
  }
  await check()
  sql.exec(`UPDATE memories SET confidence = 0.95 WHERE category = 'behavior'`)
  sql.exec(`UPDATE memories SET active = 1 WHERE active = 0`)
  sql.exec(`UPDATE memories SET decayed_weeks = 2`)
  sql.exec(`UPDATE memories SET updated_at = '2026-01-15 00:00:00' WHERE observation LIKE 'Fades%'`)
  sql.exec(`UPDATE memories SET tags = '["touched"]'`)
  await check()
  expect(findBrokenInvariants(path)).toEqual([])
})

test('counters follow every writer', async () => {
  const { memory, sql } = await openStore()
  const stats = async () => {
    const { memories, active, byLayer, sessions } = await memory.stats()
    return { memories, active, byLayer, sessions }
  }
  await memory.add({ exact: true, content: 'By the engine', layer: 'team', identifiers: { teamId: 't' } })
  sql.exec(`INSERT INTO memories (category, observation, created_at, updated_at) VALUES
    ('timing', 'One', '2026-01-01', '2026-01-01'), ('timing', 'Two', '2026-01-01', '2026-01-01')`)
  sql.exec(`INSERT INTO sessions (started_at) VALUES ('2026-01-01')`)
  expect(await stats()).toEqual({ memories: 3, active: 3, byLayer: { project: 2, team: 1 }, sessions: 1 })
  sql.exec(
    `UPDATE memories SET active = 0 WHERE observation IN ('One', 'By the engine'); DELETE FROM memories WHERE observation = 'Two'`,
  )
  expect(await stats()).toEqual({ memories: 2, active: 0, byLayer: { project: 1, team: 1 }, sessions: 1 })
  sql.exec(`UPDATE memories SET active = 1; DELETE FROM sessions`)
  expect(await stats()).toEqual({ memories: 2, active: 2, byLayer: { project: 1, team: 1 }, sessions: 0 })
})

test('a commit is dated by its own clock, a change by plain SQL by that of the file’s user', async () => {
  const { memory, sql } = await openStore()
  const { memory: added } = await memory.add({
    exact: true,
    content: 'Dated',
    layer: 'project',
    identifiers: { projectId: 'p' },
  })
  await memory.update(added.id, { importance: 60 }, ALL)
  sql.exec('UPDATE memories SET importance = 70')
  const { changes } = await memory.history(added.id, ALL)
  expect(changes.map(({ by, after }) => [by, after?.importance])).toEqual([
    ['test', 50],
    ['test', 60],
    ['sql', 70],
  ])
  expect(changes.slice(0, 2).map(({ at }) => at)).toEqual([now().toISOString(), now().toISOString()])
  // The database clock in UTC; a wrong time zone is off by at least half an hour.
  expect(Math.abs(Date.parse(changes[2]!.at) - Date.now())).toBeLessThan(25 * 60_000)
})
