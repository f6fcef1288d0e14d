import type { Personality } from '../../model/personality.ts'
import type { AccessToken, DirectoryEntry } from '../../model/records.ts'
import type { Collection, Documents } from '../documents.ts'
import type { Connection } from './connection.ts'

interface DocumentTable<Document> {
  /** Selects all columns of all rows. */
  select: string
  /** Its key, and the condition for those in the JSON array that is bound. */
  key: string
  among: string
  /** Replaces the row; the values that it binds. */
  insert: string
  values(document: Document): (string | null)[]
  remove: string
  read(row: Record<string, string>): Document
}

/** The two parts of `layer:id`; see `directoryKey`. */
const BEFORE_COLON = (key: string) => `substr(${key}, 1, instr(${key}, ':') - 1)`
const BEHIND_COLON = (key: string) => `substr(${key}, instr(${key}, ':') + 1)`

const TABLES: { [Name in Collection]: DocumentTable<Documents[Name]> } = {
  personality: {
    select: 'SELECT * FROM personalities',
    key: 'agent_name',
    among: 'agent_name IN (SELECT value FROM json_each(?))',
    insert: `INSERT OR REPLACE INTO personalities (agent_name, display_name, persona, traits, communication_style, updated_at)
      VALUES (?, ?, ?, ?, ?, ?)`,
    values: ({ agentName, displayName, persona, traits, communicationStyle, updatedAt }) => [
      agentName,
      displayName,
      persona,
      JSON.stringify(traits),
      communicationStyle,
      updatedAt,
    ],
    remove: 'DELETE FROM personalities WHERE agent_name = ?',
    read: (row): Personality => ({
      agentName: row.agent_name!,
      displayName: row.display_name!,
      persona: row.persona!,
      traits: JSON.parse(row.traits!) as string[],
      communicationStyle: row.communication_style!,
      updatedAt: row.updated_at!,
    }),
  },
  directory: {
    select: 'SELECT * FROM directory',
    key: 'layer, id',
    among: `(layer, id) IN (SELECT ${BEFORE_COLON('value')}, ${BEHIND_COLON('value')} FROM json_each(?))`,
    insert: 'INSERT OR REPLACE INTO directory (layer, id, team_id, org_id, company_id) VALUES (?, ?, ?, ?, ?)',
    values: ({ layer, id, teamId, orgId, companyId }) => [layer, id, teamId, orgId, companyId],
    remove: `DELETE FROM directory WHERE layer = ${BEFORE_COLON('?1')} AND id = ${BEHIND_COLON('?1')}`,
    read: (row): DirectoryEntry => ({
      layer: row.layer as DirectoryEntry['layer'],
      id: row.id!,
      teamId: row.team_id ?? null,
      orgId: row.org_id ?? null,
      companyId: row.company_id ?? null,
    }),
  },
  token: {
    select: 'SELECT id, document FROM access_documents',
    key: 'id',
    among: 'id IN (SELECT value FROM json_each(?))',
    insert: 'INSERT OR REPLACE INTO access_documents (id, document) VALUES (?, ?)',
    values: (token) => [token.id, JSON.stringify(token)],
    remove: 'DELETE FROM access_documents WHERE id = ?',
    read: (row) => JSON.parse(row.document!) as AccessToken,
  },
}

/** The caller holds the write transaction. */
export function putDocument<Name extends Collection>(
  connection: Connection,
  collection: Name,
  document: Documents[Name],
): true {
  const { insert, values } = TABLES[collection]
  connection.run(insert, ...values(document))
  return true
}

export function removeDocument(connection: Connection, collection: Collection, key: string): boolean {
  return connection.run(TABLES[collection].remove, key).changes > 0
}

export function listDocuments<Name extends Collection>(
  connection: Connection,
  collection: Name,
  keys?: readonly string[],
): Documents[Name][] {
  const { select, key, among, read } = TABLES[collection]
  if (keys === undefined) return connection.map(read, `${select} ORDER BY ${key}`)
  return connection.map(read, `${select} WHERE ${among} ORDER BY ${key}`, JSON.stringify(keys))
}
