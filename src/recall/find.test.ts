import { expect, it } from 'vitest'
import { makeMemory } from '../../test/fixtures/make-memory.ts'
import type { SearchQuery } from '../storage/search-query.ts'
import type { Storage } from '../storage/storage.ts'
import { findCandidates } from './find.ts'

const DISK = { memory: makeMemory({ id: 'm1', content: 'disk full' }), vector: Float32Array.of(1, 0) }
const ASKS = { scopes: null, where: {}, vector: Float32Array.of(1, 0), tokens: ['disk'], limit: 9 } as SearchQuery
const ASKS_NOTHING = { ...ASKS, vector: null, tokens: [] }

/** A store with one memory, whose index reports seven of a hundred memories for every query with words or a vector. */
function storeThat(capabilities: { vectorSearch: boolean; keywordSearch: boolean }): Storage {
  return {
    capabilities,
    memories: async () => ({ items: [DISK], next: null, totalCount: null }),
    search: async (queries: readonly SearchQuery[]) =>
      queries.map(({ vector, tokens }) => ({
        candidates: vector !== null || tokens.length > 0 ? [DISK] : [],
        documents: 100,
        frequencies: tokens.map(() => 7),
      })),
  } as unknown as Storage
}

it.each([
  ['an index for words alone', { vectorSearch: false, keywordSearch: true }, { documents: 100, frequencies: [7] }],
  ['an index for vectors alone', { vectorSearch: true, keywordSearch: false }, { documents: 1, frequencies: [1] }],
  ['both', { vectorSearch: true, keywordSearch: true }, { documents: 100, frequencies: [7] }],
  ['neither', { vectorSearch: false, keywordSearch: false }, { documents: 1, frequencies: [1] }],
])('with %s, words are counted where they were looked up', async (_, capabilities, counts) => {
  const [found] = await findCandidates(storeThat(capabilities), [ASKS])
  expect(found).toMatchObject({ candidates: [{ memory: { id: 'm1' } }], ...counts })
})

it('a query that asks for nothing does not take the answer from one beside it', async () => {
  const store = storeThat({ vectorSearch: true, keywordSearch: true })
  const found = await findCandidates(store, [ASKS_NOTHING, ASKS])
  expect(found.map(({ candidates }) => candidates.length)).toEqual([0, 1])
})
