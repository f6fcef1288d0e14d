import type { Commit, CommitResult, Write } from '../../../src/storage/commit.ts'
import type { ReferenceData } from '../../../src/storage/reference/data.ts'
import { type BrokenBackend, broken, brokenCommit, brokenWrites, spoiledAfter } from './broken-backend.ts'

let serial = 0

/** Makes the stored memory match what the write expects. */
function pretendVersion(data: ReferenceData, id: string, version: number): void {
  const row = data.memories.get(id)
  if (row) data.memories.set(id, { ...row, memory: { ...row.memory, version } })
}

/** Applies each write as a commit of its own. */
async function oneByOne(right: (commit: Commit) => Promise<CommitResult>, commit: Commit): Promise<CommitResult[]> {
  const results: CommitResult[] = []
  for (const [i, write] of commit.writes.entries()) {
    results.push(await right({ ...commit, key: `${commit.key} ${i} ${serial++}`, writes: [write] }))
  }
  return results
}

const APPLYING: BrokenBackend[] = [
  brokenWrites('marks take no keys', (write) => (write.kind === 'mark' ? { ...write, once: [] } : write)),
  brokenCommit('a mark whose keys are taken stands in the way', async (right, commit, data) => {
    const write = commit.writes.findIndex(({ kind, ...rest }) => {
      return kind === 'mark' && 'once' in rest && rest.once?.some((key) => data.once.has(key))
    })
    return write < 0 ? right(commit) : { applied: false, failures: [{ write, reason: 'once' }] }
  }),
  brokenCommit('only the first write of a commit is applied', async (right, commit) => {
    const result = await right({ ...commit, writes: commit.writes.slice(0, 1) })
    return result.applied ? { ...result, changed: commit.writes.length } : result
  }),
  brokenCommit('the last write of a commit is lost', (right, commit) =>
    right({ ...commit, writes: commit.writes.length > 1 ? commit.writes.slice(0, -1) : commit.writes }),
  ),
  brokenCommit('a commit that fails is not taken back', async (right, commit) => {
    const result = await right(commit)
    if (!result.applied) await oneByOne(right, commit)
    return result
  }),
  brokenCommit('a commit that fails leaves its vectors behind', async (right, commit, data) => {
    const result = await right(commit)
    if (!result.applied) {
      for (const write of commit.writes) {
        if (write.kind === 'insert' && write.row.embedding) {
          data.vectors.set(JSON.stringify(['m1', write.row.embedding.hash]), write.row.embedding.vector)
        }
      }
    }
    return result
  }),
  brokenCommit('what fails is left out, and the rest is applied', async (right, commit) => {
    const result = await right(commit)
    if (result.applied) return result
    const failed = new Set(result.failures.map(({ write }) => write))
    return right({ ...commit, writes: commit.writes.filter((_, i) => !failed.has(i)) })
  }),
  brokenCommit('only the first failure is reported', async (right, commit) => {
    const result = await right(commit)
    return result.applied ? result : { ...result, failures: result.failures.slice(0, 1) }
  }),
  brokenCommit('failures are reported backwards', async (right, commit) => {
    const result = await right(commit)
    return result.applied ? result : { ...result, failures: result.failures.reverse() }
  }),
  brokenCommit('a failure is always a version', async (right, commit) => {
    const result = await right(commit)
    if (result.applied) return result
    return { ...result, failures: result.failures.map(({ write }) => ({ write, reason: 'version' as const })) }
  }),
  brokenCommit('every write counts as a change', async (right, commit) => {
    const result = await right(commit)
    return result.applied ? { ...result, changed: commit.writes.length } : result
  }),
  broken('what was given is kept as it is, not copied', (right, data) => ({
    async commit(commit) {
      const result = await right.commit(commit)
      for (const write of commit.writes) {
        const row = write.kind === 'insert' && data.memories.get(write.row.memory.id)
        if (row && write.kind === 'insert') row.memory = write.row.memory
      }
      return result
    },
  })),
  broken('what is handed out is what is stored', (right, data) => ({
    async get(ids) {
      const found = await right.get(ids)
      return found.map((each) => ({ ...each, memory: data.memories.get(each.memory.id)!.memory }))
    },
  })),
]

const VERSIONS: BrokenBackend[] = [
  brokenWrites('versions are not checked', (write, data) => {
    if (write.kind === 'update') pretendVersion(data, write.row.memory.id, write.row.memory.version - 1)
    return write
  }),
  brokenWrites('an update may build on the version before', (write, data) => {
    if (write.kind !== 'update') return write
    const { id, version } = write.row.memory
    if (data.memories.get(id)?.memory.version === version) pretendVersion(data, id, version - 1)
    return write
  }),
  brokenWrites('an update may leave out a version', (write, data) => {
    if (write.kind !== 'update') return write
    const { id, version } = write.row.memory
    if (data.memories.get(id)?.memory.version === version - 2) pretendVersion(data, id, version - 1)
    return write
  }),
  brokenWrites('a delete ignores the version', (write) =>
    write.kind === 'delete' ? { kind: 'delete', id: write.id } : write,
  ),
  brokenWrites('a vector is taken for any version', (write, data) =>
    write.kind === 'embed'
      ? { ...write, version: data.memories.get(write.id)?.memory.version ?? write.version }
      : write,
  ),
  brokenWrites('an insert replaces what is there', (write, data) => {
    if (write.kind === 'insert') data.memories.delete(write.row.memory.id)
    return write
  }),
  brokenWrites('an update of what is not there inserts it', (write, data): Write => {
    if (write.kind !== 'update' || data.memories.has(write.row.memory.id)) return write
    return { ...write, kind: 'insert', row: { embedding: null, ...write.row } }
  }),
  brokenWrites('an update of what is not there is left out', (write, data) =>
    write.kind === 'update' && !data.memories.has(write.row.memory.id) ? undefined : write,
  ),
]

/** The write without some or all of its once-keys. */
export function withOnce(write: Write, keep: (keys: readonly string[]) => readonly string[]): Write {
  return 'once' in write && write.once ? { ...write, once: keep(write.once) } : write
}

const KEYS: BrokenBackend[] = [
  brokenWrites('once-keys are ignored', (write) => withOnce(write, () => [])),
  brokenWrites('of several once-keys the first one counts', (write) => withOnce(write, (keys) => keys.slice(0, 1))),
  brokenWrites('once-keys of updates are ignored', (write) =>
    write.kind === 'update' ? withOnce(write, () => []) : write,
  ),
  brokenWrites('once-keys are compared without case', (write) =>
    withOnce(write, (keys) => keys.flatMap((key) => [...new Set([key, key.toUpperCase()])])),
  ),
  spoiledAfter('a once-key is free again when the memory is deleted', (data, { writes }) => {
    const gone = new Set(writes.flatMap((write) => (write.kind === 'delete' ? [write.id] : [])))
    for (const [key, memory] of data.once) if (gone.has(memory)) data.once.delete(key)
  }),
  spoiledAfter('a once-key is free again when the memory is changed', (data, { writes }) => {
    const changed = new Set(writes.flatMap((write) => (write.kind === 'update' ? [write.row.memory.id] : [])))
    for (const [key, memory] of data.once) if (changed.has(memory)) data.once.delete(key)
  }),
  brokenCommit('the key of a commit is ignored', (right, commit) =>
    right({ ...commit, key: `${commit.key} ${serial++}` }),
  ),
  broken('the key of a commit is known to one handle only', (right) => {
    const handle = serial++
    return { commit: (commit) => right.commit({ ...commit, key: `${commit.key} ${handle}` }) }
  }),
  broken('a failed commit is remembered', (right) => {
    const failed = new Map<string, CommitResult>()
    return {
      async commit(commit) {
        const result = failed.get(commit.key) ?? (await right.commit(commit))
        if (!result.applied) failed.set(commit.key, result)
        return result
      },
    }
  }),
  brokenCommit('a failed commit is remembered as applied', async (right, commit, data) => {
    const result = await right(commit)
    if (!result.applied) data.commits.set(commit.key, { changed: 0, note: null })
    return result
  }),
  brokenCommit('a repeated commit does not say so', async (right, commit) => {
    const result = await right(commit)
    return result.applied ? { ...result, repeated: false } : result
  }),
  brokenCommit('a repeated commit changed nothing', async (right, commit) => {
    const result = await right(commit)
    return result.applied && result.repeated ? { ...result, changed: 0 } : result
  }),
  brokenCommit('the note of a commit is lost', async (right, commit) => {
    const result = await right(commit)
    return result.applied ? { ...result, note: null } : result
  }),
  brokenCommit('a repeated commit answers with the new note', async (right, commit) => {
    const result = await right(commit)
    return result.applied ? { ...result, note: commit.note ?? null } : result
  }),
  brokenCommit('a commit without writes is not remembered', async (right, commit, data) => {
    const result = await right(commit)
    if (commit.writes.length === 0) data.commits.delete(commit.key)
    return result
  }),
  brokenCommit('an empty note is none', async (right, commit) => {
    const result = await right(commit)
    return result.applied ? { ...result, note: result.note || null } : result
  }),
  brokenCommit('keys are compared without case', (right, commit) =>
    right({ ...commit, key: commit.key.toLowerCase().trim() }),
  ),
]

export const COMMITS: BrokenBackend[] = [...APPLYING, ...VERSIONS, ...KEYS]
