import type { StoredMemory } from '../../../src/storage/memory-query.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { type BrokenBackend, broken } from './broken-backend.ts'

type Read = Exclude<keyof Storage, 'name' | 'capabilities' | 'initialize' | 'shutdown' | 'ping' | 'commit' | 'purge'>

const READS: readonly Read[] = [
  'known',
  'get',
  'memories',
  'search',
  'embeddings',
  'changes',
  'sessions',
  'injections',
  'events',
  'documents',
  'stats',
]

/** A handle that caches a result until it writes, and misses other handles' writes. */
const UNSEEN: BrokenBackend[] = READS.map((name) =>
  broken(`${name} does not see what another handle wrote`, (right) => {
    const answers = new Map<string, Promise<unknown>>()
    const read = right[name] as (...values: unknown[]) => Promise<unknown>
    return {
      [name](...values: unknown[]) {
        const key = JSON.stringify(values)
        const answer = answers.get(key) ?? read(...values)
        answers.set(key, answer)
        return answer.then((value) => structuredClone(value))
      },
      async commit(commit) {
        answers.clear()
        return right.commit(commit)
      },
      async purge(options) {
        answers.clear()
        return right.purge(options)
      },
    }
  }),
)

/** A handle that keeps hiding what it deleted. */
const BURIED = (['get', 'memories', 'search'] as const).map((name) =>
  broken(`${name} hides what this handle deleted, also when it is back`, (right) => {
    const gone = new Set<string>()
    const isShown = ({ memory }: StoredMemory) => !gone.has(memory.id)
    const reads: Partial<Storage> = {
      get: async (ids) => (await right.get(ids)).filter(isShown),
      async memories(query) {
        const page = await right.memories(query)
        return { ...page, items: page.items.filter(isShown) }
      },
      async search(queries) {
        const found = await right.search(queries)
        return found.map((each) => ({ ...each, documents: each.documents - (gone.size > 0 ? 1 : 0) }))
      },
    }
    return {
      [name]: reads[name],
      async commit(commit) {
        for (const write of commit.writes) if (write.kind === 'delete') gone.add(write.id)
        return right.commit(commit)
      },
    }
  }),
)

export const STALE: BrokenBackend[] = [...UNSEEN, ...BURIED]
