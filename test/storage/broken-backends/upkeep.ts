import { MemoryError } from '../../../src/model/errors.ts'
import type { ReferenceData } from '../../../src/storage/reference/data.ts'
import { referenceStorage } from '../../../src/storage/reference/reference-storage.ts'
import type { StorageStats } from '../../../src/storage/upkeep.ts'
import { type BrokenBackend, broken } from './broken-backend.ts'

/** A purge that restores what it should remove. */
function leaving(what: string, mapOf: (data: ReferenceData) => Map<string, unknown>): BrokenBackend {
  return broken(`purge leaves ${what}`, (right, data) => ({
    async purge(options) {
      const map = mapOf(data)
      const before = [...map]
      const report = await right.purge(options)
      for (const [key, value] of before) map.set(key, value)
      return report
    },
  }))
}

/** A purge that removes more than it should. */
function greedy(title: string, spoil: (data: ReferenceData) => void): BrokenBackend {
  return broken(title, (right, data) => ({
    async purge(options) {
      const report = await right.purge(options)
      if (!options.dryRun) spoil(data)
      return report
    },
  }))
}

function miscounted(title: string, change: (stats: StorageStats, data: ReferenceData) => StorageStats): BrokenBackend {
  return broken(title, (right, data) => ({ stats: async () => change(await right.stats(), data) }))
}

export const UPKEEP: BrokenBackend[] = [
  leaving('the history', ({ changes }) => changes as Map<string, unknown>),
  leaving('the once-keys', ({ once }) => once as Map<string, unknown>),
  leaving('the showings', ({ injections }) => injections as Map<string, unknown>),
  leaving('the vectors', ({ vectors }) => vectors as Map<string, unknown>),
  leaving('the memories', ({ memories }) => memories as Map<string, unknown>),
  broken('purge removes in a dry run', (right) => ({
    purge: ({ before }) => right.purge({ before, dryRun: false }),
  })),
  broken('purge ignores the time', (right) => ({
    purge: ({ dryRun }) => right.purge({ before: '9999-01-01T00:00:00.000Z', dryRun }),
  })),
  broken('purge includes the instant itself', (right) => ({
    purge: ({ before, dryRun }) => right.purge({ before: new Date(Date.parse(before) + 1).toISOString(), dryRun }),
  })),
  broken('purge leaves the traces of what was deleted', (right, data) => ({
    async purge(options) {
      const gone = new Map([...data.changes].filter(([, { memory }]) => !data.memories.has(memory)))
      const report = await right.purge(options)
      for (const [key, change] of gone) data.changes.set(key, change)
      return report
    },
  })),
  greedy('purge removes active memories that are old', (data) => {
    for (const [id, { memory }] of data.memories) if (memory.active && memory.version === 1) data.memories.delete(id)
  }),
  greedy('purge removes the history of what stays', (data) => data.changes.clear()),
  greedy('purge frees all once-keys', (data) => data.once.clear()),
  greedy('purge forgets commit keys', (data) => data.commits.clear()),
  greedy('purge removes the showings of what stays', (data) => data.injections.clear()),
  greedy('purge removes vectors that are in use', (data) => data.vectors.clear()),
  greedy('purge removes the sessions', (data) => data.sessions.clear()),
  greedy('purge removes the events', (data) => data.events.clear()),
  greedy('purge removes the documents', (data) => data.documents.clear()),
  broken('purge reports nothing', (right) => ({
    purge: async (options) => ({ ...(await right.purge(options)), memories: 0, changes: 0 }),
  })),
  broken('purge says that nothing remains while something does', (right) => ({
    purge: async (options) => ({ ...(await right.purge(options)), remains: 'In backups.' }),
  })),
  broken('prune removes in a dry run', (right) => ({ prune: (options) => right.prune({ ...options, dryRun: false }) })),
  broken('prune leaves the sessions', (right) => ({ prune: (options) => right.prune({ ...options, sessions: null }) })),
  broken('prune leaves the events', (right) => ({ prune: (options) => right.prune({ ...options, events: null }) })),
  broken('prune leaves the showings', (right) => ({ prune: (options) => right.prune({ ...options, showings: null }) })),
  broken('prune leaves the records of a session', (right, data) => ({
    async prune(options) {
      const events = [...data.events]
      const report = await right.prune(options)
      for (const [id, event] of events) if (event.session !== null && !options.dryRun) data.events.set(id, event)
      return report
    },
  })),
  broken('prune removes the memories of a session', (right, data) => ({
    async prune(options) {
      const report = await right.prune(options)
      for (const [id, { memory }] of data.memories) if (memory.session !== null) data.memories.delete(id)
      return report
    },
  })),
  broken('stats are counted once', (right) => {
    let first: Promise<StorageStats> | null = null
    return {
      stats() {
        first ??= right.stats()
        return first
      },
    }
  }),
  miscounted('stats count every memory as active', (stats) => ({ ...stats, active: stats.memories })),
  miscounted('stats count deleted memories', (stats, data) => ({
    ...stats,
    memories: new Set([...data.changes.values()].map(({ memory }) => memory)).size,
  })),
  miscounted('stats count active memories by layer', (stats, data) => {
    const byLayer: StorageStats['byLayer'] = {}
    for (const { memory } of data.memories.values()) {
      if (memory.active) byLayer[memory.layer] = (byLayer[memory.layer] ?? 0) + 1
    }
    return { ...stats, byLayer }
  }),
  miscounted('stats count a memory in the layer that it was made in', (stats, data) => {
    const byLayer: StorageStats['byLayer'] = {}
    for (const id of data.memories.keys()) {
      const first = [...data.changes.values()].find(({ memory, version }) => memory === id && version === 1)
      const layer = first?.after?.layer
      if (layer) byLayer[layer] = (byLayer[layer] ?? 0) + 1
    }
    return { ...stats, byLayer }
  }),
  miscounted('stats do not count sessions', (stats) => ({ ...stats, sessions: 0 })),
  miscounted('stats name models that no memory has a vector of', (stats, data) => ({
    ...stats,
    models: [...new Set([...data.vectors.keys()].map((key) => String((JSON.parse(key) as unknown[])[0])))].sort(),
  })),
  miscounted('stats name models in any order', (stats) => ({ ...stats, models: stats.models.toReversed() })),
  broken('initialize after shutdown is accepted', (right) => {
    let shut = false
    return {
      async shutdown() {
        shut = true
        await right.shutdown()
      },
      async initialize(model) {
        if (!shut) await right.initialize(model)
      },
    }
  }),
  broken('shutdown acknowledges commits under way, and loses them', (right) => {
    let shut = false
    return {
      shutdown() {
        shut = true
        return right.shutdown()
      },
      async commit(commit) {
        await right.ping()
        if (!shut) return right.commit(commit)
        return { applied: true, repeated: false, changed: commit.writes.length, note: commit.note ?? null }
      },
    }
  }),
  broken('handles do not share the store', () => referenceStorage()),
  broken('shutdown cannot be repeated', (right) => {
    let shut = false
    return {
      async shutdown() {
        if (shut) throw new MemoryError('PROVIDER_ERROR', 'The store was shut down.')
        shut = true
        await right.shutdown()
      },
    }
  }),
  broken('calls after shutdown may be tried again', (right) => ({
    async ping() {
      await right.ping().catch(() => {
        throw new MemoryError('PROVIDER_ERROR', 'The store was shut down.')
      })
    },
  })),
  broken('one handle that shuts down shuts all', (right, data) => ({
    async shutdown() {
      await right.shutdown()
      data.memories.clear()
    },
  })),
  broken('initialize empties the store', (right, data) => ({
    async initialize(model) {
      await right.initialize(model)
      data.memories.clear()
    },
  })),
]
