import type { Capabilities } from '../../src/storage/capabilities.ts'
import { referenceData } from '../../src/storage/reference/data.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'
import { storageConformance } from '../../src/testing/index.ts'

/** Every limit that a store may have; those that have nothing to do with each other come together. */
const MODES: Record<string, Partial<Capabilities>> = {
  'that does everything': {},
  'without keyword search, of 1 write a commit': { keywordSearch: false, maxWrites: 1 },
  'without vector search, of few bytes a commit': { vectorSearch: false, maxBytes: 20_000 },
  'without any search, of 7 writes a commit': { keywordSearch: false, vectorSearch: false, maxWrites: 7 },
}

for (const [title, mode] of Object.entries(MODES)) {
  storageConformance({
    name: `reference ${title}`,
    async create() {
      const shared = referenceData()
      return { open: async () => referenceStorage({ shared, mode }), destroy: async () => {} }
    },
  })
}
