import { expect } from 'vitest'
import type { Found, SearchQuery } from '../../../storage/search-query.ts'
import type { Storage } from '../../../storage/storage.ts'
import { group } from '../group.ts'
import { expectVector, insert, numberOf, question, remove, second, update, vectorFor, write } from './writing.ts'

async function ask(storage: Storage, fields: Partial<SearchQuery>): Promise<Found> {
  const [found] = await storage.search([question(fields)])
  return found!
}

function numbersOf({ candidates }: Found): number[] {
  return candidates.map(({ memory }) => numberOf(memory.id)).sort((a, b) => a - b)
}

/** Tokens that a careless index joins, splits, folds, drops or reads as an operator. */
const ODD_TOKENS = [
  'й',
  'и',
  'ё',
  'е',
  'が',
  'か',
  'ガ',
  '한국',
  'ά',
  'α',
  '再起',
  '起動',
  '起',
  '🚀',
  'café',
  'cafe',
  'NEAR',
  'near',
  'and',
  'or',
  'not',
  'auto',
  'automatic',
  'run',
  'running',
  '007',
  '7',
  'ﬁ',
  'fi',
  'ß',
  'ss',
  'İ',
  'x'.repeat(200),
]

export const searchCases = group('search', (it) => {
  it('by token: memories with any of them, and the frequency of each token, in order', async (store) => {
    const storage = await store.storage()
    if (!storage.capabilities.keywordSearch) return
    await write(storage, [
      insert(1, {}, { tokens: ['disk', 'full'] }),
      insert(2, {}, { tokens: ['disk', 'night'] }),
      insert(3, {}, { tokens: ['night'] }),
      insert(4, {}, { tokens: [] }),
    ])
    const found = await ask(storage, { tokens: ['night', 'unknown', 'full'] })
    expect(numbersOf(found)).toEqual([1, 2, 3])
    expect(found.documents).toBe(4)
    expect(found.frequencies).toEqual([2, 0, 1])
    expect(numbersOf(await ask(storage, { tokens: ['unknown'] }))).toEqual([])
  })

  it('tokens of every script stay separate and complete', async (store) => {
    const storage = await store.storage()
    if (!storage.capabilities.keywordSearch) return
    await write(
      storage,
      ODD_TOKENS.map((token, i) => insert(i, {}, { tokens: [token] })),
    )
    const answers = await storage.search(ODD_TOKENS.map((token) => question({ tokens: [token] })))
    for (const [i, token] of ODD_TOKENS.entries()) {
      expect(numbersOf(answers[i]!), token).toEqual([i])
      expect(answers[i]!.frequencies, token).toEqual([1])
    }
  })

  it('documents and frequencies ignore conditions, and other scopes', async (store) => {
    const storage = await store.storage()
    const { keywordSearch } = storage.capabilities
    const tokens = ['disk', 'night']
    await write(storage, [
      insert(1, {}, { tokens: ['disk'] }),
      insert(2, { active: false, trust: 'quarantined' }, { tokens: ['disk'], visibleUntil: '' }),
      insert(3, { tags: ['x'] }, { tokens: ['night'] }),
    ])
    const where = { visibleAt: second(0), tags: ['x'] }
    const before = await ask(storage, { tokens: keywordSearch ? tokens : [], where })
    expect(before.documents).toBe(3)
    expect(before.frequencies).toEqual(keywordSearch ? [2, 1] : [])
    const lab = { identifiers: { projectId: 'lab' } }
    await write(
      storage,
      [10, 11, 12, 13].map((number) => insert(number, lab, { tokens })),
    )
    await write(storage, [insert(20, { layer: 'company', identifiers: { companyId: 'shop' } }, { tokens })])
    expect(await ask(storage, { tokens: keywordSearch ? tokens : [], where })).toEqual(before)
    const whole = await ask(storage, { tokens: keywordSearch ? tokens : [], scopes: null })
    expect(whole.documents).toBe(8)
    expect(whole.frequencies).toEqual(keywordSearch ? [7, 6] : [])
  })

  it('tokens follow the memory: changed by an update, removed by a delete', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    if (!storage.capabilities.keywordSearch) return
    await write(storage, [insert(1, {}, { tokens: ['old', 'both'] }), insert(2, {}, { tokens: ['old'] })])
    const tokens = ['old', 'new', 'both']
    for (const handle of [storage, other]) expect((await ask(handle, { tokens })).frequencies).toEqual([2, 0, 1])
    await write(storage, [update(1, 2, {}, { tokens: ['new', 'both'] }), remove(2)])
    for (const handle of [storage, other]) {
      const found = await ask(handle, { tokens })
      expect([numbersOf(found), found.frequencies, found.documents]).toEqual([[1], [0, 1, 1], 1])
      expect(numbersOf(await ask(handle, { tokens: ['old'] }))).toEqual([])
      expect(numbersOf(await ask(handle, { tokens: ['new'] }))).toEqual([1])
    }
    await write(storage, [update(1, 3, { layer: 'user', identifiers: { userId: 'ann' } }, { tokens: ['new'] })])
    expect(await ask(storage, { tokens })).toMatchObject({ documents: 0, frequencies: [0, 0, 0] })
  })

  it('the best by token have the highest weight of rare tokens, then are the newest', async (store) => {
    const storage = await store.storage()
    if (!storage.capabilities.keywordSearch) return
    const common = Array.from({ length: 12 }, (_, i) =>
      insert(10 + i, { createdAt: second(i) }, { tokens: ['common', 'usual'] }),
    )
    await write(storage, [...common, insert(1, { createdAt: second(-9) }, { tokens: ['rare'] })])
    const tokens = ['common', 'rare', 'usual']
    // One rare word says more than two common ones.
    expect(numbersOf(await ask(storage, { tokens, limit: 1 }))).toEqual([1])
    expect(numbersOf(await ask(storage, { tokens, limit: 3 }))).toEqual([1, 20, 21])
    await write(storage, [insert(2, { createdAt: second(-8) }, { tokens: ['rare', 'common'] })])
    expect(numbersOf(await ask(storage, { tokens, limit: 1 }))).toEqual([2])
  })

  it('by vector: the requested number of nearest memories', async (store) => {
    const storage = await store.storage()
    if (!storage.capabilities.vectorSearch) return
    const texts = Array.from({ length: 40 }, (_, i) => `text ${i}`)
    await write(storage, [
      ...texts.map((text, i) => insert(i, {}, { text })),
      insert(90, {}, { tokens: ['question'] }),
      insert(91, { identifiers: { projectId: 'lab' } }, { text: 'question' }),
    ])
    const vector = vectorFor('question')
    const cosine = (text: string) => vectorFor(text).reduce((sum, value, i) => sum + value * vector[i]!, 0)
    const nearest = texts.map((text, i) => ({ i, cosine: cosine(text) })).sort((a, b) => b.cosine - a.cosine)
    for (const limit of [1, 5, 12]) {
      const found = await ask(storage, { vector, limit })
      expect(numbersOf(found), `${limit}`).toEqual(
        nearest
          .slice(0, limit)
          .map(({ i }) => i)
          .sort((a, b) => a - b),
      )
      for (const candidate of found.candidates) expectVector(candidate.vector, `text ${numberOf(candidate.memory.id)}`)
    }
    expect((await ask(storage, { vector, limit: 100 })).candidates).toHaveLength(40)
  })

  it('vectors follow the memory: changed, removed and deleted, through every handle', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    if (!storage.capabilities.vectorSearch) return
    await write(storage, [insert(1, {}, { text: 'old' }), insert(2, {}, { text: 'two' }), insert(3, {}, { text: 'x' })])
    const vector = vectorFor('question')
    const found = async (handle: Storage) => {
      const { candidates } = await ask(handle, { vector })
      return new Map(candidates.map((candidate) => [numberOf(candidate.memory.id), candidate]))
    }
    for (const handle of [storage, other]) expect((await found(handle)).size).toBe(3)
    await write(storage, [update(1, 2, {}, { text: 'new' }), update(2, 2, {}, { text: null }), remove(3)])
    for (const handle of [storage, other]) {
      const now = await found(handle)
      expect([...now.keys()]).toEqual([1])
      expectVector(now.get(1)!.vector, 'new')
      expect(now.get(1)!.memory.version).toBe(2)
    }
    await write(storage, [update(1, 3, { identifiers: { projectId: 'lab' } })])
    for (const handle of [storage, other]) expect((await found(handle)).size).toBe(0)
  })

  it('by both: each memory once, with its vector', async (store) => {
    const storage = await store.storage()
    const { vectorSearch, keywordSearch } = storage.capabilities
    if (!vectorSearch || !keywordSearch) return
    await write(storage, [
      insert(1, {}, { tokens: ['disk'], text: 'question' }),
      insert(2, {}, { tokens: ['disk'] }),
      insert(3, {}, { text: 'three' }),
    ])
    const { candidates } = await ask(storage, { tokens: ['disk'], vector: vectorFor('question') })
    const sorted = candidates.sort((a, b) => (a.memory.id < b.memory.id ? -1 : 1))
    expect(sorted.map(({ memory }) => numberOf(memory.id))).toEqual([1, 2, 3])
    expectVector(sorted[0]!.vector, 'question')
    expect(sorted[1]!.vector).toBeNull()
    const [narrow] = await storage.search([question({ tokens: ['disk'], vector: vectorFor('three'), limit: 1 })])
    expect(numbersOf(narrow!)).toEqual([2, 3])
  })

  it('returns the requested number of neighbours in the same thread, on both sides', async (store) => {
    const storage = await store.storage()
    const { vectorSearch, keywordSearch } = storage.capabilities
    const talk = (index: number, id = 'talk') => ({ thread: { id, index } })
    await write(storage, [
      ...[0, 1, 2, 3].map((index) => insert(index, talk(index), { text: `line ${index}` })),
      insert(4, talk(4), { tokens: ['disk'], text: 'question' }),
      ...[5, 6, 7].map((index) => insert(index, talk(index))),
      insert(10, talk(4, 'other')),
      insert(11, talk(5, 'other')),
      insert(12),
    ])
    const ways: Partial<SearchQuery>[] = [
      ...(keywordSearch ? [{ tokens: ['disk'] }] : []),
      ...(vectorSearch ? [{ vector: vectorFor('question') }] : []),
    ]
    for (const way of ways) {
      const numbers = async (around?: number) =>
        numbersOf(await ask(storage, { ...way, limit: 1, ...(around === undefined ? {} : { around }) }))
      expect(await numbers()).toEqual([4])
      expect(await numbers(0)).toEqual([4])
      expect(await numbers(1)).toEqual([3, 4, 5])
      expect(await numbers(2)).toEqual([2, 3, 4, 5, 6])
      expect(await numbers(50)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
      const { candidates } = await ask(storage, { ...way, limit: 1, around: 1 })
      const before = candidates.find(({ memory }) => numberOf(memory.id) === 3)!
      expect(before.memory).toMatchObject(talk(3))
      expectVector(before.vector, 'line 3')
    }
  })

  it('returns no thread neighbours outside the scopes and conditions', async (store) => {
    const storage = await store.storage()
    const { vectorSearch, keywordSearch } = storage.capabilities
    const talk = (index: number) => ({ thread: { id: 'talk', index } })
    const lab = { identifiers: { projectId: 'lab' } }
    await write(storage, [
      insert(1, { ...talk(1), tags: ['x'] }, { tokens: ['disk'], text: 'question' }),
      insert(2, { ...talk(2), tags: ['x'] }),
      insert(3, { ...talk(2), ...lab, tags: ['x'] }),
      insert(4, talk(0)),
      insert(5, { ...talk(3), tags: ['x'] }, { visibleUntil: second(-1) }),
    ])
    const where = { visibleAt: second(0), tags: ['x'] }
    const way = keywordSearch ? { tokens: ['disk'] } : vectorSearch ? { vector: vectorFor('question') } : null
    if (way === null) return
    expect(numbersOf(await ask(storage, { ...way, where, limit: 1, around: 5 }))).toEqual([1, 2])
    expect(numbersOf(await ask(storage, { ...way, limit: 1, around: 5 }))).toEqual([1, 2, 4, 5])
    expect(numbersOf(await ask(storage, { ...way, scopes: null, limit: 1, around: 1 }))).toEqual([1, 2, 3, 4])
    expect(numbersOf(await ask(storage, { where, limit: 1, around: 5 }))).toEqual([])
  })

  it('several queries at once get one answer each, in order', async (store) => {
    const storage = await store.storage()
    const lab = { layer: 'project', owner: 'lab', projects: [null] } as const
    await write(storage, [insert(1, {}, { tokens: ['a'] }), insert(2, {}, { tokens: ['b'] })])
    await write(storage, [insert(3, { identifiers: { projectId: 'lab' } }, { tokens: ['a'] })])
    expect(await storage.search([])).toEqual([])
    const tokens = (...wanted: string[]) => (storage.capabilities.keywordSearch ? wanted : [])
    const answers = await storage.search([
      question({ tokens: tokens('b') }),
      question({ tokens: tokens('a', 'b'), scopes: [lab] }),
      question({ tokens: tokens('a') }),
      question({ tokens: [], scopes: [] }),
    ])
    expect(answers.map(({ documents }) => documents)).toEqual([2, 1, 2, 0])
    if (!storage.capabilities.keywordSearch) return
    expect(answers.map(numbersOf)).toEqual([[2], [3], [1], []])
    expect(answers.map(({ frequencies }) => frequencies)).toEqual([[1], [1, 0], [1], []])
  })
})
