import type { Storage } from '../../storage/storage.ts'
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

/** A handle that keeps an answer until it writes itself: what others write in between it does not see. */
export const STALE: BrokenBackend[] = READS.map((name) =>
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
