import type { Layer } from '../model/layer.ts'
import { parseInput } from '../model/parse.ts'
import type { SearchResults } from '../model/provider.ts'
import { type SearchRequest, searchSchema } from '../model/schema.ts'
import { search } from '../recall/search.ts'
import { type Core, withoutUndefined } from './core.ts'

export async function searchMemories(core: Core, input: SearchRequest): Promise<SearchResults> {
  const request = parseInput(searchSchema, input, 'search')
  const { provider, storage, attempt } = core
  const { name, dimensions } = provider
  return search(
    {
      storage,
      model: { name, dimensions, calibrate: (cosine) => provider.calibrate?.(cosine) ?? cosine },
      embedQuery: async (query) => (await core.embedder.embed([query]))[0]!.vector,
      now: core.now(),
      attempt,
    },
    request,
    await core.complete(withoutUndefined(request.identifiers)),
  )
}

/** How many results each searched layer gave, those without any included. */
export function countByLayer({ results, searchedLayers }: SearchResults): Map<Layer, number> {
  const counts = new Map<Layer, number>(searchedLayers.map((layer) => [layer, 0]))
  for (const { layer } of results) counts.set(layer, (counts.get(layer) ?? 0) + 1)
  return counts
}
