import { MemoryError } from '../model/errors.ts'
import { DEFAULT_RETRY, withRetry } from '../model/retry.ts'
import type { Storage, VectorModel } from '../storage/storage.ts'
import { type Plan, planMigration } from './dry-run.ts'
import { Journal } from './journal.ts'
import { type MigrateOptions, type Migration, migrate } from './migrate.ts'
import { claimTarget, findObstacles, type Obstacle, obstacleError, SAME_STORE } from './obstacles.ts'

export interface BeginOptions extends Omit<MigrateOptions, 'journal' | 'retry'> {
  retry?: Partial<MigrateOptions['retry']>
  model: VectorModel
  merge: boolean
  /** The same for every run of this migration. */
  id: string
  /** Where its journal is kept; null: nowhere. */
  journal: string | null
  /** Both are known to be the same store. */
  isSame: boolean
  /** The target does not exist yet. */
  isNew: boolean
}

/** Moves a store, or resumes moving it. Opens the storages; the caller closes them. */
export async function beginMigration(options: BeginOptions): Promise<Migration> {
  const { source, target, model } = options
  if (options.isSame) throw obstacleError(SAME_STORE)
  const retry = { ...DEFAULT_RETRY, ...options.retry }
  await withRetry(retry, () => source.initialize(model))
  await withRetry(retry, () => target.initialize(model))
  const ends = endsOf(options, target)
  const { obstacles, fresh } = await withRetry(retry, () => findObstacles(ends))
  if (obstacles[0]) throw obstacleError(obstacles[0])
  await withRetry(retry, () => claimTarget(ends))
  const journal = await Journal.open(options.journal, { fresh })
  return migrate({ ...options, journal, retry })
}

/** What would be moved, and what prevents it. Does not create a missing target. */
export async function planBeginning(options: BeginOptions): Promise<Plan> {
  const { source, model } = options
  await source.initialize(model)
  const { target, obstacle } = await lookAt(options)
  const { obstacles } = options.isSame ? { obstacles: [SAME_STORE] } : await findObstacles(endsOf(options, target))
  const plan = await planMigration({ ...options, target, retry: { ...DEFAULT_RETRY, ...options.retry } })
  return { ...plan, obstacles: [...(obstacle ? [obstacle] : []), ...obstacles, ...plan.obstacles] }
}

/** An empty store stands in for a missing one. */
async function lookAt({ target, model, isNew }: BeginOptions): Promise<{ target: Storage; obstacle?: Obstacle }> {
  const { referenceStorage } = await import('../storage/reference/reference-storage.ts')
  const none = referenceStorage({ mode: target.capabilities })
  await none.initialize(model)
  if (isNew) return { target: none }
  try {
    await target.initialize(model)
    return { target }
  } catch (error) {
    if (!MemoryError.is(error) || error.code !== 'CONFIGURATION_ERROR') throw error
    const { code, message, details } = error
    return { target: none, obstacle: { code, message, hint: typeof details.hint === 'string' ? details.hint : '' } }
  }
}

function endsOf({ source, model, vectors, merge, id }: BeginOptions, target: Storage) {
  return { source, target, model: model.name, vectors, merge, mark: `migration:${id}` }
}
