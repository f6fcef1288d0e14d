import { existsSync } from 'node:fs'
import { addColumns, assertAdoptable, readColumns } from './adopt.ts'
import { Connection } from './connection.ts'
import { hasOwner } from './file-owner.ts'

/** Older tools' tables that contain memories. */
const TOOLS = { memories: 'Claude Ops', agent_memories: 'Steroids' } as const
type Table = keyof typeof TOOLS

/** An older tool's database that is not yet opened as ours: which tool, and how many memories it has. */
export interface ForeignFile {
  tool: string
  rows: number
}

/** null if there is no file, it is already ours, or all its memories have an owner. */
export async function readForeign(path: string): Promise<ForeignFile | null> {
  if (!existsSync(path) || hasOwner(path)) return null
  return withConnection(path, (connection) => {
    const tables = tablesOf(connection)
    const rows = tables.map((table) => connection.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)!.n)
    const sum = rows.reduce((total, n) => total + n, 0)
    return sum === 0 ? null : { tool: tables.map((table) => TOOLS[table]).join(' and '), rows: sum }
  })
}

/** Assigns memories without a project to this project when the file is next opened, and those that the older tool's `memories` gets later. */
export async function adoptInto(path: string, project: string): Promise<void> {
  await withConnection(path, (connection) =>
    connection.write(() => {
      for (const table of tablesOf(connection)) {
        if (table === 'memories') {
          addColumns(connection, table, { scope_id: `TEXT NOT NULL DEFAULT '${project.replaceAll("'", "''")}'` })
          connection.run(
            'UPDATE memories SET scope_id = ?, confidence = max(0, min(1, coalesce(confidence, 0.7)))',
            project,
          )
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

/** The same for rows that the older tool adds to its `agent_memories` later. The file is ours by now. */
export async function adoptLaterRows(path: string, project: string): Promise<void> {
  await withConnection(path, (connection) =>
    connection.write(() => connection.run(`UPDATE settings SET value = ? WHERE name = 'default_project'`, project)),
  )
}

/** Empty if the file is ours, or another program's that cannot be adopted; opening it reports that. */
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
