import { decayed } from '../lifecycle/decay.ts'
import { precedence } from '../model/layer.ts'
import type { SearchResult } from '../model/provider.ts'
import type { Conditions } from '../storage/conditions.ts'
import type { SearchQuery } from '../storage/search-query.ts'
import type { Storage } from '../storage/storage.ts'
import { dot } from '../vector/dot.ts'
import { findCandidates } from './find.ts'
import { type Merged, mergeLayers, type Order, type Scored } from './merge.ts'
import { fuse, keywordEvidence, round, semanticScore, UNKNOWN_MEANING, weighTerms } from './score.ts'
import { queryTerms } from './terms.ts'

export interface SearchEngine {
  storage: Storage
  /** The embedder's, for models whose cosines are compressed. */
  calibrate(cosine: number): number
  now: Date
  /** Runs work that reads the storage, again where it failed for a moment. */
  attempt<T>(work: () => Promise<T>): Promise<T>
}

export interface Question {
  scopes: SearchQuery['scopes']
  where: Conditions
  /** The words to look for; null: by meaning alone. */
  query: string | null
  /** null: by words alone. */
  vector: Float32Array | null
  limit: number
  threshold: number
  order: Order
  explain: boolean
}

/** At least so many candidates are scored, and a few for each result that is wanted. */
const CANDIDATES = 40
const CANDIDATES_A_RESULT = 3

/** Searches all scopes at once, scores what the store found, and merges the layers. */
export async function search(
  { storage, calibrate, now, attempt }: SearchEngine,
  question: Question,
): Promise<{ results: SearchResult[]; totalCount: number }> {
  const { scopes, where, vector } = question
  const terms = question.query === null ? [] : queryTerms(question.query)
  const tokens = [...new Set(terms.flatMap((term) => term.tokens))]
  const limit = Math.max(CANDIDATES, CANDIDATES_A_RESULT * question.limit)
  const [found] = await attempt(() => findCandidates(storage, [{ scopes, where, vector, tokens, limit }]))
  const { candidates, documents, frequencies } = found!
  const frequencyOf = new Map(tokens.map((token, i) => [token, frequencies[i] ?? 0]))
  const weighed = weighTerms(
    terms,
    // A compound is at most as frequent as its rarest part.
    terms.map((term) => Math.min(...term.tokens.map((token) => frequencyOf.get(token)!))),
    documents,
  )
  const scored: Scored[] = []
  for (const { memory: stored, vector: own } of candidates) {
    const memory = decayed(stored, now)
    const semantic = own && vector ? semanticScore(calibrate(dot(vector, own))) : null
    const keyword = keywordEvidence(memory, weighed)
    const score = round(fuse(semantic ?? UNKNOWN_MEANING, keyword.score))
    if (score >= question.threshold) scored.push({ memory, layer: memory.layer, score, semantic, keyword, vector: own })
  }
  const { merged, totalCount } = mergeLayers(scored, question.order, question.limit)
  return { results: merged.map((result) => present(result, question.explain)), totalCount }
}

function present({ memory, layer, score, semantic, keyword, collapsed }: Merged, explain: boolean): SearchResult {
  if (!explain) return { memory, score, layer }
  return {
    memory,
    score,
    layer,
    explanation: {
      semantic: semantic === null ? null : round(semantic),
      keyword: round(keyword.score),
      terms: keyword.terms,
      layer: { name: layer, precedence: precedence(layer) },
      confidence: memory.confidence,
      collapsed,
    },
  }
}
