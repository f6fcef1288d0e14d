import { storageConformance } from '../../src/testing/index.ts'
import { referenceTarget } from './reference-target.ts'

storageConformance(referenceTarget('that does everything', {}))
storageConformance(
  referenceTarget('without keyword search, of 1 write a commit', { keywordSearch: false, maxWrites: 1 }),
)
storageConformance(
  referenceTarget('without vector search, of few bytes a commit', { vectorSearch: false, maxBytes: 20_000 }),
)
