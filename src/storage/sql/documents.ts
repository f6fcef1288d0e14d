import type { Collection, Documents } from '../documents.ts'
import { join, raw, type Sql, sql } from './sql.ts'

interface DocumentTable {
  table: string
  /** Columns by name, with the field each holds. `null`: the whole document, as JSON. */
  columns: Record<string, string | null>
  key: readonly string[]
  json: string | null
}

const TABLES: Record<Collection, DocumentTable> = {
  personality: {
    table: 'personalities',
    columns: {
      agent_name: 'agentName',
      display_name: 'displayName',
      persona: 'persona',
      traits: 'traits',
      communication_style: 'communicationStyle',
      updated_at: 'updatedAt',
    },
    key: ['agent_name'],
    json: 'traits',
  },
  directory: {
    table: 'directory',
    columns: { layer: 'layer', id: 'id', team_id: 'teamId', org_id: 'orgId', company_id: 'companyId' },
    key: ['layer', 'id'],
    json: null,
  },
  token: { table: 'access_documents', columns: { id: 'id', document: null }, key: ['id'], json: 'document' },
}

export function putDocument<Name extends Collection>(collection: Name, document: Documents[Name]): Sql {
  const { table, columns, key, json } = TABLES[collection]
  const names = Object.keys(columns)
  const values = Object.entries(columns).map(([name, field]) => {
    const value = field === null ? document : document[field as keyof Documents[Name]]
    return sql`${name === json ? JSON.stringify(value) : value}`
  })
  const rest = names.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`)
  return sql`INSERT INTO ${raw(table)} (${raw(names.join(', '))}) VALUES (${join(values, ', ')})
    ON CONFLICT (${raw(key.join(', '))}) DO UPDATE SET ${raw(rest.join(', '))}`
}

export function removeDocument(collection: Collection, key: string): Sql {
  return sql`DELETE FROM ${raw(TABLES[collection].table)} WHERE ${among(collection, [key])}`
}

export function selectDocuments(collection: Collection, keys?: readonly string[]): Sql {
  const { table, columns, key } = TABLES[collection]
  const where = keys === undefined ? raw('') : sql` WHERE ${keys.length === 0 ? raw('1 = 0') : among(collection, keys)}`
  return sql`SELECT ${raw(Object.keys(columns).join(', '))} FROM ${raw(table)}${where} ORDER BY ${raw(key.join(', '))}`
}

/** `unpack` parses a JSON column. */
export function toDocument<Name extends Collection>(
  collection: Name,
  row: Record<string, unknown>,
  unpack: (value: unknown) => unknown,
): Documents[Name] {
  const { columns, json } = TABLES[collection]
  const read = (name: string) => (name === json ? unpack(row[name]) : row[name])
  const whole = Object.keys(columns).find((name) => columns[name] === null)
  if (whole) return read(whole) as Documents[Name]
  return Object.fromEntries(
    Object.entries(columns).map(([name, field]) => [field, read(name)]),
  ) as unknown as Documents[Name]
}

/** A key of two columns is written as `layer:id`: see `directoryKey`. */
function among(collection: Collection, keys: readonly string[]): Sql {
  const { key } = TABLES[collection]
  if (key.length === 1) {
    const values = keys.map((each) => sql`${each}`)
    return sql`${raw(key[0]!)} IN (${join(values, ', ')})`
  }
  const values = keys.map((each) => {
    const cut = each.indexOf(':')
    return sql`(${each.slice(0, cut)}, ${each.slice(cut + 1)})`
  })
  return sql`(${raw(key.join(', '))}) IN (VALUES ${join(values, ', ')})`
}
