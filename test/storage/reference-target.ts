import type { Capabilities } from '../../src/storage/capabilities.ts'
import { referenceData } from '../../src/storage/reference/data.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'
import type { ConformanceTarget } from '../../src/testing/index.ts'

export const LEAST: Partial<Capabilities> = { keywordSearch: false, vectorSearch: false, maxWrites: 7 }

/** The reference storage, with limits that a store may have. */
export function referenceTarget(title: string, mode: Partial<Capabilities>): ConformanceTarget {
  return {
    name: `reference ${title}`,
    async create() {
      const shared = referenceData()
      return { open: async () => referenceStorage({ shared, mode }), destroy: async () => {} }
    },
  }
}
