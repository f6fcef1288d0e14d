import { expect, it, onTestFinished } from 'vitest'
import { assertAdoptable, relaxColumns } from './adopt.ts'
import { Connection } from './connection.ts'

const MEMORIES = 'id service category observation confidence active created_at updated_at session_id tier'.split(' ')
const AGENT_MEMORIES =
  'id scope scope_id event_type source anchor summary details_json tags importance expires_at last_recalled_at recall_count created_at updated_at'.split(
    ' ',
  )

async function file(...statements: string[]): Promise<() => void> {
  const connection = await Connection.open(':memory:', 'normal')
  onTestFinished(() => connection.close())
  for (const statement of statements) connection.exec(statement)
  return () => assertAdoptable(connection, 0)
}

it.each([
  ['memories', MEMORIES],
  ['agent_memories', AGENT_MEMORIES],
])('an older tool’s %s are adopted whole, and not without any of their columns', async (table, columns) => {
  expect(await file(`CREATE TABLE ${table} (${columns})`)).not.toThrow()
  for (const missing of columns) {
    const others = columns.filter((name) => name !== missing)
    const refused = await file(`CREATE TABLE ${table} (${others})`)
    expect(refused).toThrow(new RegExp(`its table ${table} has no column ${missing}\\b`))
  }
})

it.each(['sessions', 'events'])('its %s are shared where their ids are numbers', async (table) => {
  const memories = `CREATE TABLE memories (${MEMORIES})`
  expect(await file(memories, `CREATE TABLE ${table} (id INTEGER PRIMARY KEY)`)).not.toThrow()
  for (const id of ['id TEXT PRIMARY KEY', 'id INTEGER', 'name TEXT']) {
    expect(await file(memories, `CREATE TABLE ${table} (${id})`)).toThrow(`the ids of its ${table} are not numbers`)
  }
})

it('nothing is adopted beside a table that has the name of one of ours', async () => {
  const memories = `CREATE TABLE memories (${MEMORIES})`
  expect(await file(memories, 'CREATE TABLE embeddings (id)')).toThrow('it has a table embeddings of its own')
  expect(await file(memories, 'CREATE TABLE photos (id)')).not.toThrow()
})

it('the columns of an older tool may be empty then, and its rows, defaults, indexes and numbers stay', async () => {
  const connection = await Connection.open(':memory:', 'normal')
  onTestFinished(() => connection.close())
  connection.exec(`CREATE TABLE log (id INTEGER PRIMARY KEY AUTOINCREMENT, "a ""b" TEXT NOT NULL, c TEXT NOT NULL DEFAULT 'x', d TEXT);
    CREATE INDEX by_d ON log (d);
    INSERT INTO log (id, "a ""b", d) VALUES (7, 'one', 'two'), (9, 'gone', NULL); DELETE FROM log WHERE id > 7`)
  const definition = () =>
    connection.all<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE tbl_name = 'log' ORDER BY name")
  const types = () => connection.all<{ type: string }>("SELECT type FROM pragma_table_info('log')")
  const before = types()
  relaxColumns(connection, 'log')
  expect(types()).toEqual(before)
  expect(connection.all('SELECT * FROM log')).toEqual([{ id: 7, 'a "b': 'one', c: 'x', d: 'two' }])
  connection.exec('INSERT INTO log (d) VALUES (NULL)')
  expect(connection.get('SELECT * FROM log WHERE id > 7')).toEqual({ id: 10, 'a "b': null, c: 'x', d: null })
  expect(() => connection.exec('INSERT INTO log (c) VALUES (NULL)')).toThrow()
  expect(definition().map(({ sql }) => sql)).toContain('CREATE INDEX by_d ON log (d)')
  // No constraint is left to relax.
  const relaxed = definition()
  relaxColumns(connection, 'log')
  expect(definition()).toEqual(relaxed)
})
