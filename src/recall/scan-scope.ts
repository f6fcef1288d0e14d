import type { Memory } from '../model/memory.ts'
import type { KeywordMatches, KeywordQuery, Storage, VectorMatch, VectorQuery } from '../storage/storage.ts'
import { includesPhrase, tokenize } from '../text/tokens.ts'
import { dot } from '../vector/dot.ts'
import { searchableTokens } from './score.ts'

/** Rows asked for at a time. */
const PART = 500

/** Finds by keyword in a store that cannot: reads the scope and counts. For small scopes; a larger store brings its own index. */
export async function scanKeyword(storage: Storage, query: KeywordQuery): Promise<KeywordMatches> {
  const phrases = query.terms.map((term) => tokenize(term))
  const frequencies = phrases.map(() => 0)
  const found: { memory: Memory; hits: number }[] = []
  let documentCount = 0
  for await (const memory of readScope(storage, query)) {
    documentCount++
    const tokens = searchableTokens(memory)
    let hits = 0
    phrases.forEach((phrase, i) => {
      if (!includesPhrase(tokens, phrase)) return
      frequencies[i]!++
      hits++
    })
    if (hits > 0) found.push({ memory, hits })
  }
  found.sort((a, b) => b.hits - a.hits)
  return { memories: found.slice(0, query.limit).map(({ memory }) => memory), documentCount, frequencies }
}

/** Finds by vector in a store that cannot. */
export async function scanVectors(storage: Storage, query: VectorQuery): Promise<VectorMatch[]> {
  const found: VectorMatch[] = []
  let part: Memory[] = []
  const compare = async () => {
    const vectors = await storage.vectors(
      part.map((memory) => memory.id),
      query.model,
    )
    for (const memory of part) {
      const vector = vectors.get(memory.id)
      if (vector) found.push({ memory, vector, cosine: dot(query.vector, vector) })
    }
    part = []
  }
  for await (const memory of readScope(storage, query)) {
    part.push(memory)
    if (part.length === PART) await compare()
  }
  await compare()
  return found.sort((a, b) => b.cosine - a.cosine || (a.memory.id < b.memory.id ? 1 : -1)).slice(0, query.limit)
}

async function* readScope(
  storage: Storage,
  { scope, where }: Pick<KeywordQuery, 'scope' | 'where'>,
): AsyncGenerator<Memory> {
  let after: { createdAt: string; id: string } | null = null
  for (;;) {
    const { memories }: { memories: Memory[] } = await storage.list({
      scopes: [scope],
      where,
      limit: PART,
      after,
      count: false,
    })
    yield* memories
    const last = memories.at(-1)
    if (!last || memories.length < PART) return
    after = { createdAt: last.createdAt, id: last.id }
  }
}
