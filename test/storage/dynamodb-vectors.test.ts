import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import type { VectorsOptions } from '../../src/storage/dynamodb/connection.ts'
import { Connection } from '../../src/storage/dynamodb/connection.ts'
import { deleteTables, dynamodbStorage } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import type { SearchQuery } from '../../src/storage/search-query.ts'
import { place } from '../dynamodb/local-tables.ts'
import { startProxy } from '../dynamodb/proxy.ts'
import { startVectorServer } from '../dynamodb/vector-server.ts'

const SHOP = { projectId: 'shop' }
const SCOPES = [{ layer: 'project' as const, owner: SHOP.projectId, projects: [null] }]
const WORDS = [
  'deploy',
  'queue',
  'cache',
  'token',
  'pager',
  'disk',
  'backup',
  'port',
  'proxy',
  'cron',
  'region',
  'lock',
]
const embedding = hashingEmbedding()
const fact = (content: string) => ({ exact: true, content, layer: 'project' as const, identifiers: SHOP })

/** Numbers that look random, the same in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

async function scope(more: Partial<VectorsOptions> = {}) {
  const { options } = await place()
  const server = await startVectorServer()
  onTestFinished(() => server.close())
  const vectors = { bucket: server.bucket, endpoint: server.endpoint, from: 10, behind: 4, ...more }
  const open = async ({
    cache = false,
    plain = false,
    endpoint = options.endpoint,
    model = embedding,
  }: {
    cache?: string | false
    plain?: boolean
    endpoint?: string
    model?: typeof embedding
  } = {}) => {
    const storage = dynamodbStorage({ ...options, cache, endpoint, ...(plain ? {} : { vectors }) })
    const memory = await openMemory({ storage, embedding: model, relations: null })
    let isOpen = true
    const close = async () => {
      if (isOpen) await memory.shutdown()
      isOpen = false
    }
    onTestFinished(close)
    /** What is found by vector alone, best first. */
    const scored = async (words: string, query: Partial<SearchQuery> = {}) => {
      const [vector] = await model.embed([words])
      const asked = { scopes: SCOPES, where: {}, vector: vector!, tokens: [], limit: 8, ...query }
      const [found] = await storage.search([asked])
      return found!.candidates
        .map(({ memory: { content }, vector: own }) => {
          const score = own!.reduce((sum, value, i) => sum + value * vector![i]!, 0)
          return [content, score.toFixed(4)] as const
        })
        .sort(([a, x], [b, y]) => Number(y) - Number(x) || (a < b ? -1 : 1))
    }
    const near = async (words: string, query: Partial<SearchQuery> = {}) =>
      (await scored(words, query)).map(([content]) => content)
    /** Equal scores may stand for each other, so of a few only the scores are compared. */
    const answer = async (words: string, query: Partial<SearchQuery>) => ({
      all: await scored(words, { ...query, limit: 1000 }),
      few: (await scored(words, { ...query, limit: 2 })).map(([, score]) => score),
    })
    return { memory, shop: memory.as(SHOP), near, answer, close }
  }
  /** Everything in the indexes, by text hash. */
  const indexed = () => [...server.indexes.values()].flatMap(({ vectors: all }) => [...all.values()])
  return { options, server, vectors, open, indexed }
}

const COUNT = 40
const text = (i: number) => `${WORDS[i % 12]} ${WORDS[(i * 5 + 1) % 12]} number${i}`

async function filled(more: Partial<VectorsOptions> = {}) {
  const all = await scope(more)
  const writer = await all.open({ plain: true })
  const { memories: added } = await writer.memory.bulkAdd(Array.from({ length: COUNT }, (_, i) => fact(text(i))))
  return { ...all, writer, added }
}

/** Until what was begun beside the searches has ended. */
async function settled({ near, close }: { near(words: string): Promise<string[]>; close(): Promise<void> }) {
  await near('settle')
  await close()
}

describe('an index of vectors outside DynamoDB', () => {
  it('is made by the first search, has what the scope has, and a search sees at once what it lacks', async () => {
    const { server, open, indexed, writer } = await filled()
    const first = await open()
    expect(await first.near('deploy queue')).toEqual(await writer.near('deploy queue'))
    await settled(first)
    expect(indexed()).toHaveLength(COUNT)
    const reader = await open()
    await reader.near('warm')
    const before = server.calls.length
    await writer.memory.add(fact('kestrel deploy queue'))
    expect((await reader.near('kestrel deploy queue'))[0]).toBe('kestrel deploy queue')
    expect(server.calls.slice(before)).toEqual(['QueryVectors'])
    expect(indexed()).toHaveLength(COUNT)
  })

  it('loses nothing when the index refuses, or when an answer is lost', async () => {
    const { server, open, indexed, writer } = await filled()
    for (const first of [false, true]) {
      for (const call of ['CreateIndex', 'PutVectors', 'PutVectors'])
        server.fail(call, 'ValidationException', 400, first)
      const reader = await open()
      expect(await reader.near('cache token')).toEqual(await writer.near('cache token'))
      await reader.close()
    }
    for (let i = 0; i < 6; i++) await settled(await open())
    expect(indexed().length).toBeGreaterThanOrEqual(COUNT)
    server.fail('QueryVectors', 'TooManyRequestsException', 429)
    await expect((await open()).near('cache')).rejects.toThrow('S3 Vectors is throttling')
  })

  it('is made again when somebody has deleted it, under another name, by whoever notices', async () => {
    const { server, open, indexed, writer } = await filled()
    await settled(await open())
    const [old] = server.indexes.keys()
    const [one, two] = [await open(), await open()]
    expect(await one.near('pager disk')).toEqual(await two.near('pager disk'))
    server.indexes.clear()
    const wanted = await writer.near('pager disk')
    expect(await one.near('pager disk')).toEqual(wanted)
    expect(await two.near('pager disk')).toEqual(wanted)
    await Promise.all([settled(one), settled(two)])
    expect([...server.indexes.keys()]).toHaveLength(1)
    expect(server.indexes.has(old!)).toBe(false)
    expect(indexed()).toHaveLength(COUNT)
    expect(await (await open()).near('pager disk')).toEqual(wanted)
  })

  it('has nothing of what was purged', async () => {
    const { open, indexed, added, writer } = await filled()
    await settled(await open())
    for (const { id } of added.slice(0, 3)) await writer.shop.delete(id)
    const reader = await open()
    expect(await reader.near(text(0))).not.toContain(text(0))
    await writer.shop.update(added[5]!.id, { active: false })
    await reader.memory.purge({ before: new Date(Date.now() + 60_000) })
    await settled(reader)
    expect(indexed()).toHaveLength(COUNT - 4)
  })

  it('answers a process that has a copy on the disk, which then has no vectors, without reading the scope', async () => {
    const all = await scope()
    const { options, open } = all
    const folder = await mkdtemp(join(tmpdir(), 'nokosu-vectors-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const proxy = await startProxy(options.endpoint)
    onTestFinished(() => proxy.close())
    const writer = await open({ plain: true })
    await writer.memory.bulkAdd(Array.from({ length: 520 }, (_, i) => fact(text(i))))
    const one = async (words: string) => {
      const process = await open({ cache: folder, endpoint: proxy.endpoint })
      proxy.takeUnits()
      const found = await process.near(words)
      const { read } = proxy.takeUnits()
      await process.close()
      return { found, read }
    }
    await one('first')
    await one('second')
    const { found, read } = await one('backup port')
    expect(found).toEqual(await writer.near('backup port'))
    expect(read).toBeLessThan(60)
    expect(all.server.calls.filter((call) => call === 'PutVectors')).toHaveLength(2)
  })

  it('is another one for another model, and goes with the tables', async () => {
    const { options, server, vectors, open, writer } = await filled()
    await settled(await open())
    const model = hashingEmbedding({ dimensions: 64 })
    const other = await open({ model })
    await other.memory.reembed()
    await settled(other)
    expect([...server.indexes.values()].map(({ vectors: all }) => all.size)).toEqual([COUNT, COUNT])
    const plain = await open({ model, plain: true })
    expect(await (await open({ model })).near('region lock')).toEqual(await plain.near('region lock'))
    await writer.close()
    await deleteTables({ ...options, vectors })
    expect(server.indexes.size).toBe(0)
  })

  it('is not trusted by a process that has not seen all of a memory’s changes', async () => {
    const { open } = await scope({ behind: 0 })
    const writer = await open({ plain: true })
    await writer.memory.bulkAdd(Array.from({ length: 120 }, (_, i) => fact(`${text(i)} ${text(i + 7)}`)))
    const { memory } = await writer.memory.add(fact('kestrel heron ibis'))
    const [reader, other] = [await open(), await open()]
    const find = ({ near }: typeof reader) => near('kestrel heron ibis', { limit: 1 })
    expect(await find(reader)).toEqual(['kestrel heron ibis'])
    await writer.shop.update(memory.id, { content: 'zinc copper tin' })
    await find(other)
    await writer.shop.update(memory.id, { content: 'kestrel heron ibis' })
    expect(await find(reader)).toEqual(['kestrel heron ibis'])
    expect(await find(other)).toEqual(['kestrel heron ibis'])
  })

  it('is not written by a process that knows less than it', async () => {
    const { options, server, open, writer } = await filled()
    await settled(await open())
    const connection = new Connection(options)
    onTestFinished(() => connection.close())
    const items = await connection.scan('agent-memory-counters')
    const [mark] = items.filter(({ shard }) => shard?.S?.includes('|vectors:'))
    const ahead = JSON.stringify([...(JSON.parse(mark!.marks!.S!) as [string, number][]), ['40', 9]])
    const key = { owner: mark!.owner!.S!, shard: mark!.shard!.S! }
    await connection.put('agent-memory-counters', [{ ...key, marks: ahead }])
    for (let i = 0; i < 6; i++) await writer.memory.add(fact(`later ${i} ${WORDS[i]}`))
    const before = server.calls.length
    const reader = await open()
    expect((await reader.near('later 3 token'))[0]).toBe('later 3 token')
    await settled(reader)
    expect(server.calls.slice(before).filter((call) => call === 'PutVectors')).toEqual([])
    const [now] = await connection.get('agent-memory-counters', [key])
    expect(now!.marks!.S).toBe(ahead)
  })

  it('is approximate: what it forgets is missing, and nothing wrong is shown', async () => {
    const { server, open, writer, added } = await filled()
    await settled(await open())
    server.lossy = true
    const reader = await open()
    await writer.shop.update(added[7]!.id, { content: 'heron on the roof' })
    const [found, wanted] = [await reader.near('deploy queue cache'), await writer.near('deploy queue cache')]
    expect(found.slice(0, 4)).toEqual(wanted.slice(0, 4))
    expect(await reader.near(text(7))).not.toContain(text(7))
  })

  it('is compared with the table by a sweep, and health says what is wrong with it', async () => {
    const { server, open, indexed, writer } = await filled()
    await settled(await open())
    const [name, index] = [...server.indexes][0]!
    const [first, second] = [...index.vectors.values()]
    index.vectors.set('stray', { ...first!, key: 'stray' })
    index.vectors.set(`${first!.key}1`, { ...first!, key: `${first!.key}1` })
    const keeper = await open()
    expect((await keeper.memory.sweep()).indexes).toEqual([`index of vectors ${name}: 2 removed that no memory has`])
    expect([...server.indexes.keys()]).toEqual([name])
    expect(indexed()).toHaveLength(COUNT)
    index.vectors.delete(second!.key)
    await (await open()).memory.sweep()
    await settled(await open())
    expect(indexed()).toHaveLength(COUNT)
    expect(server.indexes.has(name)).toBe(false)
    const reader = await open()
    expect(await reader.near('port proxy')).toEqual(await writer.near('port proxy'))
    expect((await reader.memory.healthCheck()).problems).toEqual([])
    server.fail('GetIndex', 'AccessDeniedException', 403)
    expect((await reader.memory.healthCheck()).problems).toEqual([
      'The index of vectors cannot be used: S3 Vectors refused: as the test wants',
    ])
    await writer.memory.bulkAdd(Array.from({ length: 100 }, (_, i) => fact(`more ${i}`)))
    for (let i = 0; i < 90; i++) await writer.memory.add(fact(`again ${i}`))
    expect((await reader.memory.healthCheck()).problems).toEqual([
      expect.stringMatching(/^The index of vectors nokosu-\S+ lacks \d+ commits/),
    ])
    server.indexes.clear()
    expect((await reader.memory.healthCheck()).problems).toEqual([expect.stringContaining('has gone')])
    expect((await reader.memory.sweep()).indexes).toEqual([expect.stringContaining('because it had gone')])
    expect(indexed()).toHaveLength(COUNT + 190)
  })

  it('waits for a process that writes it, and goes on without one that has died', async () => {
    const { options, open, indexed, writer } = await filled()
    await settled(await open())
    const connection = new Connection(options)
    onTestFinished(() => connection.close())
    const items = await connection.scan('agent-memory-counters')
    const [mark] = items.filter(({ shard }) => shard?.S?.includes('|vectors:'))
    const key = { owner: mark!.owner!.S!, shard: mark!.shard!.S!, marks: mark!.marks!.S! }
    await connection.put('agent-memory-counters', [{ ...key, lease: Date.now() + 60_000, holder: 'another' }])
    for (let i = 0; i < 6; i++) await writer.memory.add(fact(`later ${i} ${WORDS[i]}`))
    await settled(await open())
    expect(indexed()).toHaveLength(COUNT)
    expect((await (await open()).near('later 3 token'))[0]).toBe('later 3 token')
    await connection.put('agent-memory-counters', [{ ...key, lease: Date.now() - 1, holder: 'another' }])
    await settled(await open())
    expect(indexed()).toHaveLength(COUNT + 6)
  })

  it.each([1, 2, 3, 4])(
    'answers as without it, whatever happens to processes and to the index (seed %i)',
    async (seed) => {
      const { server, open } = await scope({ behind: seed % 2 === 0 ? 0 : 6 })
      const roll = dice(seed)
      const words = () => Array.from({ length: 3 }, () => WORDS[roll(12)]).join(' ')
      const plain = await open({ plain: true })
      const handles = [await open(), await open()]
      const { memories: first } = await plain.memory.bulkAdd(Array.from({ length: 60 }, (_, i) => fact(text(i))))
      const ids = first.map(({ id }) => id)
      const contents = new Map<string, string>()
      for (let step = 0; step < 90; step++) {
        const handle = [plain, ...handles][roll(3)]!
        const id = ids[roll(Math.max(1, ids.length))]
        const what = roll(10)
        if (what <= 2) {
          const { memory } = await handle.memory.add(fact(`${words()} ${step}`))
          ids.push(memory.id)
        } else if (what <= 4) {
          // Sometimes back to an earlier text.
          const content = roll(2) === 0 ? (contents.get(id!) ?? words()) : `${words()} ${step}`
          const before = await handle.shop.get(id!)
          if (before) contents.set(id!, before.content)
          await handle.shop.update(id!, { content })
        } else if (what === 5) await handle.shop.update(id!, { active: roll(2) === 0 })
        else if (what === 6) {
          await handle.shop.delete(id!)
          if (roll(2) === 0) await handle.shop.restore(id!)
          else ids.splice(ids.indexOf(id!), 1)
        } else if (what === 7) {
          const call = ['PutVectors', 'DeleteVectors', 'CreateIndex'][roll(3)]!
          server.fail(call, 'ValidationException', 400, roll(2) === 0)
        } else if (what === 8 && roll(4) === 0) server.indexes.clear()
        else if (what === 9) handles[roll(2)] = await open()
        const query = words()
        const where = [{}, { visibleAt: new Date().toISOString() }, { hiddenAt: new Date().toISOString() }][roll(3)]!
        const wanted = await plain.answer(query, { where })
        for (const each of handles) expect(await each.answer(query, { where })).toEqual(wanted)
      }
    },
  )
})
