import { invalidInput } from '../model/errors.ts'
import type { Layer, ScopeSelector } from '../model/layer.ts'
import { LAYERS } from '../model/layer.ts'
import { parseInput } from '../model/parse.ts'
import type { SearchResults } from '../model/provider.ts'
import { type SearchRequest, searchSchema } from '../model/schema.ts'
import { isVague } from '../recall/faint.ts'
import { search } from '../recall/search.ts'
import { queryTerms } from '../recall/terms.ts'
import { normalize } from '../vector/normalize.ts'
import { resolveClaim } from './claim.ts'
import { toConditions } from './conditions.ts'
import type { Caller, Core } from './core.ts'
import { readCorrected } from './corrected.ts'
import { readWithCachedScopes } from './opened-before.ts'

/** Searches what the caller may read, and reports which layers were searched. Corrected memories are only found with inactive ones, and are marked. */
export async function searchMemories(core: Core, caller: Caller, input: SearchRequest): Promise<SearchResults> {
  // The vector itself is checked below: parsing it number by number would cost more than the search.
  const given = input?.vector
  const plain = given instanceof Float32Array ? { ...input, vector: undefined } : input
  const request = parseInput(searchSchema, plain, 'search')
  const who = resolveClaim(caller, request)
  const vector = given && request.mode !== 'keyword' ? checkedVector(core, given) : null
  const now = core.now()
  const { model, embedder, storage, attempt } = core
  const { query, mode, limit, threshold, order, explain } = request
  const find = async ({ layers, scopes }: { layers: Layer[]; scopes: ScopeSelector[] | null }) => {
    const { corrected, ...found } = await search(
      {
        storage,
        now,
        attempt,
        embed: (text) => embedder.embedQuery(text),
        decay: core.settings.decay,
        calibrate: (cosine, terseness, documents) => model.calibrate?.(cosine, terseness, documents) ?? cosine,
        believed: (memories) => readCorrected(core, who, now, memories),
      },
      {
        ...{ scopes, where: toConditions(request, who, now), query, mode, vector, limit, threshold, order, explain },
        keepCorrected: request.includeInactive,
      },
    )
    return { ...found, searchedLayers: layers, ...(explain ? { corrected } : {}) }
  }
  return who === null
    ? find({ layers: [...LAYERS], scopes: null })
    : readWithCachedScopes(core, who, request.layers, find)
}

/** Whether a query says so little that only memories with its words as a name are found. */
export function isVagueQuery(query: string): boolean {
  return isVague(queryTerms(query))
}

function checkedVector(core: Core, given: NonNullable<SearchRequest['vector']>): Float32Array {
  const { dimensions } = core.model
  const vector = normalize(Float32Array.from(given))
  if (vector.length !== dimensions || !vector.every(Number.isFinite)) {
    throw invalidInput(
      'vector',
      `Invalid vector: must have ${dimensions} finite numbers, as the embedding model does.`,
      { dimensions },
    )
  }
  return vector
}

/** How many results each searched layer gave, including zeros. */
export function countByLayer({ results, searchedLayers }: SearchResults): Map<Layer, number> {
  const counts = new Map<Layer, number>(searchedLayers.map((layer) => [layer, 0]))
  for (const { layer } of results) counts.set(layer, (counts.get(layer) ?? 0) + 1)
  return counts
}
