export type { ConformanceStore, ConformanceTarget } from './conformance/store-under-test.ts'
export { type FakeEmbedding, type FakeEmbeddingOptions, fakeEmbedding } from './fake-embedder.ts'
export { storageConformance } from './storage-conformance.ts'
