import type { VectorModel } from '../storage.ts'
import type { SqlClient } from './client.ts'
import { LOCKS } from './migrate.ts'

/** The model this handle was initialized with: its vectors are stored, compared and returned. */
export interface CurrentModel extends VectorModel {
  id: number
  indexed: boolean
}

/** pgvector's limit for an index of half-precision vectors. */
const MOST_DIMENSIONS = 4000

/** Looks up the model's number. The first process to use a model creates its index, while it is still empty. */
export async function ensureModel(client: SqlClient, { name, dimensions }: VectorModel): Promise<CurrentModel> {
  const find = 'SELECT id FROM models WHERE name = $1 AND dimensions = $2'
  const indexed = dimensions <= MOST_DIMENSIONS
  const [known] = await client.query<{ id: number }>(find, [name, dimensions])
  if (known) return { name, dimensions, id: known.id, indexed }
  const id = await client.transaction(async (queries) => {
    await queries.query(`SELECT pg_advisory_xact_lock(${LOCKS.migrate})`)
    const [other] = await queries.query<{ id: number }>(find, [name, dimensions])
    if (other) return other.id
    const [made] = await queries.query<{ id: number }>(
      'INSERT INTO models (name, dimensions) VALUES ($1, $2) RETURNING id',
      [name, dimensions],
    )
    if (indexed) await queries.script(createIndex(made!.id, dimensions))
    return made!.id
  })
  return { name, dimensions, id, indexed }
}

function createIndex(id: number, dimensions: number): string {
  return `CREATE INDEX embeddings_hnsw_${id} ON embeddings USING hnsw ((vector::halfvec(${dimensions})) halfvec_cosine_ops)
    WITH (m = 24, ef_construction = 200) WHERE model = ${id}`
}
