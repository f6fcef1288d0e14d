import { scopeOf } from '../../model/layer.ts'
import type { Queries } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import type { Decision, RowToWrite } from './decide.ts'
import { toColumns, writeVector } from './row.ts'
import { indexed } from './token-index.ts'

/** How the columns of a memory travel as JSON, which keeps a commit of a thousand in one statement. */
const TYPES = {
  ulid: 'text',
  observation: 'text',
  scope: 'text',
  identifiers: 'json',
  category: 'text',
  service: 'text',
  source: 'text',
  tags: 'text[]',
  metadata: 'json',
  anchor: 'text',
  importance: 'float8',
  confidence: 'float8',
  active: 'int',
  decayed_weeks: 'int',
  tier: 'int',
  trust: 'text',
  links: 'json',
  thread_id: 'text',
  thread_index: 'bigint',
  occurred_at: 'text',
  expires_at: 'text',
  created_at: 'text',
  updated_at: 'text',
  version: 'int',
  scope_id: 'text',
  scope_key: 'int',
  visible_until: 'text',
  tokens: 'text[]',
} as const
const COLUMNS = Object.keys(TYPES)
const RECORD = `r(${Object.entries(TYPES)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ')}, session text, recall_count int, last_recalled_at text, hash text, keeps boolean)`

const SESSION = '(SELECT s.id FROM sessions s WHERE s.key = r.session)'
const EMBEDDING = '(SELECT e.id FROM embeddings e WHERE e.model = $2::int AND e.hash = r.hash)'

const INSERT = `INSERT INTO memories (${COLUMNS.join(', ')}, recall_count, last_recalled_at, session_id, model, embedding_id)
  SELECT ${COLUMNS.map((name) => `r.${name}`).join(', ')}, r.recall_count, r.last_recalled_at, ${SESSION},
    CASE WHEN r.hash IS NOT NULL THEN $2::int END, ${EMBEDDING}
  FROM json_to_recordset($1::json) AS ${RECORD} ORDER BY r.ulid COLLATE "C"`

/** An update leaves alone which memory it is, and how often it was recalled. */
const UPDATE = `UPDATE memories m SET ${COLUMNS.slice(1)
  .map((name) => `${name} = r.${name}`)
  .join(', ')}, session_id = ${SESSION},
    model = CASE WHEN r.keeps THEN m.model WHEN r.hash IS NOT NULL THEN $2::int END,
    embedding_id = CASE WHEN r.keeps THEN m.embedding_id ELSE ${EMBEDDING} END
  FROM json_to_recordset($1::json) AS ${RECORD} WHERE m.ulid = r.ulid`

const EMBED = `INSERT INTO embeddings (model, hash, vector) SELECT $1::int, r.hash, r.vector::halfvec
  FROM unnest($2::text[], $3::text[]) AS r(hash, vector)
  WHERE NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.model = $1::int AND e.hash = r.hash)
  ORDER BY r.hash COLLATE "C" ON CONFLICT (model, hash) DO NOTHING`
const REEMBED = `UPDATE memories m SET model = $2::int, embedding_id = ${EMBEDDING}
  FROM json_to_recordset($1::json) AS r(id text, hash text) WHERE m.ulid = r.id`
const RECALL = `UPDATE memories m SET recall_count = r.count, last_recalled_at = r.at
  FROM json_to_recordset($1::json) AS r(memory text, count int, at text) WHERE m.ulid = r.memory`

/** Sends what writes the memories of a decision. One that somebody inserted meanwhile makes it fail. */
export function writeMemories(queries: Queries, model: CurrentModel, decision: Decision): Promise<unknown>[] {
  const { inserts, updates, deletes, embeds, embeddings, recalls } = decision
  const sent: Promise<unknown>[] = []
  const send = (sql: string, values: readonly unknown[]) => sent.push(queries.query(sql, values))
  if (embeddings.size > 0) send(EMBED, [model.id, [...embeddings.keys()], [...embeddings.values()].map(writeVector)])
  if (inserts.length > 0) send(INSERT, [JSON.stringify(inserts.map(toRecord)), model.id])
  if (updates.length > 0) send(UPDATE, [JSON.stringify(updates.map(toRecord)), model.id])
  if (deletes.length > 0) send('DELETE FROM memories WHERE ulid = ANY ($1::text[])', [deletes])
  if (embeds.length > 0) send(REEMBED, [JSON.stringify(embeds), model.id])
  if (recalls.size > 0) send(RECALL, [JSON.stringify([...recalls.values()])])
  return sent
}

function toRecord({ row, scope }: RowToWrite): object {
  const { memory, visibleUntil, tokens, embedding } = row
  return {
    ...toColumns(memory),
    scope_id: scopeOf(memory.layer, memory.identifiers).owner,
    scope_key: scope,
    visible_until: visibleUntil,
    tokens: tokens.map((token) => indexed(token, scope)),
    hash: embedding?.hash ?? null,
    keeps: embedding === undefined,
  }
}
