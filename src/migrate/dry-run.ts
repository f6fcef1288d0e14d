import { withRetry } from '../model/retry.ts'
import { COLLECTIONS } from '../storage/documents.ts'
import type { StoredMemory } from '../storage/memory-query.ts'
import type { Difference, Finding } from './findings.ts'
import { documents, EVENTS, HISTORY, INJECTIONS, KINDS, type Kind, memories, SESSIONS } from './kinds.ts'
import type { MigrateOptions } from './migrate.ts'
import type { Obstacle } from './obstacles.ts'
import { type Pass, reconcile } from './reconcile.ts'
import { Target } from './target.ts'

export interface Plan {
  kinds: Record<Kind, { source: number; target: number; toMove: number }>
  obstacles: Obstacle[]
}

/** Reads both stores like a round, and writes nothing. */
export async function planMigration(options: Omit<MigrateOptions, 'journal'>): Promise<Plan> {
  const { source, vectors, signal, retry, onProgress } = options
  const attempt = <T>(work: () => Promise<T>) => withRetry(retry, work)
  const target = new Target(options.target, { attempt, signal })
  const findings = new Map<Kind, Finding>()
  const pass: Pass = { source, target, vectors, attempt, signal, findings, onProgress }
  const toMove = new Map<Kind, number>()
  const count = async (batch: readonly Difference<unknown>[]) => {
    for (const { facts, theirs } of batch) {
      for (const { kind, digest } of facts) {
        if (theirs.get(kind) !== digest) toMove.set(kind, (toMove.get(kind) ?? 0) + 1)
      }
    }
  }
  const { maxContentLength } = options.target.capabilities
  let tooLong = 0
  for (const collection of COLLECTIONS) await reconcile(pass, documents(collection), count)
  await reconcile(pass, SESSIONS, count)
  await reconcile<StoredMemory>(pass, memories(vectors), async (batch) => {
    tooLong += batch.filter(({ item }) => item.memory.content.length > maxContentLength).length
    await count(batch)
  })
  await reconcile(pass, HISTORY, count)
  await reconcile(pass, INJECTIONS, count)
  await reconcile(pass, EVENTS, count)
  const kinds = KINDS.filter((kind) => findings.has(kind)).map((kind) => {
    const { source: own, target: theirs } = findings.get(kind)!
    return [kind, { source: own.count, target: theirs.count, toMove: toMove.get(kind) ?? 0 }]
  })
  const obstacles: Obstacle[] = []
  if (tooLong > 0) {
    obstacles.push({
      code: 'CONTENT_TOO_LONG',
      message: `${tooLong} of the memories are longer than the ${maxContentLength} characters that the target accepts.`,
      hint: 'They are listed and left out. Everything else is moved.',
    })
  }
  return { kinds: Object.fromEntries(kinds), obstacles }
}
