import type { Commit, CommitResult, Write } from '../../../src/storage/commit.ts'
import { type ReferenceData, referenceData } from '../../../src/storage/reference/data.ts'
import { referenceStorage } from '../../../src/storage/reference/reference-storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import type { ConformanceTarget } from '../../../src/testing/conformance/store-under-test.ts'

/** Faulty methods over a correct handle, and the data that all handles share. */
export type Fault = (right: Storage, data: ReferenceData) => Partial<Storage>

/** The reference store with one fault that the conformance suite must find. */
export interface BrokenBackend {
  /** The fault. */
  title: string
  fault: Fault
}

export function broken(title: string, fault: Fault): BrokenBackend {
  return { title, fault }
}

/** A fault in applying commits. */
export function brokenCommit(
  title: string,
  commit: (right: Storage['commit'], given: Commit, data: ReferenceData) => Promise<CommitResult>,
): BrokenBackend {
  return broken(title, (right, data) => ({ commit: (given) => commit(right.commit, given, data) }))
}

/** Replaces each write of a commit; undefined drops it. */
export function brokenWrites(
  title: string,
  replace: (write: Write, data: ReferenceData, commit: Commit) => Write | undefined,
): BrokenBackend {
  return brokenCommit(title, (right, commit, data) =>
    right({ ...commit, writes: commit.writes.flatMap((write) => replace(write, data, commit) ?? []) }),
  )
}

/** Changes the data after each applied commit. */
export function spoiledAfter(title: string, spoil: (data: ReferenceData, commit: Commit) => void): BrokenBackend {
  return brokenCommit(title, async (right, commit, data) => {
    const result = await right(commit)
    if (result.applied && !result.repeated) spoil(data, commit)
    return result
  })
}

/** The target of the conformance suite. */
export function brokenTarget({ title, fault }: BrokenBackend): ConformanceTarget {
  return {
    name: title,
    async create() {
      const shared = referenceData()
      return {
        async open() {
          const right = referenceStorage({ shared })
          return { ...right, ...fault(right, shared) }
        },
        async destroy() {},
      }
    },
  }
}
