import type { Health } from '../model/provider.ts'
import type { Core } from './core.ts'

/** Checks that the store answers, that its memories have vectors of the current model, and that the model answers. */
export async function checkHealth(core: Core): Promise<Health> {
  const { storage, model } = core
  const start = performance.now()
  const latencyMs = () => Math.round((performance.now() - start) * 100) / 100
  try {
    await storage.ping()
    const counts = await orBusy(count(core))
    if (counts === null) return { status: 'degraded', latencyMs: latencyMs(), problems: [BUSY] }
    const { others, missing, memories } = counts
    const index = (await storage.indexProblem?.()) ?? null
    const problems = [
      ...(index === null ? [] : [index]),
      ...(others.length === 0 ? [] : [modelChanged(others, model.name)]),
      ...(missing === 0 ? [] : [withoutVector(missing, memories)]),
      ...(core.embedder.failure === null ? [] : [`Embedding fails: ${core.embedder.failure}`]),
    ]
    return { status: problems.length === 0 ? 'healthy' : 'degraded', latencyMs: latencyMs(), problems }
  } catch (error) {
    return { status: 'unhealthy', latencyMs: latencyMs(), problems: [(error as Error).message] }
  }
}

const BUSY = 'The store answers, but it is too busy to be counted: all its connections may be in use.'
/** Below the 5 s that a readiness check usually waits. */
const COUNTING_MS = 4000

/** Null if it takes too long: a store that answers is ready, however busy. */
async function orBusy<T>(work: Promise<T>): Promise<T | null> {
  const timer = Promise.withResolvers<null>()
  const timeout = setTimeout(() => timer.resolve(null), COUNTING_MS)
  try {
    return await Promise.race([work, timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}

async function count(core: Core) {
  const { models, memories } = await core.storage.stats()
  const others = models.includes(core.model.name) ? [] : models
  const missing = memories === 0 || memories > MOST_COUNTED ? 0 : await countMissing(core)
  return { others, missing, memories }
}

/** Larger stores are not counted: some would have to read everything. */
const MOST_COUNTED = 100_000
/** If counting took longer than this, it is not repeated for this long. */
const [COSTLY_MS, KEPT_MS] = [20, 30_000]
const counted = new WeakMap<Core, { missing: number; until: number }>()

async function countMissing(core: Core): Promise<number> {
  const before = counted.get(core)
  if (before !== undefined && before.until > performance.now()) return before.missing
  const start = performance.now()
  const where = { embedded: false }
  const page = { order: 'oldest', limit: 1, after: null, count: true, vectors: false } as const
  const missing = (await core.storage.memories({ scopes: null, where, ...page })).totalCount ?? 0
  if (performance.now() - start > COSTLY_MS) counted.set(core, { missing, until: performance.now() + KEPT_MS })
  return missing
}

function withoutVector(missing: number, memories: number): string {
  const [have, are] = missing === 1 ? ['has', 'is'] : ['have', 'are']
  return `${missing} of ${memories} memories ${have} no vector yet and ${are} found and compared by words alone. 'nokosu serve', 'run' and 'mcp' create them, or run 'nokosu reembed'.`
}

function modelChanged(others: readonly string[], current: string): string {
  return `The memories were embedded with ${others.join(', ')}, and the model is now ${current}. Run 'nokosu reembed'.`
}
