import type { StoredMemory } from '../storage/memory-query.ts'
import type { Found, SearchQuery } from '../storage/search-query.ts'
import { tokenWeight } from '../storage/search-query.ts'
import type { Storage } from '../storage/storage.ts'
import { memoryTokens } from '../text/tokens.ts'
import { dot } from '../vector/dot.ts'

/** Memories read at a time. */
const PART = 500

/** Answers a query by reading the scopes, for stores without an index. For small scopes only. */
export async function scanScopes(storage: Storage, query: SearchQuery): Promise<Found> {
  const { documents, frequencies } = await count(storage, query)
  const weights = query.tokens.map((token, i) => [token, tokenWeight(documents, frequencies[i]!)] as const)
  const byVector: { stored: StoredMemory; rank: number }[] = []
  const byToken: typeof byVector = []
  const threaded: StoredMemory[] = []
  for await (const stored of read(storage, query, query.where)) {
    if (query.vector && stored.vector) byVector.push({ stored, rank: dot(query.vector, stored.vector) })
    if (query.around && stored.memory.thread !== null) threaded.push(stored)
    const rank = heldWeight(stored, weights)
    if (rank > 0) byToken.push({ stored, rank })
  }
  const best = [byVector, byToken].flatMap((ranked) => ranked.sort(byRank).slice(0, query.limit))
  const found = best.map(({ stored }) => stored)
  const places = placesAround(found, query.around ?? 0)
  const besides = threaded.filter(({ memory: { thread } }) => places.has(placeOf(thread!.id, thread!.index)))
  const candidates = [...new Map([...found, ...besides].map((stored) => [stored.memory.id, stored])).values()]
  return { candidates, documents, frequencies }
}

function placeOf(thread: string, index: number): string {
  return `${index} ${thread}`
}

/** The places in a thread within this distance of one of these memories. */
function placesAround(found: readonly StoredMemory[], around: number): Set<string> {
  const places = new Set<string>()
  for (const {
    memory: { thread },
  } of found) {
    if (thread === null) continue
    for (let index = thread.index - around; index <= thread.index + around; index++)
      places.add(placeOf(thread.id, index))
  }
  return places
}

/** How many memories in the scopes contain each token, ignoring conditions. */
async function count(storage: Storage, query: SearchQuery): Promise<Pick<Found, 'documents' | 'frequencies'>> {
  const frequencies = query.tokens.map(() => 0)
  let documents = 0
  if (query.tokens.length === 0) return { documents, frequencies }
  for await (const { memory } of read(storage, query, {})) {
    documents++
    const held = new Set(memoryTokens(memory))
    query.tokens.forEach((token, i) => {
      if (held.has(token)) frequencies[i]!++
    })
  }
  return { documents, frequencies }
}

function heldWeight({ memory }: StoredMemory, weights: readonly (readonly [string, number])[]): number {
  if (weights.length === 0) return 0
  const held = new Set(memoryTokens(memory))
  return weights.reduce((sum, [token, weight]) => sum + (held.has(token) ? weight : 0), 0)
}

function byRank(a: { stored: StoredMemory; rank: number }, b: typeof a): number {
  return b.rank - a.rank || (a.stored.memory.id < b.stored.memory.id ? 1 : -1)
}

async function* read(
  storage: Storage,
  { scopes, vector }: SearchQuery,
  where: SearchQuery['where'],
): AsyncGenerator<StoredMemory> {
  let after: string | null = null
  do {
    const page: { items: StoredMemory[]; next: string | null } = await storage.memories({
      scopes,
      where,
      order: 'newest',
      limit: PART,
      after,
      count: false,
      vectors: vector !== null,
    })
    yield* page.items
    after = page.next
  } while (after !== null)
}
