import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { Connection } from '../../src/storage/dynamodb/connection.ts'
import { deleteTables } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import { startProxy } from '../dynamodb/proxy.ts'
import { COUNT, fact, filled, scope, settled, text, WORDS } from '../dynamodb/vector-scope.ts'

/** Numbers that look random, the same in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
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

  it('is not taken for gone by a process whose bucket does not exist, which changes nothing', async () => {
    const { options, server, open } = await filled()
    const connection = new Connection(options)
    onTestFinished(() => connection.close())
    const wrong = async () => {
      const { memory, near } = await open({ set: { bucket: 'nope' } })
      const named = { code: 'CONFIGURATION_ERROR', message: expect.stringContaining("'nope'") }
      await expect(memory.sweep()).rejects.toMatchObject(named)
      expect((await memory.healthCheck()).problems).toEqual([expect.stringContaining("'nope'")])
      return { near, named }
    }
    await wrong()
    await settled(await open())
    const before = await connection.scan('agent-memory-counters')
    const { near, named } = await wrong()
    await expect(near('pager disk')).rejects.toMatchObject(named)
    expect(await connection.scan('agent-memory-counters')).toEqual(before)
    await settled(await open())
    expect(server.calls.filter((call) => call === 'CreateIndex')).toHaveLength(1)
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

  it('gets back in one sweep what was deleted from it, also by a process that still holds them', async () => {
    const { server, open, indexed, writer } = await filled()
    const holder = await open()
    await settled(await open())
    await holder.near('deploy')
    await writer.memory.add(fact('heron on the roof'))
    expect((await holder.near('heron on the roof'))[0]).toBe('heron on the roof')
    await settled(await open({ set: { behind: 0 } }))
    expect(indexed()).toHaveLength(COUNT + 1)
    const [name, { vectors }] = [...server.indexes][0]!
    vectors.delete([...vectors.keys()].at(-1)!)
    expect((await holder.memory.sweep()).indexes).toEqual([
      `index of vectors ${name}: made again, because vectors were missing`,
    ])
    expect(indexed()).toHaveLength(COUNT + 1)
  })

  it('loses the indexes that no record names, once they are not new', async () => {
    const { server, open } = await filled()
    await settled(await open())
    const [name, index] = [...server.indexes][0]!
    index.creationTime = 0
    const [old, young, other] = [`${name}1`, `${name}2`, 'another-index']
    for (const each of [old, other]) server.indexes.set(each, index)
    server.indexes.set(young, { ...index, creationTime: Date.now() / 1000 - 60 })
    const { memory } = await open()
    expect((await memory.sweep()).indexes).toEqual([`index of vectors ${old}: deleted, because nobody uses it`])
    expect([...server.indexes.keys()]).toEqual([name, other, young])
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
