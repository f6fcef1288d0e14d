import type { Memory } from '../model/memory.ts'
import { withMethods } from '../storage/handle.ts'
import type { MemoryQuery, StoredMemory } from '../storage/memory-query.ts'
import type { SearchQuery } from '../storage/search-query.ts'
import type { Storage } from '../storage/storage.ts'
import type { Judge } from './guard-input.ts'

/** Memories judged while being read, whose verdicts are not stored yet. */
const JUDGED_ON_READING = new WeakSet<Memory>()

/** Whether the stored row was never judged: the sweep stores its verdict. */
export function isJudgedOnReading(memory: Memory): boolean {
  return JUDGED_ON_READING.has(memory)
}

/** Another program's row: the store marks it, and the guard, which gives reasons, has not seen it. */
function isUnjudged({ trust, metadata }: Memory): boolean {
  return trust === 'flagged' && metadata.flags === undefined
}

/**
 * Rows that other programs write with SQL have not passed the guard. They pass it when they are read: secrets are redacted, orders
 * are held, and the rest counts as an agent's word. Our own rows cost nothing here.
 */
export function judgingStorage(storage: Storage, judge: Judge): Storage {
  const judgeAll = (rows: StoredMemory[], visible: boolean) => judgeRows(judge, rows, visible)
  const reads = {
    get: async (ids: readonly string[]) => judgeAll(await storage.get(ids), false),
    async memories(query: MemoryQuery) {
      const page = await storage.memories(query)
      return { ...page, items: await judgeAll(page.items, query.where.visibleAt !== undefined) }
    },
    async search(queries: readonly SearchQuery[]) {
      const found = await storage.search(queries)
      return Promise.all(
        found.map(async (each, i) => {
          const visible = queries[i]!.where.visibleAt !== undefined
          return { ...each, candidates: await judgeAll(each.candidates, visible) }
        }),
      )
    },
  }
  return withMethods(storage, reads)
}

async function judgeRows(judge: Judge, rows: StoredMemory[], visible: boolean): Promise<StoredMemory[]> {
  if (!rows.some(({ memory }) => isUnjudged(memory))) return rows
  const { judgeForeign } = await import('./guard-input.ts')
  const judged = await Promise.all(
    rows.map(async (row) => {
      if (!isUnjudged(row.memory)) return row
      const memory = await judgeForeign(judge, row.memory)
      JUDGED_ON_READING.add(memory)
      return { ...row, memory }
    }),
  )
  return visible ? judged.filter(({ memory }) => memory.trust !== 'quarantined') : judged
}
