import { MemoryError } from '../model/errors.ts'
import type { Identifiers } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import type { Commit } from '../storage/commit.ts'
import { withMethods } from '../storage/handle.ts'
import type { Storage } from '../storage/storage.ts'
import { isWithin } from './within.ts'

/**
 * The store for a caller that may read more than it may change. Every change to a memory goes through a commit, so the bound is
 * enforced here, once, and not in each operation.
 */
export function boundedStorage(storage: Storage, bound: Identifiers): Storage {
  const commit = async (given: Commit, signal?: AbortSignal) => {
    const removed = given.writes.flatMap((write) => (write.kind === 'delete' ? [write.id] : []))
    const stored = removed.length === 0 ? [] : (await storage.get(removed)).map(({ memory }) => memory)
    const written = given.writes.flatMap((write) => ('row' in write ? [write.row.memory] : []))
    for (const memory of [...written, ...stored]) if (!isWithin(bound, memory)) throw outside(memory, bound)
    return storage.commit(given, signal)
  }
  return withMethods(storage, { commit })
}

function outside({ id, layer }: Memory, bound: Identifiers): MemoryError {
  const own = Object.entries(bound).map(([name, value]) => `${name} ${value}`)
  return new MemoryError(
    'UNAUTHORIZED',
    `This caller is bound to ${own.join(', ')}: it may read memories of the ${layer} layer, but not change them.`,
    { details: { id, layer } },
  )
}
