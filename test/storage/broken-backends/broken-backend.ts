import type { Commit, CommitResult, Write } from '../../../src/storage/commit.ts'
import { type ReferenceData, referenceData } from '../../../src/storage/reference/data.ts'
import { referenceStorage } from '../../../src/storage/reference/reference-storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import type { ConformanceTarget } from '../../../src/testing/conformance/store-under-test.ts'

/** The methods that are wrong, over a right handle and the data that all handles share. */
export type Fault = (right: Storage, data: ReferenceData) => Partial<Storage>

/** The reference with one fault. The conformance suite must find it. */
export interface BrokenBackend {
  /** What it does wrong. */
  title: string
  fault: Fault
}

export function broken(title: string, fault: Fault): BrokenBackend {
  return { title, fault }
}

/** A fault in how commits are applied. */
export function brokenCommit(
  title: string,
  commit: (right: Storage['commit'], given: Commit, data: ReferenceData) => Promise<CommitResult>,
): BrokenBackend {
  return broken(title, (right, data) => ({ commit: (given) => commit(right.commit, given, data) }))
}

/** Commits in which each write is replaced; undefined leaves it out. */
export function brokenWrites(
  title: string,
  replace: (write: Write, data: ReferenceData, commit: Commit) => Write | undefined,
): BrokenBackend {
  return brokenCommit(title, (right, commit, data) =>
    right({ ...commit, writes: commit.writes.flatMap((write) => replace(write, data, commit) ?? []) }),
  )
}

/** Something that happens to the data after each commit that was applied. */
export function spoiledAfter(title: string, spoil: (data: ReferenceData, commit: Commit) => void): BrokenBackend {
  return brokenCommit(title, async (right, commit, data) => {
    const result = await right(commit)
    if (result.applied && !result.repeated) spoil(data, commit)
    return result
  })
}

/** What the conformance suite is run on. */
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
