import type { z } from 'zod'
import { normalize } from '../embedding/provider.ts'
import { MemoryError } from '../model/errors.ts'
import { filterTests } from '../model/filter.ts'
import {
  accessibleLayers,
  type Identifiers,
  type Layer,
  precedence,
  readableScopes,
  requireIdentifier,
} from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import type { SearchResult, SearchResults } from '../model/provider.ts'
import type { listSchema, searchSchema } from '../model/schema.ts'
import type { Conditions, Storage } from '../storage/storage.ts'
import { dot } from '../vector/dot.ts'
import { findKeyword, findVectors } from './find.ts'
import { type Merged, mergeLayers, type Scored } from './merge.ts'
import { fuse, keywordEvidence, round, semanticScore, UNKNOWN_MEANING, weighTerms } from './score.ts'
import { queryTerms, type Term } from './terms.ts'

export interface SearchEngine {
  storage: Storage
  model: { name: string; dimensions: number; calibrate(cosine: number): number }
  embedQuery(text: string): Promise<Float32Array>
  now: Date
  /** Runs work that reads the storage, again where it failed for a moment. */
  attempt<T>(work: () => Promise<T>): Promise<T>
}

export type ParsedSearch = z.output<typeof searchSchema>

/** Each layer contributes at most this many candidates by meaning and by keyword, or twice the limit. */
const CANDIDATES = 20

/** Searches all layers that the identifiers open, at the same time, and merges what they hold. */
export async function search(
  engine: SearchEngine,
  request: ParsedSearch,
  identifiers: Identifiers,
): Promise<SearchResults> {
  const layers = chooseLayers(request.layers, identifiers)
  const terms = request.mode === 'semantic' ? [] : queryTerms(request.query)
  const vector = request.mode === 'keyword' ? null : await queryVector(engine, request)
  const found = await Promise.all(
    layers.map((layer) => engine.attempt(() => searchLayer(engine, request, { layer, identifiers, terms, vector }))),
  )
  const { merged, totalCount } = mergeLayers(found.flat(), request.order, request.limit)
  return { results: merged.map((result) => present(result, request.explain)), totalCount, searchedLayers: layers }
}

/** The layers to read: those asked for, which must be addressable, or all that are open. */
export function chooseLayers(asked: readonly Layer[] | undefined, identifiers: Identifiers): Layer[] {
  const open = accessibleLayers(identifiers)
  if (!asked) return open
  for (const layer of asked) if (!open.includes(layer)) requireIdentifier(layer, identifiers)
  return [...new Set(asked)].sort((a, b) => precedence(a) - precedence(b))
}

/** The conditions that `search` and `list` share. */
export function toConditions(request: Partial<z.output<typeof listSchema>>, now: Date): Conditions {
  return {
    ...(request.tags && request.tags.length > 0 ? { tags: request.tags } : {}),
    ...(request.filter ? { filter: filterTests(request.filter) } : {}),
    ...(request.category !== undefined ? { category: request.category } : {}),
    ...(request.service !== undefined ? { service: request.service } : {}),
    ...(request.source !== undefined ? { source: request.source } : {}),
    ...(request.session !== undefined ? { session: request.session } : {}),
    ...(request.includeInactive ? {} : { visibleAt: now }),
  }
}

async function queryVector(engine: SearchEngine, request: ParsedSearch): Promise<Float32Array> {
  if (!request.vector) return engine.embedQuery(request.query)
  const { dimensions } = engine.model
  if (request.vector.length !== dimensions || !request.vector.every(Number.isFinite)) {
    throw new MemoryError(
      'INVALID_INPUT',
      `Invalid vector: must have ${dimensions} finite numbers, as the embedding model does.`,
      { details: { field: 'vector', dimensions } },
    )
  }
  return normalize(Float32Array.from(request.vector))
}

interface LayerQuery {
  layer: Layer
  identifiers: Identifiers
  terms: readonly Term[]
  vector: Float32Array | null
}

async function searchLayer(engine: SearchEngine, request: ParsedSearch, query: LayerQuery): Promise<Scored[]> {
  const { storage, model } = engine
  const { layer, terms, vector } = query
  const scope = readableScopes(layer, query.identifiers)
  if (scope === null) return []
  const where = toConditions(request, engine.now)
  const limit = Math.max(CANDIDATES, 2 * request.limit)
  const keywordQuery = { scope, where, limit, terms: terms.map((term) => term.text) }
  const [byMeaning, byKeyword] = await Promise.all([
    vector === null ? [] : findVectors(storage, { scope, where, limit, vector, model: model.name }),
    terms.length === 0 ? null : findKeyword(storage, keywordQuery),
  ])

  const candidates = new Map<string, { memory: Memory; cosine: number | null; vector: Float32Array | null }>()
  for (const match of byMeaning) candidates.set(match.memory.id, match)
  const others = byKeyword?.memories.filter((memory) => !candidates.has(memory.id)) ?? []
  const vectors =
    others.length === 0
      ? null
      : await storage.vectors(
          others.map((memory) => memory.id),
          model.name,
        )
  for (const memory of others) {
    const own = vectors?.get(memory.id) ?? null
    candidates.set(memory.id, { memory, vector: own, cosine: own && vector && dot(vector, own) })
  }

  const weighed = byKeyword ? weighTerms(terms, byKeyword.frequencies, byKeyword.documentCount) : []
  const scored: Scored[] = []
  for (const { memory, cosine, vector: own } of candidates.values()) {
    const semantic = cosine === null ? null : semanticScore(model.calibrate(cosine))
    const keyword = keywordEvidence(memory, weighed)
    const score = round(fuse(semantic ?? UNKNOWN_MEANING, keyword.score))
    if (score >= request.threshold) scored.push({ memory, layer, score, semantic, keyword, vector: own })
  }
  return scored
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
