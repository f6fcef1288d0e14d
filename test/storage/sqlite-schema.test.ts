import { expect, test } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { findBrokenInvariants } from '../stress/invariants.ts'
import { query } from '../stress/older-files.ts'
import { openHandle, openStore } from './sqlite-store.ts'

const ALL = { everything: true } as const

const indexes = (path: string) =>
  query(path, `SELECT name FROM pragma_index_list('memories')`).map(({ name }) =>
    query(path, `SELECT name, "desc" FROM pragma_index_xinfo('${name}') WHERE key = 1 ORDER BY seqno`)
      .map((column) => `${column.name}${column.desc ? ' DESC' : ''}`)
      .join(', '),
  )

test('[E01] memories starts with the ten operational columns, with their types, defaults and indexes', async () => {
  const { path } = await openStore()
  const columns = query(path, `SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info('memories')`)
  expect(columns.slice(0, 10).map((column) => Object.values(column))).toEqual([
    ['id', 'INTEGER', 0, null, 1],
    ['service', 'TEXT', 0, null, 0],
    ['category', 'TEXT', 1, null, 0],
    ['observation', 'TEXT', 1, null, 0],
    ['confidence', 'REAL', 1, '0.7', 0],
    ['active', 'INTEGER', 1, '1', 0],
    ['created_at', 'TEXT', 1, null, 0],
    ['updated_at', 'TEXT', 1, null, 0],
    ['session_id', 'INTEGER', 0, null, 0],
    ['tier', 'INTEGER', 1, '1', 0],
  ])
  expect(query(path, `SELECT sql FROM sqlite_schema WHERE name = 'memories'`)[0]!.sql).toMatch(
    /id INTEGER PRIMARY KEY AUTOINCREMENT[\s\S]*session_id INTEGER REFERENCES sessions\(id\)/,
  )
  expect(indexes(path)).toEqual(expect.arrayContaining(['service, active', 'confidence, active', 'category']))
})

test('[C01] agent_memories has the workflow columns in order, and their indexes stand on the table behind it', async () => {
  const { path } = await openStore()
  expect(query(path, `SELECT name FROM pragma_table_info('agent_memories')`).map((column) => column.name)).toEqual([
    ...'id scope scope_id event_type source anchor summary details_json tags importance'.split(' '),
    ...'expires_at last_recalled_at recall_count created_at updated_at active trust'.split(' '),
  ])
  expect(indexes(path)).toEqual(
    expect.arrayContaining([
      'scope, scope_id, importance DESC, created_at DESC',
      'category, scope',
      'expires_at',
      'source, created_at',
    ]),
  )
})

test('[C02] [E02] the migrations are recorded, and opening again changes nothing', async () => {
  const { path, memory } = await openStore()
  await memory.add({ exact: true, content: 'One', layer: 'project', identifiers: { projectId: 'p' } })
  const state = () => [
    query(path, 'SELECT * FROM _migrations ORDER BY id'),
    query(path, 'SELECT * FROM sqlite_schema ORDER BY name'),
    query(path, 'SELECT * FROM memories'),
    query(path, 'SELECT * FROM settings'),
  ]
  const before = state()
  expect(before[0]!.map((row) => [row.id, row.name])).toEqual([
    [5, '005_memories'],
    [17, '017_agent_memories'],
    [18, '018_engine'],
    [19, '019_second_edition'],
    [20, '020_threads'],
    [21, '021_foreign_rows'],
    [22, '022_one_schema'],
    [23, '023_pins_and_uses'],
    [24, '024_lasting'],
    [25, '025_published'],
  ])
  for (let i = 0; i < 2; i++)
    await (await openMemory({ storage: `sqlite:${path}`, embedding: hashingEmbedding() })).shutdown()
  expect(state()).toEqual(before)
})

test.each([
  ['category', `'misc'`, /category must be one of those in memory_categories/],
  ['observation', `' '`, /observation must not be empty/],
  ['confidence', '1.5', /confidence must be from 0 to 1/],
  ['confidence', `'high'`, /confidence must be from 0 to 1/],
  ['active', '2', /active must be 0 or 1/],
  ['tier', '4', /tier must be 0, 1, 2 or 3/],
  ['importance', '101', /importance must be from 0 to 100/],
  ['source', `'robot'`, /source must be one of/],
  ['tags', `'a,b'`, /tags must be a JSON array/],
  ['tags', `'[1]'`, /tags must be a JSON array/],
  ['metadata', `'[]'`, /metadata must be a JSON object/],
  ['metadata', `'{'`, /metadata must be a JSON object/],
  ['expires_at', `'soon'`, /expires_at must be a time/],
  ['expires_at', `'2026-01-01 00:00:00'`, /expires_at must be a time/],
  ['scope', `'galaxy'`, /scope/],
  ['trust', `'blind'`, /trust must be one of/],
  ['links', `'{}'`, /links must be a JSON array/],
  ['occurred_at', `'once'`, /occurred_at must be a time/],
])('plain SQL cannot put into %s what the engine could not read: %s', async (column, value, message) => {
  const { path, memory, sql } = await openStore()
  const row = {
    service: 'NULL',
    category: `'timing'`,
    observation: `'Fine'`,
    created_at: `'2026-01-01'`,
    updated_at: `'2026-01-01'`,
  }
  const bad = { ...row, [column]: value }
  const insert = (values: Record<string, string>) =>
    sql.exec(`INSERT INTO memories (${Object.keys(values)}) VALUES (${Object.values(values)})`)
  expect(() => insert(bad)).toThrow(message)
  insert(row)
  expect(() => sql.exec(`UPDATE memories SET ${column} = ${value}`)).toThrow(message)
  const { memories } = await memory.list(ALL)
  expect(memories).toMatchObject([{ content: 'Fine', version: 1 }])
  expect((await memory.history(memories[0]!.id, ALL)).changes).toHaveLength(1)
  expect(findBrokenInvariants(path)).toEqual([])
})

test('plain SQL cannot move a memory into another scope', async () => {
  const { memory, sql } = await openStore()
  await memory.add({ exact: true, content: 'Only for us', layer: 'project', identifiers: { projectId: 'ours' } })
  for (const change of [
    `scope_id = 'theirs'`,
    `scope = 'org'`,
    `identifiers = '{"projectId":"theirs"}'`,
    'scope_key = 9',
    `ulid = 'x'`,
  ]) {
    expect(() => sql.exec(`UPDATE memories SET ${change}`)).toThrow(/cannot change/)
  }
})

test('plain SQL cannot replace a row or change its number, which would go past the text index', async () => {
  const { path, memory, sql } = await openStore()
  await memory.add({ exact: true, content: 'Stays', layer: 'project', identifiers: { projectId: 'p' } })
  expect(() =>
    sql.exec(`INSERT OR REPLACE INTO memories (id, category, observation, created_at, updated_at)
      VALUES (1, 'timing', 'Instead', '2026-01-01', '2026-01-01')`),
  ).toThrow(/exists already: use UPDATE/)
  expect(() => sql.exec('UPDATE memories SET id = 9')).toThrow(/cannot change/)
  expect((await memory.list(ALL)).memories).toMatchObject([{ content: 'Stays' }])
  expect(findBrokenInvariants(path)).toEqual([])
})

test('the schema needs nothing that the SQLite of other tools may lack', async () => {
  const { path } = await openStore()
  // They never use the token index, which needs a newer SQLite.
  const all = query(path, `SELECT sql FROM sqlite_schema WHERE name <> 'memory_tokens'`).map((row) => row.sql)
  expect(all.join('\n')).not.toMatch(/\bmemory_tokens\b/)
  // Each was added after 3.40, which long-lived distributions still ship.
  expect(all.join('\n')).not.toMatch(
    /contentless_|subsec|jsonb|octet_length|timediff|string_agg|\bconcat|unistr|STORED/,
  )
})

test('[C16] the ledger and the recall counts move together or not at all', async () => {
  const { path, memory } = await openStore()
  const { memory: shown } = await memory.add({
    exact: true,
    content: 'Shown',
    layer: 'project',
    identifiers: { projectId: 'p' },
  })
  const storage = await openHandle(path)
  const at = '2026-02-03T00:00:00.000Z'
  const record = (key: string, tokens: number) =>
    storage.commit({
      key,
      at,
      by: 'test',
      writes: [10, tokens].map((count, position) => {
        const injection = {
          id: `i${position}`,
          session: 'run',
          memory: shown.id,
          position,
          tokens: count,
          format: 'f',
          at,
        }
        return { kind: 'injection', recall: true, injection }
      }),
    })
  await expect(record('bad', Number.NaN)).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
  expect(await memory.get(shown.id, ALL)).toMatchObject({ recallCount: 0, lastRecalledAt: null })
  expect(query(path, 'SELECT count(*) AS n FROM injections')).toEqual([{ n: 0 }])
  await record('good', 10)
  expect(await memory.get(shown.id, ALL)).toMatchObject({ recallCount: 2, lastRecalledAt: at, version: 1 })
  expect(query(path, 'SELECT count(*) AS n FROM injections')).toEqual([{ n: 2 }])
})
