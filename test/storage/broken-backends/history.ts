import type { Change } from '../../../src/model/records.ts'
import { keyOf } from '../../../src/storage/decide.ts'
import type { ReferenceData } from '../../../src/storage/reference/data.ts'
import { type BrokenBackend, broken, brokenCommit, brokenWrites, spoiledAfter } from './broken-backend.ts'

/** History entries that are rewritten after they are stored. */
function rewritten(title: string, rewrite: (change: Change, data: ReferenceData) => Change | null): BrokenBackend {
  return spoiledAfter(title, (data, { writes, at, by }) => {
    const ids = new Set(
      writes.flatMap((write) => ('row' in write ? [write.row.memory.id] : 'id' in write ? [write.id] : [])),
    )
    for (const [key, change] of data.changes) {
      if (!ids.has(change.memory) || change.at !== at || change.by !== by) continue
      const replaced = rewrite(change, data)
      if (replaced === null) data.changes.delete(key)
      else data.changes.set(key, replaced)
    }
  })
}

const withoutEntry = (operation: Change['operation']) =>
  rewritten(`the history has no entry of a ${operation}`, (change) => (change.operation === operation ? null : change))

export const HISTORY: BrokenBackend[] = [
  brokenCommit('the clock of the commit is ignored', (right, commit) =>
    right({ ...commit, at: new Date().toISOString() }),
  ),
  brokenCommit('the name of who writes is ignored', (right, commit) => right({ ...commit, by: 'system' })),
  withoutEntry('create'),
  withoutEntry('update'),
  withoutEntry('delete'),
  rewritten('the history tells what was before', (change, data) => {
    const before = data.changes.get(keyOf(change.memory, change.version - 1))
    return change.operation === 'update' ? { ...change, after: before?.after ?? null } : change
  }),
  rewritten('the history keeps what was deleted', (change, data) => {
    const before = data.changes.get(keyOf(change.memory, change.version - 1))
    return change.operation === 'delete' ? { ...change, after: before?.after ?? null } : change
  }),
  rewritten('the time of a change is that of the memory', (change) => ({
    ...change,
    at: change.after?.updatedAt ?? change.at,
  })),
  rewritten('an entry forgets the recall counters', (change) => ({
    ...change,
    after: change.after && { ...change.after, recallCount: 0 },
  })),
  spoiledAfter('a deletion takes the history with it', (data, { writes }) => {
    for (const write of writes) {
      if (write.kind !== 'delete') continue
      for (const [key, change] of data.changes) if (change.memory === write.id) data.changes.delete(key)
    }
  }),
  brokenWrites('an imported memory gets a history of its own', (write) => {
    if (write.kind !== 'insert') return write
    const { imported: _, ...rest } = write
    return rest
  }),
  brokenWrites('history from elsewhere is not taken', (write) => (write.kind === 'change' ? undefined : write)),
  brokenWrites('history from elsewhere replaces what is there', (write, data) => {
    if (write.kind === 'change') data.changes.delete(keyOf(write.change.memory, write.change.version))
    return write
  }),
  broken('the history of a memory is that of the store', (right) => ({
    changes: (query) => right.changes({ ...query, memory: null }),
  })),
  broken('of several memories only the first has a history', (right) => ({
    changes: ({ memory, ...page }) =>
      right.changes({ memory: memory === null || typeof memory === 'string' ? memory : memory.slice(0, 1), ...page }),
  })),
  broken('versions are compared as text', (right) => ({
    async changes({ memory, after, limit }) {
      const { items } = await right.changes({ memory, after: null, limit: 100_000 })
      const start = after === null ? 0 : Number.parseInt(after, 10)
      if (Number.isNaN(start)) return right.changes({ memory, after, limit })
      const text = ({ memory, version }: Change) => `${memory} ${version}`
      items.sort((a, b) => (text(a) < text(b) ? -1 : 1))
      const end = start + limit
      return { items: items.slice(start, end), next: end < items.length ? `${end}` : null }
    },
  })),
]
