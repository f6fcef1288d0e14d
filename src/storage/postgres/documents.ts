import type { Personality } from '../../model/personality.ts'
import type { AccessToken, DirectoryEntry } from '../../model/records.ts'
import type { Collection, Documents } from '../documents.ts'
import type { Queries } from './client.ts'

interface DocumentTable<Document> {
  table: string
  columns: readonly string[]
  /** How many of the columns make the key. */
  keys: number
  /** The key of a row, as the contract writes it. */
  key: string
  values(document: Document): unknown[]
  read(row: Record<string, unknown>): Document
}

const TABLES: { [Name in Collection]: DocumentTable<Documents[Name]> } = {
  personality: {
    table: 'personalities',
    columns: ['agent_name', 'display_name', 'persona', 'traits', 'communication_style', 'updated_at'],
    keys: 1,
    key: 'agent_name',
    values: ({ agentName, displayName, persona, traits, communicationStyle, updatedAt }) => [
      ...[agentName, displayName, persona, JSON.stringify(traits), communicationStyle, updatedAt],
    ],
    read: (row) =>
      ({
        agentName: row.agent_name,
        displayName: row.display_name,
        persona: row.persona,
        traits: row.traits,
        communicationStyle: row.communication_style,
        updatedAt: row.updated_at,
      }) as Personality,
  },
  directory: {
    table: 'directory',
    columns: ['layer', 'id', 'team_id', 'org_id', 'company_id'],
    keys: 2,
    // See directoryKey.
    key: `(layer || ':' || id)`,
    values: ({ layer, id, teamId, orgId, companyId }) => [layer, id, teamId, orgId, companyId],
    read: (row) =>
      ({
        layer: row.layer,
        id: row.id,
        teamId: row.team_id,
        orgId: row.org_id,
        companyId: row.company_id,
      }) as DirectoryEntry,
  },
  token: {
    table: 'access_documents',
    columns: ['id', 'document'],
    keys: 1,
    key: 'id',
    values: (token) => [token.id, JSON.stringify(token)],
    read: (row) => row.document as AccessToken,
  },
}

/** Replaces the document. The caller holds the transaction. */
export async function putDocument<Name extends Collection>(
  queries: Queries,
  collection: Name,
  document: Documents[Name],
): Promise<true> {
  const { table, columns, keys, values } = TABLES[collection]
  const rest = columns.slice(keys).map((column) => `${column} = EXCLUDED.${column}`)
  await queries.query(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_, i) => `$${i + 1}`).join(', ')})
     ON CONFLICT (${columns.slice(0, keys).join(', ')}) DO UPDATE SET ${rest.join(', ')}`,
    values(document),
  )
  return true
}

export async function removeDocument(queries: Queries, collection: Collection, key: string): Promise<boolean> {
  const { table, key: own } = TABLES[collection]
  return (await queries.query(`DELETE FROM ${table} WHERE ${own} = $1 RETURNING 1 AS one`, [key])).length > 0
}

export async function listDocuments<Name extends Collection>(
  queries: Queries,
  collection: Name,
  keys?: readonly string[],
): Promise<Documents[Name][]> {
  const { table, columns, key, read } = TABLES[collection]
  const among = keys === undefined ? '' : `WHERE ${key} = ANY ($1::text[])`
  const rows = await queries.query<Record<string, unknown>>(
    `SELECT ${columns.join(', ')} FROM ${table} ${among} ORDER BY ${key}`,
    keys === undefined ? [] : [keys],
  )
  return rows.map(read)
}
