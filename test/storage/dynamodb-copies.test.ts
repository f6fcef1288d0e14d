import { chmod, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { Connection } from '../../src/storage/dynamodb/connection.ts'
import { deleteTables, dynamodbStorage } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import { emptyTables, place } from '../dynamodb/local-tables.ts'
import { startProxy } from '../dynamodb/proxy.ts'

const SHOP = { projectId: 'shop' }
const COUNT = 600
const DAY = 86_400_000
const fact = (content: string) => ({ exact: true, content, layer: 'project' as const, identifiers: SHOP })
const timeOf = (i: number) => new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString()

afterEach(() => vi.restoreAllMocks())

/** A scope that is large enough to be kept on the disk, and processes that share a cache folder. */
async function largeScope() {
  const { options } = await place()
  const cache = join(await mkdtemp(join(tmpdir(), 'nokosu-copies-')), 'cache')
  onTestFinished(() => rm(join(cache, '..'), { recursive: true, force: true }))
  const connection = new Connection(options)
  onTestFinished(() => connection.close())
  const proxy = await startProxy(options.endpoint)
  onTestFinished(() => proxy.close())
  const address = { ...options, endpoint: proxy.endpoint, cache }
  const fillTables = (word: string) =>
    connection.put(
      'agent-memories',
      Array.from({ length: COUNT }, (_, i) => ({
        agentProjectKey: '@project#shop',
        createdAt: timeOf(i),
        id: `fact-${i}`,
        content: `Shelf ${i} holds ${word}${i} ${'x'.repeat(400)}`,
      })),
    )
  await fillTables('item')
  const openOne = async (folder: string | false = cache) => {
    const storage = dynamodbStorage({ ...address, cache: folder })
    const memory = await openMemory({ storage, embedding: hashingEmbedding(), relations: null })
    let isOpen = true
    const close = async () => {
      if (isOpen) await memory.shutdown()
      isOpen = false
    }
    onTestFinished(close)
    const search = async (query: string) => {
      proxy.takeUnits()
      const { results } = await memory.search({ query, identifiers: SHOP, layers: ['project'], threshold: 0, limit: 5 })
      return { found: results.map(({ memory: { content } }) => content.replace(/ x+$/, '')), ...proxy.takeUnits() }
    }
    return { memory, search, close }
  }
  /** What a separate process finds. */
  const once = async (query: string) => {
    const { search, close } = await openOne()
    const found = await search(query)
    await close()
    return found
  }
  return { address, options, cache, connection, fillTables, openOne, once, files: () => readdir(cache) }
}

describe('copies of large DynamoDB partitions on the disk', () => {
  it('spare the next process the reading; they are for the eyes of their user, and one file each', async () => {
    const { once, cache, files } = await largeScope()
    const cold = await once('item77')
    expect(cold.found[0]).toBe('Shelf 77 holds item77')
    expect(cold.read).toBeGreaterThan(50)
    const [name, ...others] = await files()
    expect(others).toEqual([])
    expect((await stat(join(cache, name!))).mode & 0o777).toBe(0o600)
    expect((await stat(cache)).mode & 0o777).toBe(0o700)
    const warm = await once('item78')
    expect(warm.found[0]).toBe('Shelf 78 holds item78')
    expect(warm.read).toBeLessThan(8)
  })

  it('are brought up to what was added, changed, hidden and deleted since, words and vectors alike', async () => {
    const { once, openOne } = await largeScope()
    await once('item77')
    const { memory, close } = await openOne(false)
    const { memory: added } = await memory.add(fact('Deploys go through Kamal'))
    const { memory: later } = await memory.add(fact('The queue is drained at noon'))
    const shop = memory.as(SHOP)
    await shop.update('fact-77', { content: 'Shelf 77 holds lanterns' })
    await shop.update('fact-78', { active: false })
    await shop.delete('fact-79')
    await shop.delete(later.id)
    await memory.reembed()
    for (let round = 0; round < 2; round++) {
      const { found, read } = await once('Deploys Kamal')
      expect(found[0]).toBe(added.content)
      // All of them got their vectors since then.
      if (round === 1) expect(read).toBeLessThan(40)
      expect((await once('lanterns')).found[0]).toBe('Shelf 77 holds lanterns')
      expect((await once('item77')).found).not.toContain('Shelf 77 holds item77')
      expect((await once('item78')).found).not.toContain('Shelf 78 holds item78')
      expect((await once('item79')).found).not.toContain('Shelf 79 holds item79')
      expect((await once('queue drained at noon')).found).not.toContain(later.content)
    }
    await close()
    const [plain, copied] = [await openOne(false), await openOne()]
    for (const query of ['shelf 12 lanterns', 'holds item300 item301', 'Kamal', 'noon'])
      expect((await copied.search(query)).found).toEqual((await plain.search(query)).found)
  })

  it('are right after a few changes, which do not replace them, and with an id that is there twice', async () => {
    const { address, cache, once, openOne, connection } = await largeScope()
    const idsOf = async (tokens: string[]) => {
      const storage = dynamodbStorage(address)
      await storage.initialize({ name: hashingEmbedding().name, dimensions: 384 })
      const scopes = [{ layer: 'project' as const, owner: SHOP.projectId, projects: [null] }]
      const vector = tokens.length > 0 ? null : new Float32Array(384).fill(1)
      const [found] = await storage.search([{ scopes, where: {}, vector, tokens, limit: 1000 }])
      await storage.shutdown()
      return found!.candidates.map(({ memory }) => memory.id)
    }
    const { memory } = await openOne(false)
    await memory.reembed()
    const twin = { agentProjectKey: '@project#shop', createdAt: timeOf(COUNT), id: 'fact-5', content: 'Has a twin' }
    await connection.put('agent-memories', [twin])
    await once('item77')
    expect(await idsOf(['twin'])).toEqual([`@project#shop#${timeOf(COUNT)}`])
    await connection.remove('agent-memories', [{ agentProjectKey: '@project#shop', createdAt: timeOf(COUNT) }])
    await rm(cache, { recursive: true })
    await once('item77')
    const shop = memory.as(SHOP)
    await shop.update('fact-77', { content: 'Shelf 77 holds lanterns' })
    await shop.delete('fact-79')
    expect((await once('lanterns')).found[0]).toBe('Shelf 77 holds lanterns')
    expect((await once('item77')).found).not.toContain('Shelf 77 holds item77')
    expect((await once('item79')).found).not.toContain('Shelf 79 holds item79')
    expect(await idsOf([])).toHaveLength(COUNT - 1)
  })

  it('of tables that were emptied and filled again are not used', async () => {
    const { once, options, fillTables } = await largeScope()
    await once('item77')
    await emptyTables(options)
    await fillTables('tool')
    const { found, read } = await once('item77 tool77')
    expect(found[0]).toBe('Shelf 77 holds tool77')
    expect(read).toBeGreaterThan(50)
    expect((await once('item77')).found).not.toContain('Shelf 77 holds item77')
  })

  it('that are cut, overwritten or open to others are read from the store again, and replaced', async () => {
    const { once, cache, files } = await largeScope()
    await once('item77')
    const path = join(cache, (await files())[0]!)
    const spoil = [
      () => truncate(path, 50_000),
      () => truncate(path, 0),
      () => writeFile(path, 'nonsense'),
      async () => {
        const bytes = await readFile(path)
        bytes[bytes.length >> 1]! ^= 1
        await writeFile(path, bytes)
      },
      () => chmod(path, 0o644),
    ]
    for (const work of spoil) {
      await work()
      const { found, read } = await once('item77')
      expect(found[0]).toBe('Shelf 77 holds item77')
      expect(read).toBeGreaterThan(50)
      expect((await once('item78')).read).toBeLessThan(8)
      expect((await stat(path)).mode & 0o777).toBe(0o600)
    }
  })

  it('that other programs wrote past: what they deleted or changed is never shown, and the copy is read anew', async () => {
    const { once, connection } = await largeScope()
    await once('item77')
    const key = (i: number) => ({ agentProjectKey: '@project#shop', createdAt: timeOf(i) })
    await connection.remove('agent-memories', [key(77)])
    await connection.put('agent-memories', [{ ...key(78), id: 'fact-78', content: 'Shelf 78 holds lanterns' }])
    await connection.put('agent-memories', [{ ...key(90), id: 'fact-90', content: 'Shelf 90 holds anvils' }])
    const now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => now + DAY)
    const { found } = await once('item77 item78')
    expect(found).not.toContain('Shelf 77 holds item77')
    expect(found).not.toContain('Shelf 78 holds item78')
    // The process read it again before it ended.
    const { found: next, read } = await once('anvils lanterns')
    expect(next.slice(0, 2).sort()).toEqual(['Shelf 78 holds lanterns', 'Shelf 90 holds anvils'])
    expect(read).toBeLessThan(8)
  })

  it('are written by many processes at once, and none finds half a file', async () => {
    const { openOne, files, cache } = await largeScope()
    const left = join(cache, 'left.draft')
    const processes = await Promise.all(Array.from({ length: 4 }, () => openOne()))
    await Promise.all(
      processes.map(async ({ memory, search, close }, p) => {
        await memory.add(fact(`Process ${p} was here`))
        expect((await search(`item${p}`)).found[0]).toBe(`Shelf ${p} holds item${p}`)
        await close()
      }),
    )
    expect(await files()).toHaveLength(1)
    await writeFile(left, 'a process died here')
    await utimes(left, 0, 0)
    const last = await openOne()
    expect((await last.search('Process was here')).found.slice(0, 4).toSorted()).toEqual(
      [0, 1, 2, 3].map((p) => `Process ${p} was here`),
    )
    await rm(join(cache, (await files()).find((name) => name !== 'left.draft')!))
    const again = await openOne()
    await again.search('item5')
    await again.close()
    expect(await files()).toHaveLength(1)
  })

  it('do not outlive a purge or the tables, and a folder that cannot be written does not matter', async () => {
    const { address, openOne, once, files, options } = await largeScope()
    await once('item77')
    const { memory, search, close } = await openOne()
    await search('item77')
    await memory.purge()
    expect(await files()).toEqual([])
    await close()
    await once('item77')
    expect(await files()).toHaveLength(1)
    const nowhere = await openOne(join(import.meta.filename, 'cache'))
    expect((await nowhere.search('item77')).found[0]).toBe('Shelf 77 holds item77')
    expect((await nowhere.search('item78')).found[0]).toBe('Shelf 78 holds item78')
    await deleteTables({ ...options, endpoint: address.endpoint, cache: address.cache })
    expect(await files()).toEqual([])
  })
})
