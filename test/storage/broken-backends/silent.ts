import { type BrokenBackend, broken, brokenCommit } from './broken-backend.ts'

const NOTHING = { items: [], next: null }

/** A method that does nothing. */
export const SILENT: BrokenBackend[] = [
  brokenCommit('commit acknowledges and stores nothing', async () => ({
    applied: true,
    repeated: false,
    changed: 1,
    note: null,
  })),
  brokenCommit('every third commit is acknowledged and lost', async (right, commit, data) => {
    if (data.commits.size % 3 < 2) return right(commit)
    data.commits.set(commit.key, { changed: commit.writes.length, note: commit.note ?? null })
    return { applied: true, repeated: false, changed: commit.writes.length, note: commit.note ?? null }
  }),
  broken('known knows no key', () => ({ known: async () => new Set() })),
  broken('known knows every key', () => ({ known: async (keys) => new Set(keys) })),
  broken('get finds nothing', () => ({ get: async () => [] })),
  broken('memories lists nothing', () => ({ memories: async () => ({ ...NOTHING, totalCount: 0 }) })),
  broken('search finds nothing', () => ({
    search: async (queries) =>
      queries.map(({ tokens }) => ({ candidates: [], documents: 0, frequencies: tokens.map(() => 0) })),
  })),
  broken('embeddings are always unknown', () => ({ embeddings: async () => new Map() })),
  broken('changes lists nothing', () => ({ changes: async () => NOTHING })),
  broken('sessions lists nothing', () => ({ sessions: async () => NOTHING })),
  broken('injections lists nothing', () => ({ injections: async () => NOTHING })),
  broken('events lists nothing', () => ({ events: async () => NOTHING })),
  broken('documents lists nothing', () => ({ documents: async () => [] })),
  broken('stats counts nothing', () => ({
    stats: async () => ({ memories: 0, active: 0, byLayer: {}, sessions: 0, models: [], sizeBytes: null }),
  })),
  broken('purge removes nothing', (right) => ({ purge: ({ before }) => right.purge({ before, dryRun: true }) })),
  broken('shutdown does nothing', () => ({ shutdown: async () => {} })),
  broken('ping answers after shutdown', () => ({ ping: async () => {} })),
]
