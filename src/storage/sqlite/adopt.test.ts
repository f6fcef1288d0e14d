import { expect, it, onTestFinished } from 'vitest'
import { assertAdoptable } from './adopt.ts'
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
