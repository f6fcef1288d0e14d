import { jsonOr } from '../../text/json.ts'
import { memoryTokens } from '../../text/tokens.ts'
import type { Connection } from './connection.ts'

/** Characters that FTS5 treats as token characters: ASCII letters and digits, and everything beyond ASCII. */
const PLAIN = /^[a-z0-9\u0080-\uffff]*$/
const OTHER = /[^a-z0-9\u0080-\uffff]/g

/**
 * The index term for a token of a scope. The token comes first, so that terms of all scopes can be found by prefix;
 * `scope` is then empty.
 */
export function indexed(token: string, scope: number | ''): string {
  const plain = PLAIN.test(token)
    ? token
    : token.replace(OTHER, (character) => `~${character.charCodeAt(0).toString(16)}~`)
  return `${plain}_${scope}`
}

/** The caller holds the write transaction. */
export function indexTokens(connection: Connection, id: number, scope: number, tokens: readonly string[]): void {
  const text = tokens.map((token) => indexed(token, scope)).join(' ')
  connection.run('INSERT INTO memory_tokens (rowid, tokens) VALUES (?, ?)', id, text)
}

export function unindexTokens(connection: Connection, id: number): void {
  connection.run('DELETE FROM memory_tokens WHERE rowid = ?', id)
}

export function hasUnindexed(connection: Connection): boolean {
  return connection.get('SELECT 1 FROM unindexed_memories LIMIT 1') !== undefined
}

interface TextRow {
  id: number
  scope_key: number
  observation: string
  service: string | null
  tags: string
}
const TEXT = 'm.id, m.scope_key, m.observation, m.service, m.tags'

/** Indexes rows that other tools inserted, changed or deleted. The caller holds the write transaction. */
export function indexForeignRows(connection: Connection): void {
  if (!hasUnindexed(connection)) return
  for (const { id } of connection.all<{ id: number }>('SELECT id FROM unindexed_memories')) {
    unindexTokens(connection, id)
    const row = connection.get<TextRow>(`SELECT ${TEXT} FROM memories m WHERE m.id = ?`, id)
    if (row) indexText(connection, row)
  }
  connection.run('DELETE FROM unindexed_memories')
}

function indexText(connection: Connection, { id, scope_key, observation, service, tags }: TextRow): void {
  indexTokens(connection, id, scope_key, memoryTokens({ content: observation, service, tags: readTags(tags) }))
}

/** Damaged tags must not stop the text from being indexed, or the file from opening. */
function readTags(json: string): string[] {
  const tags = jsonOr(json, null)
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
}
