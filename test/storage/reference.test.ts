import type { Capabilities } from '../../src/storage/capabilities.ts'
import { referenceData } from '../../src/storage/reference/data.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'
import { storageConformance } from '../../src/testing/index.ts'

const MODES: Record<string, Partial<Capabilities>> = {
  'that does everything': {},
  'without keyword search': { keywordSearch: false },
  'without vector search': { vectorSearch: false },
  'without any search, of 7 writes a commit': { keywordSearch: false, vectorSearch: false, maxWrites: 7 },
  'of 1 write a commit': { maxWrites: 1 },
  'of few bytes a commit': { maxBytes: 20_000 },
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
