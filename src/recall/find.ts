import type { StoredMemory } from '../storage/memory-query.ts'
import type { Found, SearchQuery } from '../storage/search-query.ts'
import type { Storage } from '../storage/storage.ts'
import { scanScopes } from './scan-scopes.ts'

/** Candidates for several queries: from the store's indexes, or by reading the scopes if it has no index. */
export async function findCandidates(storage: Storage, queries: readonly SearchQuery[]): Promise<Found[]> {
  const { vectorSearch, keywordSearch } = storage.capabilities
  const asked = queries.map((query) => ({
    ...query,
    vector: vectorSearch ? query.vector : null,
    tokens: keywordSearch ? query.tokens : [],
  }))
  const left = queries.map((query) => ({
    ...query,
    vector: vectorSearch ? null : query.vector,
    tokens: keywordSearch ? [] : query.tokens,
  }))
  const [found, scanned] = await Promise.all([
    asked.some(asks) ? storage.search(asked) : null,
    Promise.all(left.map((query) => (asks(query) ? scanScopes(storage, query) : null))),
  ])
  return queries.map((_, i) => merge(found?.[i] ?? null, scanned[i]!, keywordSearch))
}

function asks({ vector, tokens }: SearchQuery): boolean {
  return vector !== null || tokens.length > 0
}

function merge(found: Found | null, scanned: Found | null, counted: boolean): Found {
  if (found === null || scanned === null) {
    return found ?? scanned ?? { candidates: [], documents: 0, frequencies: [] }
  }
  const all = new Map<string, StoredMemory>()
  for (const stored of [...scanned.candidates, ...found.candidates]) {
    if (all.get(stored.memory.id)?.vector == null) all.set(stored.memory.id, stored)
  }
  const { documents, frequencies } = counted ? found : scanned
  return { candidates: [...all.values()], documents, frequencies }
}
