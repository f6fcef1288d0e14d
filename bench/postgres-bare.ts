import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { dot } from '../src/vector/dot.ts'
import { DIMENSIONS, Synthetic } from './synthetic.ts'

/** As many candidates as the engine reads, which is more than it returns. */
const CANDIDATES = 40

/**
 * The bare peer with `pg` and pgvector, as somebody would write it who knows both: a table of memories with indexes for time, words (a stored
 * tsvector) and meaning (HNSW with the engine's parameters), a history row for each, and a key that makes repeated writes idempotent.
 */
const TABLES = `CREATE TABLE bare_memories (
  id text PRIMARY KEY, project text NOT NULL, content text NOT NULL, metadata json NOT NULL, created_at text NOT NULL,
  words tsvector GENERATED ALWAYS AS (to_tsvector('simple', content)) STORED, vector halfvec(${DIMENSIONS}) NOT NULL);
CREATE INDEX ON bare_memories (project, created_at, id);
CREATE INDEX ON bare_memories USING gin (words);
CREATE TABLE bare_changes (memory text, version int, after json, PRIMARY KEY (memory, version));
CREATE TABLE bare_keys (key text PRIMARY KEY);
INSERT INTO bare_memories (id, project, content, metadata, created_at, vector) SELECT m.ulid, m.scope_id, m.observation, m.metadata, m.created_at, e.vector
  FROM memories m JOIN embeddings e ON e.id = m.embedding_id;
CREATE INDEX ON bare_memories USING hnsw (vector halfvec_cosine_ops) WITH (m = 24, ef_construction = 200);
VACUUM ANALYZE`.split(';')

export async function bareClient(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`SET maintenance_work_mem = '512MB'; SET hnsw.ef_search = 120; SET jit = off`)
  const synthetic = new Synthetic(77)
  const write = (vector: Float32Array) => `[${vector.join(',')}]`

  return {
    /** What the server does by itself within a minute. */
    async analyze(): Promise<void> {
      await client.query('ANALYZE')
    },
    async copyAll(): Promise<void> {
      for (const statement of TABLES) await client.query(statement)
    },
    async add(contents: readonly string[]): Promise<void> {
      const at = new Date().toISOString()
      const items = contents.map((content) => ({
        id: randomUUID(),
        content,
        vector: write(synthetic.clustered()),
      }))
      await client.query('BEGIN')
      await client.query('INSERT INTO bare_keys VALUES ($1)', [randomUUID()])
      await client.query(
        `INSERT INTO bare_memories (id, project, content, metadata, created_at, vector) SELECT r.id, 'bench', r.content, '{}', $2, r.vector
         FROM json_to_recordset($1::json) AS r(id text, content text, vector halfvec)`,
        [JSON.stringify(items), at],
      )
      const states = items.map(({ id, content }) => ({ id, content, at }))
      await client.query(`INSERT INTO bare_changes SELECT r->>'id', 1, r FROM json_array_elements($1::json) AS r`, [
        JSON.stringify(states),
      ])
      await client.query('COMMIT')
    },
    async list(limit: number): Promise<unknown> {
      const page = `SELECT id, content, metadata, created_at FROM bare_memories WHERE project = 'bench' ORDER BY created_at DESC, id DESC LIMIT ${limit}`
      const { rows } = await client.query(page)
      const count = await client.query(`SELECT count(*) FROM bare_memories WHERE project = 'bench'`)
      return { rows, count }
    },
    async search(vector: Float32Array, limit: number): Promise<unknown> {
      const { rows } = await client.query<{ id: string; vector: string }>(
        `SELECT id, content, metadata, created_at, vector::text FROM bare_memories WHERE project = 'bench'
         ORDER BY vector <=> $1::halfvec LIMIT ${CANDIDATES}`,
        [write(vector)],
      )
      return rows
        .map((row) => ({ ...row, score: dot(vector, Float32Array.from(JSON.parse(row.vector) as number[])) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, limit)
    },
    /** The same, plus the best results of PostgreSQL's text search. */
    async searchBoth(vector: Float32Array, text: string, limit: number): Promise<unknown> {
      const any = text.split(' ').join(' | ')
      const { rows } = await client.query<{ id: string; vector: string; rank: number }>(
        `WITH near AS (SELECT id FROM bare_memories WHERE project = 'bench' ORDER BY vector <=> $1::halfvec LIMIT ${CANDIDATES}),
           worded AS (SELECT id FROM bare_memories WHERE project = 'bench' AND words @@ to_tsquery('simple', $2)
             ORDER BY ts_rank(words, to_tsquery('simple', $2)) DESC LIMIT ${CANDIDATES})
         SELECT id, content, metadata, created_at, vector::text,
           ts_rank(words, to_tsquery('simple', $2)) AS rank
         FROM bare_memories WHERE id IN (SELECT id FROM near UNION SELECT id FROM worded)`,
        [write(vector), any],
      )
      return rows
        .map((row) => ({
          ...row,
          score: row.rank + dot(vector, Float32Array.from(JSON.parse(row.vector) as number[])),
        }))
        .sort((a, b) => b.score - a.score)
        .slice(0, limit)
    },
    close: () => client.end(),
  }
}
