import { expect, it } from 'vitest'
import { makeMemory } from '../../test/fixtures/make-memory.ts'
import type { MemoryQuery } from '../storage/memory-query.ts'
import type { SearchQuery } from '../storage/search-query.ts'
import type { Storage } from '../storage/storage.ts'
import { scanScopes } from './scan-scopes.ts'

const ALL = [0, 1, 2, 3, 4, 5, 6].map((index) => {
  const content = index === 3 ? 'disk full' : index === 6 ? 'disk' : `line ${index}`
  const thread = index === 6 ? null : { id: 'talk', index }
  return { memory: makeMemory({ id: `m${index}`, content, thread }), vector: Float32Array.of(index === 5 ? 1 : 0, 1) }
})

/** Returns memories two at a time, newest first, and only what was requested. */
const storage = {
  async memories({ after, vectors }: MemoryQuery) {
    const start = after === null ? 0 : Number(after)
    const held = ALL.toReversed()
    const items = held.slice(start, start + 2).map((stored) => (vectors ? stored : { ...stored, vector: null }))
    return { items, next: start + 2 < held.length ? String(start + 2) : null, totalCount: null }
  },
} as unknown as Storage

const found = async (query: Partial<SearchQuery>) => {
  const asked = { scopes: null, where: {}, vector: null, tokens: [], limit: 9, ...query }
  const { candidates, ...counts } = await scanScopes(storage, asked)
  return { ids: candidates.map(({ memory }) => memory.id), ...counts }
}

it('finds by words, the rarer weighing more, and counts them in all pages', async () => {
  expect(await found({ tokens: ['disk', 'full'] })).toEqual({ ids: ['m3', 'm6'], documents: 7, frequencies: [2, 1] })
  expect(await found({ tokens: ['disk', 'full'], limit: 1 })).toMatchObject({ ids: ['m3'] })
  expect(await found({ tokens: ['line'] })).toMatchObject({ ids: ['m5', 'm4', 'm2', 'm1', 'm0'], frequencies: [5] })
})

it('finds by meaning, the nearest first, of equals the newest', async () => {
  const near = await found({ vector: Float32Array.of(1, 0), limit: 3 })
  expect(near).toEqual({ ids: ['m5', 'm6', 'm4'], documents: 0, frequencies: [] })
})

it('brings the places around what it found in a thread, and says nothing twice', async () => {
  const around = async (places: number) => (await found({ tokens: ['full'], around: places })).ids.toSorted()
  expect(await around(0)).toEqual(['m3'])
  expect(await around(1)).toEqual(['m2', 'm3', 'm4'])
  expect(await around(2)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5'])
  expect(
    (await found({ tokens: ['disk'], limit: 1, around: 1, vector: Float32Array.of(1, 0) })).ids.toSorted(),
  ).toEqual(['m4', 'm5', 'm6'])
})
