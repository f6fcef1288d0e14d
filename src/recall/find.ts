import type { KeywordMatches, KeywordQuery, Storage, VectorMatch, VectorQuery } from '../storage/storage.ts'
import { scanKeyword, scanVectors } from './scan-scope.ts'

/** Candidates by keyword: from the store's own index, or by reading the scope where it has none. */
export async function findKeyword(storage: Storage, query: KeywordQuery): Promise<KeywordMatches> {
  return storage.searchKeyword?.(query) ?? scanKeyword(storage, query)
}

/** The nearest by vector, likewise. */
export async function findVectors(storage: Storage, query: VectorQuery): Promise<VectorMatch[]> {
  return storage.searchVector?.(query) ?? scanVectors(storage, query)
}
