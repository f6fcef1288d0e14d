import { expect } from 'vitest'
import { type Filter, filterTests } from '../../../model/filter.ts'
import type { Memory } from '../../../model/memory.ts'
import type { Write } from '../../../storage/commit.ts'
import type { Conditions } from '../../../storage/conditions.ts'
import { filterCases, METADATA } from '../filter-cases.ts'
import { type CaseGroup, group } from '../group.ts'
import { insert, numberOf, numbers, query, question, second, vectorFor, write } from './writing.ts'

const talk = (index: number, id = 'talk') => ({ thread: { id, index } })

/** Each memory differs from the plain one, number 1, in the field of one condition. */
const SPECIAL: [number, Partial<Memory>, { visibleUntil?: string; text?: string | null }?][] = [
  [1, {}],
  [2, { category: 'timing' }],
  [3, { category: 'hint' }],
  [4, { service: 'web' }],
  [5, { service: 'Main_db 2' }],
  [6, { source: 'coder' }],
  [7, { session: 'run-1' }],
  [8, { session: '1' }],
  [9, { trust: 'flagged' }],
  [10, { trust: 'quarantined' }],
  [11, { tags: ['red', 'round'] }],
  [12, { tags: ['green'] }],
  [13, talk(0)],
  [14, talk(2)],
  [15, talk(10)],
  [16, talk(2, 'other')],
  [17, { expiresAt: second(10.5) }],
  [18, { expiresAt: second(20) }],
  [19, { updatedAt: second(-10) }],
  [20, { updatedAt: second(-20.5) }],
  [21, {}, { visibleUntil: second(5.5) }],
  [22, {}, { visibleUntil: '' }],
  [23, {}, { text: null }],
  [24, { active: false }],
  [25, { layer: 'user', identifiers: { userId: 'ann' } }],
  [26, { links: [{ relation: 'contradicts', memory: 'x' }] }],
  [27, { links: [{ relation: 'contradictedBy', memory: 'x' }] }],
  [28, { links: [{ relation: 'confirms', memory: 'x' }] }],
]
const ALL_NUMBERS = SPECIAL.map(([number]) => number)
const others = (...numbers: number[]) => ALL_NUMBERS.filter((number) => !numbers.includes(number))

const TEENS = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]

const CONDITIONS: { title: string; where: Conditions; selects: number[] }[] = [
  { title: 'none', where: {}, selects: ALL_NUMBERS },
  { title: 'visibleAt before', where: { visibleAt: second(4) }, selects: others(22) },
  { title: 'visibleAt a millisecond before', where: { visibleAt: second(5.499) }, selects: others(22) },
  { title: 'visibleAt the instant itself', where: { visibleAt: second(5.5) }, selects: others(21, 22) },
  { title: 'visibleAt after', where: { visibleAt: second(6) }, selects: others(21, 22) },
  { title: 'hiddenAt a millisecond before', where: { hiddenAt: second(5.499) }, selects: [22] },
  { title: 'hiddenAt the instant itself', where: { hiddenAt: second(5.5) }, selects: [21, 22] },
  { title: 'a text in the content, in another case', where: { text: 'rEcOrD 1' }, selects: [1, ...TEENS] },
  { title: 'a text in the service', where: { text: 'WE' }, selects: [4] },
  { title: 'a text with wildcards of SQL', where: { text: 'Record_1%' }, selects: [] },
  { title: 'a layer', where: { layers: ['user'] }, selects: [25] },
  { title: 'two layers', where: { layers: ['project', 'user'] }, selects: ALL_NUMBERS },
  { title: 'layers of which none is there', where: { layers: ['agent', 'team'] }, selects: [] },
  { title: 'one category', where: { categories: ['timing'] }, selects: [2] },
  { title: 'two categories', where: { categories: ['hint', 'timing'] }, selects: [2, 3] },
  { title: 'a service', where: { service: 'web' }, selects: [4] },
  { title: 'a service in another spelling', where: { service: 'main-DB_2' }, selects: [5] },
  { title: 'no service', where: { service: null }, selects: others(4, 5) },
  { title: 'a source', where: { source: 'coder' }, selects: [6] },
  { title: 'a session', where: { session: 'run-1' }, selects: [7] },
  { title: 'a session that looks like a number', where: { session: '1' }, selects: [8] },
  { title: 'an unknown session', where: { session: '01' }, selects: [] },
  { title: 'one trust', where: { trust: ['flagged'] }, selects: [9] },
  { title: 'two trusts', where: { trust: ['quarantined', 'flagged'] }, selects: [9, 10] },
  { title: 'a tag', where: { tags: ['round'] }, selects: [11] },
  { title: 'any of several tags', where: { tags: ['green', 'red', 'blue'] }, selects: [11, 12] },
  { title: 'part of a tag', where: { tags: ['re', 'RED'] }, selects: [] },
  { title: 'a thread, both ends included', where: { thread: { id: 'talk', from: 0, to: 2 } }, selects: [13, 14] },
  { title: 'one place of a thread', where: { thread: { id: 'talk', from: 2, to: 2 } }, selects: [14] },
  { title: 'the end of a thread', where: { thread: { id: 'talk', from: 3, to: 10 } }, selects: [15] },
  { title: 'another thread', where: { thread: { id: 'other', from: 0, to: 99 } }, selects: [16] },
  { title: 'expiredAt before', where: { expiredAt: second(9) }, selects: [] },
  { title: 'expiredAt a millisecond before', where: { expiredAt: second(10.499) }, selects: [] },
  { title: 'expiredAt the instant itself', where: { expiredAt: second(10.5) }, selects: [17] },
  { title: 'expiredAt after', where: { expiredAt: second(30) }, selects: [17, 18] },
  { title: 'updatedBy before', where: { updatedBy: second(-21) }, selects: [] },
  { title: 'updatedBy a millisecond before', where: { updatedBy: second(-20.501) }, selects: [] },
  { title: 'updatedBy the instant itself', where: { updatedBy: second(-20.5) }, selects: [20] },
  { title: 'updatedBy between', where: { updatedBy: second(-5) }, selects: [19, 20] },
  { title: 'contradicted', where: { contradicted: true }, selects: [26, 27] },
  { title: 'with a vector', where: { embedded: true }, selects: others(23) },
  { title: 'without a vector', where: { embedded: false }, selects: [23] },
  { title: 'several at once', where: { tags: ['red'], service: null, categories: ['learning'] }, selects: [11] },
  { title: 'several of which one does not hold', where: { tags: ['red'], service: 'web' }, selects: [] },
]

/** Everything by token `every` and by the vector of its number. */
function special(): Write[] {
  return SPECIAL.map(([number, fields, { visibleUntil, text = `text ${number}` } = {}]) =>
    insert(number, fields, { tokens: ['every'], text, ...(visibleUntil === undefined ? {} : { visibleUntil }) }),
  )
}

export const conditionCases: CaseGroup = group('conditions', (it) => {
  it('each condition works alone and combined, in memories, with the right count', async (store) => {
    const storage = await store.storage()
    await write(storage, special())
    for (const { title, where, selects } of CONDITIONS) {
      expect(await numbers(storage, { where, order: 'oldest' }), title).toEqual(selects)
      const { totalCount, items } = await storage.memories(query({ where, limit: 1 }))
      expect([totalCount, items.length], title).toEqual([selects.length, Math.min(1, selects.length)])
    }
  })

  it('each condition works in search, by token and by vector', async (store) => {
    const storage = await store.storage()
    const { keywordSearch, vectorSearch } = storage.capabilities
    await write(storage, special())
    for (const { title, where, selects } of CONDITIONS) {
      const ask = async (how: { tokens?: string[]; vector?: Float32Array }) => {
        const [found] = await storage.search([question({ scopes: null, where, ...how })])
        return found!.candidates.map(({ memory }) => numberOf(memory.id)).sort((a, b) => a - b)
      }
      if (keywordSearch) expect(await ask({ tokens: ['every'] }), title).toEqual(selects)
      const embedded = selects.filter((number) => number !== 23)
      if (vectorSearch) expect(await ask({ vector: vectorFor('question') }), title).toEqual(embedded)
    }
  })

  it('excluded memories do not count towards the limit', async (store) => {
    const storage = await store.storage()
    const { keywordSearch, vectorSearch } = storage.capabilities
    const crowd = Array.from({ length: 60 }, (_, i) => insert(100 + i, {}, { tokens: ['a', 'b'], text: 'question' }))
    await write(storage, [insert(1, { tags: ['rare'] }, { tokens: ['a'], text: 'far away' }), ...crowd])
    const where = { tags: ['rare'] }
    expect(await numbers(storage, { where, limit: 1 })).toEqual([1])
    const ask = async (how: { tokens?: string[]; vector?: Float32Array }) => {
      const [found] = await storage.search([question({ where, limit: 3, ...how })])
      return found!.candidates.map(({ memory }) => numberOf(memory.id))
    }
    if (keywordSearch) expect(await ask({ tokens: ['a', 'b'] })).toEqual([1])
    if (vectorSearch) expect(await ask({ vector: vectorFor('question') })).toEqual([1])
  })

  it('metadata filters follow the definition in the model', async (store) => {
    const storage = await store.storage()
    const labels = Object.keys(METADATA)
    await write(
      storage,
      labels.map((label, i) => insert(i, { metadata: METADATA[label]! }, { tokens: ['every'], text: label })),
    )
    const conditions = (filter: Filter) => ({ filter: filterTests(filter) })
    for (const { filter, labels: expected } of filterCases) {
      const title = JSON.stringify(filter)
      const where = conditions(filter)
      const found = await numbers(storage, { where, order: 'oldest' })
      expect(
        found.map((number) => labels[number]),
        title,
      ).toEqual(expected)
      if (!storage.capabilities.keywordSearch) continue
      const [byToken] = await storage.search([question({ where, tokens: ['every'] })])
      const named = byToken!.candidates.map(({ memory }) => labels[numberOf(memory.id)]).sort()
      expect(named, title).toEqual(expected)
    }
  })
})
