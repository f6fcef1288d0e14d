import { scopeOf } from '../../model/layer.ts'
import type { ChangedRow, NewRow } from '../commit.ts'
import type { Decision, MemoryWrite } from '../decide.ts'
import { COLUMN_NAMES, MEMORY_COLUMNS, toColumns, UPDATED_COLUMNS } from '../sql/memory-columns.ts'
import type { Queries } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { writeVector } from './row.ts'
import { scopeText } from './scopes.ts'
import { indexed } from './token-index.ts'

/** The columns of a memory in JSON, which keeps a commit of a thousand in one statement. */
const TYPES = {
  ...{ text: 'text', int: 'int', bigint: 'bigint', real: 'float8', flag: 'int', json: 'json', words: 'text[]' },
  session: 'text',
}
/** The values that the engine derives from a memory for the store's indexes. */
const DERIVED = { scope_id: 'text', scope_key: 'int', visible_until: 'text', tokens: 'text[]' }
const RECORD = `r(${[
  ...Object.entries(MEMORY_COLUMNS).map(([name, { type }]) => `${name} ${TYPES[type]}`),
  ...Object.entries(DERIVED).map(([name, type]) => `${name} ${type}`),
].join(', ')}, hash text, keeps boolean)`

const SESSION = '(SELECT s.id FROM sessions s WHERE s.key = r.session)'
const EMBEDDING = '(SELECT e.id FROM embeddings e WHERE e.model = $2::int AND e.hash = r.hash)'

const INSERTED = [...COLUMN_NAMES, ...Object.keys(DERIVED)]
const INSERT = `INSERT INTO memories (${INSERTED.join(', ')}, session_id, model, embedding_id)
  SELECT ${INSERTED.map((name) => `r.${name}`).join(', ')}, ${SESSION},
    CASE WHEN r.hash IS NOT NULL THEN $2::int END, ${EMBEDDING}
  FROM json_to_recordset($1::json) AS ${RECORD} ORDER BY r.ulid COLLATE "C"`

const UPDATED = [...UPDATED_COLUMNS, ...Object.keys(DERIVED)]
const UPDATE = `UPDATE memories m SET ${UPDATED.map((name) => `${name} = r.${name}`).join(', ')}, session_id = ${SESSION},
    model = CASE WHEN r.keeps THEN m.model WHEN r.hash IS NOT NULL THEN $2::int END,
    embedding_id = CASE WHEN r.keeps THEN m.embedding_id ELSE ${EMBEDDING} END
  FROM json_to_recordset($1::json) AS ${RECORD} WHERE m.ulid = r.ulid`

const EMBED = `INSERT INTO embeddings (model, hash, vector) SELECT $1::int, r.hash, r.vector::halfvec
  FROM unnest($2::text[], $3::text[]) AS r(hash, vector)
  ORDER BY r.hash COLLATE "C" ON CONFLICT (model, hash) DO NOTHING`
const REEMBED = `UPDATE memories m SET model = $2::int, embedding_id = ${EMBEDDING}
  FROM json_to_recordset($1::json) AS r(id text, hash text) WHERE m.ulid = r.id`
const RECALL = `UPDATE memories m SET recall_count = r."recallCount", last_recalled_at = r."lastRecalledAt"
  FROM json_to_recordset($1::json) AS r(id text, "recallCount" int, "lastRecalledAt" text) WHERE m.ulid = r.id`

/** Sends the writes of a decision's memories. Fails if another commit inserted one of them in the meantime. */
export function writeMemories(
  queries: Queries,
  model: CurrentModel,
  { memories }: Decision,
  scopes: ReadonlyMap<string, number>,
): Promise<unknown>[] {
  const sent: Promise<unknown>[] = []
  const send = (sql: string, rows: readonly unknown[], ...rest: readonly unknown[]) => {
    if (rows.length > 0) sent.push(queries.query(sql, [JSON.stringify(rows), ...rest]))
  }
  const of = <Kind extends MemoryWrite['kind']>(kind: Kind) =>
    memories.filter((write): write is Extract<MemoryWrite, { kind: Kind }> => write.kind === kind)
  const toRows = (writes: readonly { row: NewRow | ChangedRow }[]) => writes.map(({ row }) => toRecord(row, scopes))
  const embeds = of('embed').map(({ id, embedding }) => ({ id, hash: embedding.hash, vector: embedding.vector }))
  const embeddings = [...of('insert'), ...of('update')].flatMap(({ row }) => row.embedding ?? [])
  const vectors = new Map([...embeddings, ...embeds].map(({ hash, vector }) => [hash, writeVector(vector)]))
  if (vectors.size > 0) sent.push(queries.query(EMBED, [model.id, [...vectors.keys()], [...vectors.values()]]))
  send(INSERT, toRows(of('insert')), model.id)
  send(UPDATE, toRows(of('update')), model.id)
  const deleted = of('delete').map(({ id }) => id)
  if (deleted.length > 0) sent.push(queries.query('DELETE FROM memories WHERE ulid = ANY ($1::text[])', [deleted]))
  send(
    REEMBED,
    embeds.map(({ id, hash }) => ({ id, hash })),
    model.id,
  )
  // The last of several showings has the final count.
  send(RECALL, [...new Map(of('recall').map((recall) => [recall.id, recall])).values()])
  return sent
}

function toRecord(row: NewRow | ChangedRow, scopes: ReadonlyMap<string, number>): object {
  const { memory, visibleUntil, tokens, embedding } = row
  const place = scopeOf(memory.layer, memory.identifiers)
  const scope = scopes.get(scopeText(place))!
  return {
    ...toColumns(memory, (value) => value),
    scope_id: place.owner,
    scope_key: scope,
    visible_until: visibleUntil,
    tokens: tokens.map((token) => indexed(token, scope)),
    hash: embedding?.hash ?? null,
    keeps: embedding === undefined,
  }
}
