import { decayed } from '../lifecycle/decay.ts'
import { precedence } from '../model/layer.ts'
import type { SearchResult } from '../model/provider.ts'
import type { Conditions } from '../storage/conditions.ts'
import type { SearchQuery } from '../storage/search-query.ts'
import type { Storage } from '../storage/storage.ts'
import { dot } from '../vector/dot.ts'
import { findCandidates } from './find.ts'
import { type Merged, mergeLayers, type Order, type Scored } from './merge.ts'
import { fuse, KeywordScorer, round, semanticScore, UNKNOWN_MEANING, weighTerms } from './score.ts'
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
  // A compound is at most as frequent as its rarest part.
  const rarest = terms.map((term) => Math.min(...term.tokens.map((token) => frequencyOf.get(token)!)))
  const scorer = new KeywordScorer(weighTerms(terms, rarest, documents))
  const scored: Scored[] = []
  for (const { memory, vector: own } of candidates) {
    const semantic = own && vector ? semanticScore(calibrate(dot(vector, own))) : null
    const keyword = scorer.score(memory)
    const score = round(fuse(semantic ?? UNKNOWN_MEANING, keyword))
    if (score >= question.threshold) scored.push({ memory, layer: memory.layer, score, semantic, keyword, vector: own })
  }
  const { merged, totalCount } = mergeLayers(scored, question.order, question.limit)
  return { results: merged.map((result) => present(result, now, question.explain ? scorer : null)), totalCount }
}

/** A result as it is at this time; explained where a scorer is given. */
function present(merged: Merged, now: Date, scorer: KeywordScorer | null): SearchResult {
  const { layer, score, semantic, keyword, collapsed } = merged
  const memory = decayed(merged.memory, now)
  if (scorer === null) return { memory, score, layer }
  return {
    memory,
    score,
    layer,
    explanation: {
      semantic: semantic === null ? null : round(semantic),
      keyword: round(keyword),
      terms: scorer.held(memory),
      layer: { name: layer, precedence: precedence(layer) },
      confidence: memory.confidence,
      collapsed,
    },
  }
}
