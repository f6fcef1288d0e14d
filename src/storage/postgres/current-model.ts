import type { VectorModel } from '../storage.ts'
import type { SqlClient } from './client.ts'
import { type Indexed, noticeIndex } from './vector-index.ts'

/** The model this handle was initialized with: its vectors are stored, compared and returned. */
export interface CurrentModel extends VectorModel, Indexed {
  id: number
}

/** Looks up the model's number, and gives it one the first time. */
export async function ensureModel(client: SqlClient, { name, dimensions }: VectorModel): Promise<CurrentModel> {
  const find = 'SELECT id FROM models WHERE name = $1 AND dimensions = $2'
  const look = async () => (await client.query<{ id: number }>(find, [name, dimensions]))[0]
  const known = await look()
  if (!known) {
    await client.query('INSERT INTO models (name, dimensions) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      name,
      dimensions,
    ])
  }
  const { id } = known ?? (await look())!
  const model = { name, dimensions, id, indexed: false, lookedAt: Number.NEGATIVE_INFINITY }
  await noticeIndex(client, model)
  return model
}
