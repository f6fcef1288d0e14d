import { describe, expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import type { Memory } from '../model/memory.ts'
import type { SearchRequest } from '../model/schema.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { interceptStorage } from '../testing/intercept-storage.ts'
import { openMemory } from './open-memory.ts'

const SHOP = { projectId: 'shop' }
type Asked = Omit<SearchRequest, 'identifiers' | 'everything'>

async function shop() {
  const read: number[] = []
  const storage = interceptStorage(referenceStorage(), {
    before: (method, [ids]) => {
      if (method === 'get') read.push((ids as string[]).length)
    },
  })
  const memory = await openMemory({ storage, embedding: hashingEmbedding(), relations: null })
  const own = memory.as(SHOP)
  const add = async (content: string, fields = {}) =>
    (await own.add({ layer: 'project', tier: 1, content, ...fields })).memory
  /** Contradicts the old memory in a person's words. */
  const correct = async (old: Memory, content: string, fields = {}) => {
    const said = { content, category: old.category, service: old.service, ...fields }
    const declares = { relation: 'corrects' as const, text: old.content }
    const [outcome] = await own.remember([{ ...said, declares }], { session: `run-${content}` })
    if (outcome?.kind !== 'contradict') throw new Error(`not as expected: ${outcome?.reason}`)
    return outcome.memory
  }
  const find = async (query: string, more: Partial<Asked> = {}) =>
    (await own.search({ query, order: 'relevance', ...more })).results.map(({ memory: { content } }) => content)
  return { memory, own, add, correct, find, read }
}

const STALE = 'Integration tests can be run in parallel'
const RIGHT = 'Integration tests share a database and run one by one'

describe('a search leaves out what was corrected', () => {
  it('while the correction is active, in every mode', async () => {
    const { own, add, correct, find } = await shop()
    const old = await add(STALE)
    const right = await correct(old, RIGHT)
    for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
      expect(await find('integration tests parallel', { mode, threshold: 0 }), mode).toEqual([RIGHT])
    }
    await own.update(right.id, { active: false })
    expect(await find('integration tests parallel')).toEqual([STALE])
  })

  it('unless what is inactive is asked for: then it comes behind its correction, marked', async () => {
    const { own, add, correct } = await shop()
    const old = await add(STALE)
    const right = await correct(old, RIGHT)
    for (const order of ['precedence', 'relevance'] as const) {
      const query = 'integration tests can be run in parallel'
      const { results } = await own.search({ query, order, includeInactive: true, threshold: 0 })
      expect(results.map(({ memory, correctedBy }) => [memory.id, correctedBy])).toEqual([
        [right.id, undefined],
        [old.id, right.id],
      ])
    }
    await own.update(right.id, { active: false })
    const { results } = await own.search({ query: STALE, includeInactive: true, threshold: 0 })
    expect(results.map(({ correctedBy }) => correctedBy)).toEqual([undefined, undefined])
  })

  it('behind its correction also where that is the older: it was said again', async () => {
    const { own, add, correct } = await shop()
    const old = await add(STALE)
    const right = await correct(old, RIGHT)
    const said = { content: STALE, category: old.category, service: null }
    await own.remember([{ ...said, declares: { relation: 'corrects', text: right.content } }], { session: 'again' })
    const { results } = await own.search({ query: RIGHT, includeInactive: true, threshold: 0 })
    expect(results.map(({ memory, correctedBy }) => [memory.id, correctedBy])).toEqual([
      [old.id, undefined],
      [right.id, old.id],
    ])
  })

  it('explain names it, and who corrects it; without, nothing is added to the answer', async () => {
    const { own, add, correct } = await shop()
    const old = await add(STALE)
    const right = await correct(old, RIGHT)
    const query = 'integration tests parallel'
    expect((await own.search({ query, explain: true })).corrected).toEqual([{ id: old.id, by: right.id }])
    expect(await own.search({ query })).not.toHaveProperty('corrected')
    const { omitted, available } = await own.context({ format: 'query', query })
    expect({ omitted, available }).toEqual({
      omitted: [{ id: old.id, reason: `corrected by ${right.id}` }],
      available: 2,
    })
  })

  it('a question in the words of the old finds the new, also after a second correction', async () => {
    const { add, correct, find } = await shop()
    const old = await add(STALE)
    const second = await correct(old, 'Only unit checks tolerate parallel workers')
    const query = STALE
    expect(await find(query)).toEqual([second.content])
    const third = await correct(second, 'Everything is serial since March')
    expect(await find(query)).toEqual([third.content])
  })

  it('although the question cannot find the correction: it is read, all of them at once', async () => {
    const { add, correct, find, read } = await shop()
    for (const name of ['alpha', 'beta', 'gamma']) {
      const old = await add(`The ${name} queue drains every minute`, { tags: ['old'] })
      await correct(old, `The ${name} queue drains every hour`)
    }
    const last = await add('The delta queue drains at night', { tags: ['old'] })
    read.length = 0
    expect(await find('queue drains every minute', { tags: ['old'], threshold: 0, limit: 1 })).toEqual([last.content])
    expect(read).toEqual([3])
  })

  it('a correction that the reader may not read changes nothing for it', async () => {
    const { memory, own, add, find } = await shop()
    const old = await add(STALE)
    await own.context({ session: 'run' })
    const agent = memory.as({ ...SHOP, agentId: 'nori' })
    const fact = { content: RIGHT, category: old.category, service: old.service }
    const [outcome] = await agent.remember(
      [{ ...fact, declares: { relation: 'corrects', text: STALE, memory: old.id } }],
      {
        layer: 'agent',
        session: 'run',
      },
    )
    expect(outcome!.kind).toBe('contradict')
    const query = 'integration tests parallel'
    expect(await find(query)).toEqual([STALE])
    expect((await own.search({ query })).results[0]!.disputed ?? null).toBeNull()
    const read = await agent.search({ query, layers: ['project'] })
    expect(read.results).toMatchObject([{ disputed: expect.stringContaining('disputed: 1 agent says this') }])
  })
})

describe('a query that says nothing', () => {
  const FACTS = [
    'The build is a chore on a cold cache',
    'A deploy is safe after the smoke test',
    'It is the proxy that adds a header',
    'The queue is drained by a worker',
  ]
  /** As many memories with common words as in a real store. */
  async function facts(...more: string[]) {
    const place = await shop()
    for (const content of [...FACTS, ...more]) await place.add(content)
    return place
  }

  it.each(['a', 'is', 'A', 'what is it', 'how many', '.*(a+)+$', ...'??? x C 7 42 -v is/a on'.split(' '), 'x y z'])(
    'finds nothing: %s',
    async (query) => {
      const { find } = await facts()
      for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
        expect(await find(query, { mode, threshold: 0 }), mode).toEqual([])
      }
    },
  )

  it.each([
    ['x', 'Only the x axis is reversed'],
    ['-v', 'Run it with -v to see the plan'],
    ['C', 'The parser is written in C'],
    ['42', 'Track 42 is out of order'],
    ['3.2', 'The leak is fixed in 3.2'],
    ['db', 'The db is on another host'],
    ['猫', '猫 is the name of the staging host'],
  ])('unless a memory holds it as a name: %s', async (query, holder) => {
    const { find } = await facts(holder)
    expect((await find(query))[0]).toBe(holder)
  })

  it('what holds the name is found, and nothing else', async () => {
    const holder = 'Only the x axis is reversed'
    const { find } = await facts(holder)
    expect(await find('x', { threshold: 0 })).toEqual([holder])
    expect(await find('the x', { threshold: 0 })).toEqual([holder])
  })

  it('a service is a name, however many memories it has', async () => {
    const { add, find } = await shop()
    for (let i = 0; i < 120; i++) await add(`Fact ${i} of the build`, { service: 'x' })
    expect(await find('x', { threshold: 0 })).toHaveLength(10)
    expect(await find('of', { threshold: 0 })).toEqual([])
  })

  it('a short word that most memories hold joins others, in any language', async () => {
    const { add, find } = await shop()
    for (let i = 0; i < 120; i++) await add(`Regel ${i}: der Dienst startet`)
    await add('Der Rat tagt')
    expect(await find('der', { threshold: 0 })).toEqual([])
    expect(await find('der Rat')).toEqual(['Der Rat tagt'])
    expect(await find('rat')).toEqual(['Der Rat tagt'])
  })

  it('a common word that hardly any memory holds may be a name', async () => {
    const { add, find } = await shop()
    for (let i = 0; i < 60; i++) await add(`Regel ${i} gilt weiter`)
    await add('Abteilung IT genehmigt Ports')
    expect(await find('IT')).toEqual(['Abteilung IT genehmigt Ports'])
  })

  it('a vector that is given says what is meant', async () => {
    const { own } = await facts()
    const vector = [...(await hashingEmbedding().embed(['deploy smoke test']))[0]!]
    const { results } = await own.search({ query: 'a', vector, threshold: 0, mode: 'semantic' })
    expect(results).toHaveLength(FACTS.length)
  })
})

it('what is known about something is what its name finds, with the same scores', async () => {
  const { own, add } = await shop()
  await add('The payment gateway drops idle connections')
  await add('We know what to do about problems')
  const found = async (query: string) =>
    (await own.search({ query, threshold: 0 })).results.map(({ memory, score }) => [memory.content, score])
  const plain = await found('the payment gateway')
  for (const query of ['What do we know about the payment gateway?', 'the payment gateway problems']) {
    expect(await found(query), query).toEqual(plain)
  }
})

it('a name is found with a question mark as without', async () => {
  const { own, add } = await shop()
  await add('Old workers stay for an hour after a reload', { service: 'haproxy' })
  await add('Jams when the roll is changed in a hurry', { service: 'label-printer' })
  for (const name of ['haproxy', 'label printer']) {
    const scored = async (query: string) =>
      (await own.search({ query, threshold: 0 })).results.map(({ memory, score }) => [memory.content, score])
    expect(await scored(`${name}?`), name).toEqual(await scored(name))
  }
})

describe('a name that is everywhere', () => {
  const scoreOf = async (query: string, place: (index: number) => object, named = 24, others = 0) => {
    const { own, add } = await shop()
    for (let i = 0; i < others; i++) await add(`Ticket ${i} is open`, { exact: true })
    const facts = [
      'deploys on Tuesdays',
      'pays by SEPA',
      'keeps invoices',
      'hosts at Hetzner',
      'has a heron',
      'runs Loki',
    ]
    for (let i = 0; i < named; i++) await add(`Acme ${facts[i % facts.length]} ${i}`, place(i))
    const { results } = await own.search({ query, mode: 'semantic', threshold: 0, explain: true })
    return results[0]!.explanation!.semantic
  }

  it('means the same with a capital as without, where memories are about it', async () => {
    const place = () => ({ service: 'acme' })
    expect(await scoreOf('Where does Acme deploy?', place)).toBe(await scoreOf('Where does acme deploy?', place))
  })

  it('is left out of what is meant in a talk: it says who; one that few of many name is not', async () => {
    const place = (index: number) => ({ thread: { id: 'talk', index } })
    const score = (name: string, ...counts: number[]) => scoreOf(`Where does ${name} deploy?`, place, ...counts)
    expect(await score('Acme')).not.toBe(await score('acme'))
    expect(await score('Acme', 11, 220)).toBe(await score('acme', 11, 220))
  })
})

it('a time that is named is not missed as a word, whoever holds that word', async () => {
  const { own, add } = await shop()
  await add('The payment gateway was down for an hour', { occurredAt: '2026-05-12T10:00:00Z' })
  await add('The payment gateway dropped webhooks', { occurredAt: '2026-03-20T10:00:00Z' })
  const score = async (query: string) => (await own.search({ query, threshold: 0 })).results[0]!.score
  const queries = ['payment gateway in May', 'in May', 'gateway outage in May 2026']
  const before = await Promise.all(queries.map(score))
  await add('Reboots may take ten minutes', { occurredAt: '2026-01-20T10:00:00Z' })
  for (const [i, query] of queries.entries()) expect(await score(query), query).toBeGreaterThan(before[i]! - 0.01)
})

it.each([
  ['数据库备份', '数据库每天凌晨三点进行备份'],
  ['決済タイムアウト', '決済サービスは30秒でタイムアウトする'],
])('what is written without spaces is found where its words stand apart: %s', async (query, content) => {
  const { add, find } = await shop()
  await add(content)
  await add('ログは14日間保存される')
  for (const mode of ['hybrid', 'keyword'] as const) expect(await find(query, { mode }), mode).toEqual([content])
})

describe('where nothing reaches the threshold', () => {
  it('the closest is offered apart from the results, and nothing to an unrelated question', async () => {
    const { own, add } = await shop()
    const { id } = await add('Production deploys need a ticket')
    await add('Invoices are numbered by year')
    const ask = (query: string, more = {}) => own.search({ query, mode: 'keyword', ...more })
    const near = await ask('production deploys midnight weekend')
    expect(near).toMatchObject({ results: [], totalCount: 0, closest: [{ memory: { id } }] })
    expect(near.closest![0]!.score).toBeLessThan(0.7)
    expect(await ask('world cup winner')).not.toHaveProperty('closest')
    expect(await ask('production deploys midnight weekend', { threshold: 0.4 })).not.toHaveProperty('closest')
  })

  it('a sibling of the code that is asked for is no result', async () => {
    const { add, find } = await shop()
    const asked = 'TRF-2093 tariff table'
    await add('TRF-2092: the tariff table is loaded twice')
    expect(await find(asked)).toEqual([])
    const own = 'TRF-2093: the tariff table is empty'
    await add(own, { exact: true })
    expect(await find(asked)).toEqual([own])
  })
})
