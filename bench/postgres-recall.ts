import type { Storage } from '../src/storage/storage.ts'
import { dot } from '../src/vector/dot.ts'
import { TopK } from '../src/vector/top-k.ts'
import { PROJECT, Synthetic } from './synthetic.ts'

const QUERIES = 50
const NEAREST = 40
/** Questions that nothing was tuned on. */
const SKIPPED = 250_000

/** Index among the filled memories. */
const numberOf = (id: string) => Number(id.slice('01BENCH'.length))

/**
 * The share of the true nearest that a search of the store finds, for questions on its topics (the filling's seed has the
 * same ones) and on others. The truth is a full scan here.
 */
export async function measureRecall(
  storage: Storage,
  vectors: readonly Float32Array[],
  seed: number,
): Promise<{ ofTopics: number; besides: number }> {
  return {
    ofTopics: await share(storage, vectors, new Synthetic(seed)),
    besides: await share(storage, vectors, new Synthetic(seed + 1)),
  }
}

async function share(storage: Storage, vectors: readonly Float32Array[], synthetic: Synthetic): Promise<number> {
  for (let i = 0; i < SKIPPED; i++) synthetic.number()
  const scopes = [{ layer: 'project', owner: PROJECT.projectId, projects: [null] } as const]
  let found = 0
  for (let i = 0; i < QUERIES; i++) {
    const vector = synthetic.clustered()
    const best = new TopK(NEAREST)
    for (const [number, each] of vectors.entries()) best.offer(number, dot(vector, each))
    const truth = new Set(best.sorted().map(({ key }) => key))
    const [answer] = await storage.search([{ scopes, where: {}, vector, tokens: [], limit: NEAREST }])
    found += answer!.candidates.filter(({ memory }) => truth.has(numberOf(memory.id))).length
  }
  return found / QUERIES / NEAREST
}
