import type { Commit } from '../storage/commit.ts'
import { withMethods } from '../storage/handle.ts'
import type { Storage } from '../storage/storage.ts'

/** Called with the number of memories that a commit would add, change or delete. If it throws, nothing is stored. */
export type BeforeWrite = (memories: number) => Promise<void>

const COUNTED: ReadonlySet<string> = new Set(['insert', 'update', 'delete'])

/** The store for a caller whose writes are counted. */
export function meteredStorage(storage: Storage, beforeWrite: BeforeWrite): Storage {
  const commit = async (given: Commit, signal?: AbortSignal) => {
    const memories = given.writes.filter(({ kind }) => COUNTED.has(kind)).length
    if (memories > 0) await beforeWrite(memories)
    return storage.commit(given, signal)
  }
  return withMethods(storage, { commit })
}
