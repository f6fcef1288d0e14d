import { describe, expect, it } from 'vitest'
import { cosine, RandomVectors } from '../../test/fixtures/random-vectors.ts'
import { PAGE_SLOTS, packPage } from './packed-page.ts'
import { VectorIndex } from './vector-index.ts'

const NOW = Date.UTC(2030, 0, 1)

function indexWith(dimensions: number, ...scopes: number[]): VectorIndex {
  const index = new VectorIndex(dimensions)
  for (const scope of scopes) index.addScope(scope)
  return index
}

function axis(dimensions: number, at: number): Float32Array {
  const vector = new Float32Array(dimensions)
  vector[at] = 1
  return vector
}

function keysIn(index: VectorIndex, scopes: number[], options: { visibleAt?: number | null } = {}) {
  const request = { scopes, limit: 10_000, visibleAt: NOW, ...options }
  return index.search(axis(index.dimensions, 0), request).map(({ key }) => key)
}

describe('search', () => {
  it('finds the true ten best of clustered data among its 40 best', () => {
    const random = new RandomVectors(384, 11)
    const centres = Array.from({ length: 12 }, () => random.unit())
    const vectors = Array.from({ length: 3000 }, (_, i) => random.unit(centres[i % 12], 0.5 + random.number()))
    const index = indexWith(384, 1)
    for (const [i, vector] of vectors.entries()) index.put(1, i + 1, vector)
    for (let i = 0; i < 24; i++) {
      const query = random.unit(centres[i % 12], 0.8)
      const exact = vectors.map((vector, at) => ({ key: at + 1, score: cosine(vector, query) }))
      const best = exact.toSorted((a, b) => b.score - a.score).slice(0, 10)
      const found = index.search(query, { scopes: [1], limit: 40, visibleAt: NOW })
      expect(found.map(({ key }) => key)).toEqual(expect.arrayContaining(best.map(({ key }) => key)))
      for (const { key, score } of found) expect(Math.abs(score - exact[key - 1]!.score)).toBeLessThan(0.005)
    }
  })

  it.each([1, 2, 15, 16, 17, 33, 100, 384, 1000, 4096])(
    'scores %i dimensions close to the float cosine',
    (dimensions) => {
      const random = new RandomVectors(dimensions, dimensions)
      const entries = Array.from({ length: 21 }, (_, i) => ({ key: i + 1, vector: random.unit() }))
      const index = new VectorIndex(dimensions)
      index.loadPage(1, packPage(entries, dimensions))
      const query = random.unit()
      const found = index.search(query, { scopes: [1], limit: 100, visibleAt: NOW })
      expect(found).toHaveLength(21)
      for (const { key, score } of found) {
        expect(Math.abs(score - cosine(entries[key - 1]!.vector, query))).toBeLessThan(0.01)
      }
    },
  )

  it('does not overflow when every value is at its largest', () => {
    const vector = new Float32Array(4096).fill(1 / 64)
    const index = indexWith(4096, 1)
    index.put(1, 1, vector)
    index.put(
      1,
      2,
      vector.map((value) => -value),
    )
    const found = index.search(vector, { scopes: [1], limit: 2, visibleAt: NOW })
    expect(found.map(({ key, score }) => [key, Number(score.toFixed(3))])).toEqual([
      [1, 1],
      [2, -1],
    ])
  })

  it('returns equal scores by key, whatever the order of insertion and however few are asked for', () => {
    const index = indexWith(8, 1)
    for (let i = 0; i < 600; i++) index.put(1, ((i * 7919) % 600) + 1, axis(8, 3))
    const found = index.search(axis(8, 3), { scopes: [1], limit: 5, visibleAt: NOW })
    expect(found.map(({ key }) => key)).toEqual([1, 2, 3, 4, 5])
  })

  it('ranks a zero vector with a score of 0, and answers a zero query', () => {
    const index = indexWith(4, 1)
    index.put(1, 1, new Float32Array(4))
    index.put(1, 2, Float32Array.of(-1, 0, 0, 0))
    index.put(1, 3, axis(4, 0))
    expect(index.search(axis(4, 0), { scopes: [1], limit: 3, visibleAt: NOW }).map(({ key }) => key)).toEqual([3, 1, 2])
    const zero = index.search(new Float32Array(4), { scopes: [1], limit: 3, visibleAt: NOW })
    expect(zero.map(({ key }) => key)).toEqual([1, 2, 3])
  })

  it('reads only the scopes it names, each once', () => {
    const index = indexWith(4, 1, 2, 3)
    for (const scope of [1, 2, 3]) index.put(scope, scope * 10, axis(4, 0))
    expect(keysIn(index, [2])).toEqual([20])
    expect(keysIn(index, [3, 1, 3])).toEqual([10, 30])
    expect(keysIn(index, [])).toEqual([])
  })

  it('throws for a scope that is not loaded, and answers nothing for an empty one', () => {
    const index = indexWith(4, 1)
    expect(keysIn(index, [1])).toEqual([])
    expect(() => keysIn(index, [1, 2])).toThrow('scope 2 is not loaded')
  })
})

describe('allow', () => {
  const random = new RandomVectors(24, 5)
  const index = indexWith(24, 1, 2)
  for (let key = 1; key <= 2000; key++) index.put(key % 5 === 0 ? 2 : 1, key, random.unit())
  for (let key = 1; key <= 2000; key += 7) index.setVisibleUntil(key, -Infinity)
  const query = random.unit()
  const all = index.search(query, { scopes: [1], limit: 2000, visibleAt: NOW })

  it.each([3, 50, 700, 1900])('counts only the %i allowed keys, with the scores of a full scan', (count) => {
    const allow = new Set(Array.from({ length: count }, (_, i) => i + 1))
    const expected = all.filter(({ key }) => allow.has(key)).slice(0, 20)
    expect(index.search(query, { scopes: [1], limit: 20, visibleAt: NOW, allow })).toEqual(expected)
    expect(expected.length).toBeGreaterThan(0)
  })

  it('ignores unknown keys and answers nothing for an empty set', () => {
    expect(index.search(query, { scopes: [1], limit: 20, visibleAt: NOW, allow: new Set([99_999]) })).toEqual([])
    expect(index.search(query, { scopes: [1], limit: 20, visibleAt: NOW, allow: new Set() })).toEqual([])
  })
})

describe('changes', () => {
  it('replaces the vector of a key and keeps its visibility', () => {
    const index = indexWith(4, 1)
    index.put(1, 7, axis(4, 1))
    index.setVisibleUntil(7, -Infinity)
    index.put(1, 7, axis(4, 0))
    expect(index.size).toBe(1)
    expect(keysIn(index, [1])).toEqual([])
    const [match] = index.search(axis(4, 0), { scopes: [1], limit: 1, visibleAt: null })
    expect(match?.score).toBeCloseTo(1, 3)
  })

  it('moves a key to another scope with its visibility', () => {
    const index = indexWith(4, 1, 2)
    index.put(1, 7, axis(4, 0))
    index.put(1, 8, axis(4, 0))
    index.setVisibleUntil(7, NOW + 1)
    index.put(2, 7, axis(4, 0))
    expect([keysIn(index, [1]), keysIn(index, [2]), index.size]).toEqual([[8], [7], 2])
    expect(keysIn(index, [2], { visibleAt: NOW + 1 })).toEqual([])
  })

  it('removes a key, and forgets its visibility', () => {
    const index = indexWith(4, 1)
    for (const key of [1, 2, 3]) index.put(1, key, axis(4, 0))
    index.setVisibleUntil(2, -Infinity)
    index.remove(2)
    index.remove(99)
    expect([keysIn(index, [1], { visibleAt: null }), index.size]).toEqual([[1, 3], 2])
    index.put(1, 2, axis(4, 0))
    expect(keysIn(index, [1])).toEqual([1, 2, 3])
  })

  it('hides inactive entries, and expired ones from the moment they expire', () => {
    const index = indexWith(4, 1)
    for (const key of [1, 2, 3]) index.put(1, key, axis(4, 0))
    index.setVisibleUntil(1, -Infinity)
    index.setVisibleUntil(2, NOW)
    expect(keysIn(index, [1])).toEqual([3])
    expect(keysIn(index, [1], { visibleAt: NOW - 1 })).toEqual([2, 3])
    expect(keysIn(index, [1], { visibleAt: null })).toEqual([1, 2, 3])
    index.setVisibleUntil(1, Infinity)
    index.setVisibleUntil(99, Infinity)
    expect(keysIn(index, [1])).toEqual([1, 3])
  })

  it('agrees with a plain model after thousands of random changes', () => {
    const random = new RandomVectors(20, 99)
    const index = indexWith(20, 0, 1, 2)
    const model = new Map<number, { scope: number; vector: Float32Array; visible: boolean }>()
    for (let step = 0; step < 6000; step++) {
      const key = 1 + Math.floor(random.number() * 1500)
      const scope = Math.floor(random.number() * 3)
      const known = model.get(key)
      const dice = random.number()
      if (dice < 0.6) {
        const vector = random.unit()
        index.put(scope, key, vector)
        model.set(key, { scope, vector, visible: known?.visible ?? true })
      } else if (dice < 0.84) {
        index.remove(key)
        model.delete(key)
      } else {
        const visible = random.number() < 0.5
        index.setVisibleUntil(key, visible ? Infinity : -Infinity)
        if (known) known.visible = visible
      }
      if (step === 3000) {
        index.dropScope(1)
        index.addScope(1)
        for (const [other, entry] of model) if (entry.scope === 1) model.delete(other)
      }
    }
    expect(index.size).toBe(model.size)
    const query = random.unit()
    for (const scope of [0, 1, 2]) {
      const found = index.search(query, { scopes: [scope], limit: 5000, visibleAt: NOW })
      const expected = [...model].filter(([, entry]) => entry.scope === scope && entry.visible)
      expect(found.map(({ key }) => key).sort()).toEqual(expected.map(([key]) => key).sort())
      for (const { key, score } of found) expect(score).toBeCloseTo(cosine(model.get(key)!.vector, query), 1)
    }
  })
})

describe('pages and chunks', () => {
  it('answers the same from loaded pages as from single puts', () => {
    const random = new RandomVectors(50, 21)
    const entries = Array.from({ length: 3 * PAGE_SLOTS + 17 }, (_, i) => ({ key: i + 1, vector: random.unit() }))
    const put = indexWith(50, 1)
    for (const { key, vector } of entries) put.put(1, key, vector)
    const loaded = new VectorIndex(50)
    for (let first = 0; first < entries.length; first += PAGE_SLOTS) {
      loaded.loadPage(1, packPage(entries.slice(first, first + PAGE_SLOTS), 50))
    }
    const request = { scopes: [1], limit: 30, visibleAt: NOW }
    const query = random.unit()
    expect(loaded.search(query, request)).toEqual(put.search(query, request))
    expect([loaded.size, loaded.hasScope(1)]).toEqual([entries.length, true])
  })

  it('leaves empty slots of a page out, and fills them with later entries', () => {
    const index = new VectorIndex(4)
    const page = packPage(
      [1, 2, 3, 4].map((key) => ({ key, vector: axis(4, 0) })),
      4,
    )
    page.keys[1] = 0
    page.keys[3] = 0
    index.loadPage(1, page)
    expect([keysIn(index, [1]), index.size]).toEqual([[1, 3], 2])
    index.put(1, 9, axis(4, 0))
    expect(keysIn(index, [1])).toEqual([1, 3, 9])
  })

  it('replaces the keys that a page repeats, from before or within the page', () => {
    const index = indexWith(4, 1, 2)
    index.put(1, 5, axis(4, 0))
    index.loadPage(
      2,
      packPage(
        [5, 6, 5].map((key, i) => ({ key, vector: axis(4, i) })),
        4,
      ),
    )
    expect([keysIn(index, [1]), index.size]).toEqual([[], 2])
    const [match] = index.search(axis(4, 2), { scopes: [2], limit: 1, visibleAt: NOW })
    expect([match?.key, match?.score.toFixed(2)]).toEqual([5, '1.00'])
  })

  it('reuses the chunks of a dropped scope, without anything left of it', () => {
    const index = indexWith(16, 1, 2)
    for (let key = 1; key <= 1000; key++) index.put(1, key, axis(16, 0))
    index.put(2, 5000, axis(16, 0))
    index.setVisibleUntil(3, -Infinity)
    index.dropScope(1)
    index.dropScope(77)
    expect([index.size, index.hasScope(1), keysIn(index, [2])]).toEqual([1, false, [5000]])
    index.addScope(3)
    for (let key = 1; key <= 10; key++) index.put(3, key, axis(16, 0))
    expect(keysIn(index, [3])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(keysIn(index, [2, 3], { visibleAt: null })).toHaveLength(11)
  })

  it('does not grow when scopes come and go', () => {
    const page = packPage(
      Array.from({ length: PAGE_SLOTS }, (_, i) => ({ key: i + 1, vector: axis(4096, i) })),
      4096,
    )
    const index = new VectorIndex(4096)
    // 5000 pages of 1 MiB exceed what linear memory can hold.
    for (let round = 0; round < 5000; round++) {
      index.loadPage(round, page)
      index.dropScope(round)
    }
    expect(index.size).toBe(0)
  })
})

describe('bad input', () => {
  it('refuses vectors of a wrong length or with NaN, and changes nothing', () => {
    const index = indexWith(3, 1, 2)
    index.put(1, 1, axis(3, 0))
    for (const bad of [
      [1, 0],
      [1, 0, 0, 0],
      [Number.NaN, 0, 1],
      [0, -Infinity, 0],
    ]) {
      const vector = Float32Array.from(bad)
      expect(() => index.put(1, 1, vector)).toThrow(RangeError)
      expect(() => index.put(2, 1, vector)).toThrow(RangeError)
      expect(() => index.put(1, 2, vector)).toThrow(RangeError)
      expect(() => index.search(vector, { scopes: [1], limit: 1, visibleAt: NOW })).toThrow(RangeError)
    }
    expect([index.size, keysIn(index, [1]), keysIn(index, [2])]).toEqual([1, [1], []])
  })

  it('refuses bad keys, limits, times, pages and dimensions, and a put into a scope that is not loaded', () => {
    const index = indexWith(3, 1)
    for (const key of [0, -4, 1.5, Number.NaN]) expect(() => index.put(1, key, axis(3, 0))).toThrow(RangeError)
    for (const limit of [-1, 0.5, Number.NaN]) {
      expect(() => index.search(axis(3, 0), { scopes: [1], limit, visibleAt: NOW })).toThrow(RangeError)
    }
    expect(() => index.search(axis(3, 0), { scopes: [1], limit: 1, visibleAt: Number.NaN })).toThrow(RangeError)
    expect(() => index.setVisibleUntil(1, Number.NaN)).toThrow(RangeError)
    expect(() => index.loadPage(1, packPage([{ key: 1, vector: axis(4, 0) }], 4))).toThrow(RangeError)
    expect(() => index.put(2, 1, axis(3, 0))).toThrow('scope 2 is not loaded')
    for (const dimensions of [0, 4097, 2.5]) expect(() => new VectorIndex(dimensions)).toThrow(RangeError)
    expect(index.size).toBe(0)
  })
})
