import { buildIndex, dropIndex, lookAtIndex } from './build-index.ts'
import type { Queries, SqlClient } from './client.ts'

/** The entries of the index that are read for each result: more improves recall and takes longer. */
export const PER_RESULT = 4
/** The results of an ordinary search. */
const ORDINARY = 40
/** pgvector's limit for an index of half-precision vectors. */
const MOST_DIMENSIONS = 4000
const LOOK_EVERY_MS = 60_000

/**
 * Whether a search of this many memories, out of `total`, is quicker through an index of all than by comparing only them. The index
 * mostly returns memories of other scopes if these are a small part.
 */
export function isWorthIndex(documents: number, total: number, limit: number, exactUpTo: number): boolean {
  if (documents <= exactUpTo) return false
  return exactUpTo === 0 || (total / documents) * limit * PER_RESULT <= documents
}

export interface Indexed {
  id: number
  indexed: boolean
  /** By `performance.now()`. */
  lookedAt: number
}

/** An index may be built or dropped while a process runs. Until it notices, its answers are right, but slower. */
export async function noticeIndex(queries: Queries, model: Indexed): Promise<void> {
  const now = performance.now()
  if (now - model.lookedAt < LOOK_EVERY_MS) return
  model.lookedAt = now
  model.indexed = (await lookAtIndex(queries, indexOf(model.id)))?.valid ?? false
}

const indexOf = (model: number) => `embeddings_hnsw_${model}`

interface Worth {
  id: number
  dimensions: number
  name: string
  /** Memories of the largest scope, or the vectors of the model if these are fewer. */
  largest: number
  total: number
}

/** Only the owner of a table may index it. */
const WORTH = `WITH own AS (SELECT key, sum(n) AS n FROM counts WHERE what = 'memories' GROUP BY key)
  SELECT m.id, m.dimensions, m.name, (SELECT coalesce(sum(n), 0)::float8 FROM own) AS total,
    least((SELECT max(n) FROM own), (SELECT sum(n) FROM counts WHERE what = 'vectors' AND key = m.id))::float8 AS largest
  FROM models m WHERE (SELECT pg_has_role(c.relowner, 'USAGE') FROM pg_class c WHERE c.oid = 'embeddings'::regclass) ORDER BY m.id`

/**
 * Builds the index of each model's vectors if the largest scope is worth it, again if a build was stopped, and drops one that is not worth
 * it any more. Returns what it did, or would do.
 */
export async function tendIndexes(
  client: SqlClient,
  exactUpTo: number,
  { dryRun, signal }: { dryRun: boolean; signal?: AbortSignal | undefined },
): Promise<string[]> {
  const done: string[] = []
  for (const { id, dimensions, name, largest, total } of await client.query<Worth>(WORTH)) {
    signal?.throwIfAborted()
    const index = indexOf(id)
    const found = await lookAtIndex(client, index)
    const isWorth = dimensions <= MOST_DIMENSIONS && isWorthIndex(largest, total, ORDINARY, exactUpTo)
    // One that exists stays until the largest scope is half as large, so that it is not built again and again.
    const stays = found !== undefined && isWorthIndex(2 * largest, total, ORDINARY, exactUpTo)
    if ((isWorth || stays) && !found?.valid) {
      if (dryRun || (await buildIndex(client, index, create(id, dimensions), { signal })))
        done.push(`build the index of ${name}`)
    } else if (found && !isWorth && !stays) {
      if (!dryRun) await dropIndex(client, index)
      done.push(`drop the index of ${name}`)
    }
  }
  return done
}

function create(id: number, dimensions: number): string {
  return `CREATE INDEX CONCURRENTLY ${indexOf(id)} ON embeddings USING hnsw ((vector::halfvec(${dimensions})) halfvec_cosine_ops)
    WITH (m = 24, ef_construction = 200) WHERE model = ${id}`
}
