import { type ErrorCode, MemoryError } from '../model/errors.ts'
import { COLLECTIONS } from '../storage/documents.ts'
import type { Storage } from '../storage/storage.ts'

/** What prevents a migration, and what to do about it. */
export interface Obstacle {
  code: ErrorCode
  message: string
  hint: string
}

export function obstacleError({ code, message, hint }: Obstacle): MemoryError {
  return new MemoryError(code, message, { details: { hint } })
}

export const SAME_STORE: Obstacle = {
  code: 'INVALID_INPUT',
  message: '--from and --to are the same store.',
  hint: 'Give another store with --to.',
}

export interface Endpoints {
  source: Storage
  target: Storage
  /** Vectors of the configured model. */
  model: string
  vectors: boolean
  merge: boolean
  /** A once-key that this migration writes to its target. */
  mark: string
}

/** `fresh`: the target is empty. */
export async function findObstacles(ends: Endpoints): Promise<{ obstacles: Obstacle[]; fresh: boolean }> {
  const { source, target, merge, mark } = ends
  const fresh = await isEmpty(target)
  const isResumed = (await target.known([mark])).size > 0
  const obstacles: Obstacle[] = []
  if ((await source.known([mark])).size > 0) obstacles.push(SAME_STORE)
  else if (!fresh && !isResumed && !merge) {
    obstacles.push({
      code: 'INVALID_INPUT',
      message: 'The target is not empty.',
      hint: '--merge keeps what it has and adds what it lacks.',
    })
  }
  if (await isEmpty(source)) {
    obstacles.push({
      code: 'INVALID_INPUT',
      message: 'The source is empty: there is nothing to move.',
      hint: "'nokosu doctor' shows which store is in use.",
    })
  }
  if (ends.vectors) obstacles.push(...(await findOtherModels(ends)))
  return { obstacles, fresh }
}

/** Vectors of different models are never compared, and only those of the configured one are read. */
async function findOtherModels({ source, target, model }: Endpoints): Promise<Obstacle[]> {
  const ends = [
    { name: 'source', storage: source },
    { name: 'target', storage: target },
  ]
  const found: Obstacle[] = []
  for (const { name, storage } of ends) {
    const { models } = await storage.stats()
    if (models.length === 0 || models.includes(model)) continue
    found.push({
      code: 'CONFIGURATION_ERROR',
      message: `The vectors of the ${name} come from ${models.join(', ')}, but the configured model is ${model}.`,
      hint: "Set 'embedding' to that model. Or leave the vectors behind with --no-vectors, and run 'nokosu reembed' on the target.",
    })
  }
  return found
}

async function isEmpty(storage: Storage): Promise<boolean> {
  const { memories, sessions } = await storage.stats()
  if (memories + sessions > 0) return false
  const page = { after: null, limit: 1 }
  const lists = [
    () => storage.changes({ memory: null, ...page }),
    () => storage.injections({ session: null, memory: null, ...page }),
    () => storage.events({ any: null, ...page }),
    ...COLLECTIONS.map((name) => async () => ({ items: await storage.documents(name) })),
  ]
  for (const read of lists) if ((await read()).items.length > 0) return false
  return true
}

/** Writes the key to the target, and checks whether it appears in the source: two URLs may name one store. */
export async function claimTarget({ source, target, mark }: Endpoints): Promise<void> {
  const write = { kind: 'mark', memory: 'migration', once: [mark] } as const
  await target.commit({ key: mark, at: new Date().toISOString(), by: 'migrate', writes: [write] })
  if ((await source.known([mark])).size > 0) throw obstacleError(SAME_STORE)
}
