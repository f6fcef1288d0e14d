import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { addColumns, assertAdoptable, readColumns } from './adopt.ts'
import { Connection } from './connection.ts'
import { ADDED_COLUMNS } from './migrations/tables.ts'

/** The tables of older tools that hold memories. */
const TOOLS = { memories: 'Claude Ops', agent_memories: 'Steroids' } as const
type Table = keyof typeof TOOLS

/** A database of an older tool that is not opened as ours yet: what it is, and how many memories it holds. */
export interface ForeignFile {
  tool: string
  rows: number
}

/** null: there is no file, it is ours already, or nothing in it belongs to nobody. */
export async function readForeign(path: string): Promise<ForeignFile | null> {
  if (!existsSync(path) || hasOwner(path)) return null
  return withConnection(path, (connection) => {
    const tables = tablesOf(connection)
    const rows = tables.map((table) => connection.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)!.n)
    const sum = rows.reduce((total, n) => total + n, 0)
    return sum === 0 ? null : { tool: tables.map((table) => TOOLS[table]).join(' and '), rows: sum }
  })
}

/** Whether the file's header names a program, as ours does: nothing more is read then. */
function hasOwner(path: string): boolean {
  const header = Buffer.alloc(OWNER_AT + 4)
  const file = openSync(path, 'r')
  try {
    return readSync(file, header) === header.length && header.readUInt32BE(OWNER_AT) !== 0
  } finally {
    closeSync(file)
  }
}

/** Where a SQLite file has its application id. */
const OWNER_AT = 68

/** Says whose its memories are that name no project: opened after that, they are this project's. */
export async function adoptInto(path: string, project: string): Promise<void> {
  await withConnection(path, (connection) =>
    connection.write(() => {
      for (const table of tablesOf(connection)) {
        if (table === 'memories') {
          addColumns(connection, table, { scope_id: ADDED_COLUMNS.memories!.scope_id! })
          connection.run('UPDATE memories SET scope_id = ?', project)
        } else {
          connection.run(
            `UPDATE agent_memories SET scope_id = ? WHERE scope = 'project' AND coalesce(scope_id, '') = ''`,
            project,
          )
        }
      }
    }),
  )
}

/** Nothing where the file is ours, or another program's that is not adopted: opening it says so. */
function tablesOf(connection: Connection): Table[] {
  const { application_id } = connection.get<{ application_id: number }>('PRAGMA application_id')!
  if (application_id !== 0) return []
  assertAdoptable(connection, application_id)
  return (Object.keys(TOOLS) as Table[]).filter((table) => readColumns(connection, table).length > 0)
}

async function withConnection<Result>(
  path: string,
  work: (connection: Connection) => Result,
): Promise<Awaited<Result>> {
  const connection = await Connection.open(path, 'normal')
  try {
    return await work(connection)
  } finally {
    connection.close()
  }
}
