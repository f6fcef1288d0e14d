import { describe, expect, it, onTestFinished } from 'vitest'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { openMemory } from './open-memory.ts'

const SHOP = { identifiers: { projectId: 'shop' } }

async function opened(storage: 'reference' | 'sqlite') {
  let now = new Date('2026-03-01T00:00:00Z')
  const memory = await openMemory({
    storage: storage === 'reference' ? referenceStorage() : 'sqlite::memory:',
    embedding: { kind: 'hashing' },
    relations: null,
    now: () => now,
  })
  onTestFinished(() => memory.shutdown())
  const later = (days: number) => {
    now = new Date(now.getTime() + days * 86_400_000)
  }
  const add = async (content: string, more: object = {}) =>
    (await memory.add({ content, layer: 'project', identifiers: { projectId: 'shop' }, ...more })).memory
  return { memory, add, later }
}

describe.each(['reference', 'sqlite'] as const)('%s: a deleted memory', (storage) => {
  it('comes back with its id, words and history, and is found again', async () => {
    const { memory, add, later } = await opened(storage)
    const { id } = await add('Prices are in cents', { tags: ['money'] })
    await memory.update(id, { content: 'Prices are in euro cents' }, SHOP)
    later(1)
    await memory.delete(id, SHOP)
    expect((await memory.deleted(SHOP)).deleted).toMatchObject([
      { memory: { id, content: 'Prices are in euro cents' }, at: '2026-03-02T00:00:00.000Z', by: 'library' },
    ])
    const { memory: back } = await memory.restore(id, SHOP)
    expect(back).toMatchObject({ id, content: 'Prices are in euro cents', tags: ['money'], version: 4 })
    expect(await memory.get(id, SHOP)).toEqual(back)
    const { results } = await memory.search({ ...SHOP, query: 'euro cents', threshold: 0 })
    expect(results.map((result) => result.memory.id)).toEqual([id])
    const { changes } = await memory.history(id, SHOP)
    expect(changes.map(({ version, operation }) => `${version} ${operation}`)).toEqual([
      '1 create',
      '2 update',
      '3 delete',
      '4 create',
    ])
    expect(await memory.deleted(SHOP)).toEqual({ deleted: [], totalCount: 0 })
    await memory.update(id, { confidence: 0.9 }, SHOP)
  })

  it('is listed with the latest first, and of one moment in one order', async () => {
    const { memory, add, later } = await opened(storage)
    const ids: string[] = []
    for (const content of ['Port 80 is open', 'Mail leaves at noon', 'Backups run at 3'])
      ids.push((await add(content)).id)
    await memory.delete(ids[1]!, SHOP)
    later(1)
    await memory.delete(ids[2]!, SHOP)
    await memory.delete(ids[0]!, SHOP)
    const { deleted, totalCount } = await memory.deleted(SHOP)
    expect(deleted.map((each) => each.memory.id)).toEqual([ids[2], ids[0], ids[1]])
    const first = await memory.deleted({ ...SHOP, limit: 1 })
    expect([first.deleted.length, first.totalCount, totalCount]).toEqual([1, 3, 3])
    expect((await memory.deleted({ identifiers: { projectId: 'bank' } })).totalCount).toBe(0)
  })

  it('has not aged, and does not end at once, when it comes back late', async () => {
    const { memory, add, later } = await opened(storage)
    const { id } = await add('The vacuum runs on Mondays', { expiresAt: '2026-04-01T00:00:00Z' })
    await memory.delete(id, SHOP)
    later(300)
    expect((await memory.restore(id, SHOP)).memory).toMatchObject({ confidence: 0.7, active: true, expiresAt: null })
    expect(await memory.list(SHOP)).toMatchObject({ totalCount: 1 })
  })

  it('is found by a part of its id, by those who may read it, and only where deleted ones are asked for', async () => {
    const { memory, add } = await opened(storage)
    const { id } = await add('Prices are in cents')
    const other = await add('Amounts are in dollars', { layer: 'user', identifiers: { userId: 'ann' } })
    const bank = { identifiers: { projectId: 'bank' } }
    const end = id.slice(-8).toLowerCase()
    expect(await memory.findIds(end, SHOP)).toEqual({ ids: [id] })
    expect(await memory.findIds(id.slice(0, 8), SHOP)).toEqual({ ids: [id] })
    expect(await memory.findIds(end, bank)).toEqual({ ids: [] })
    expect((await memory.findIds(id.slice(0, 8), { everything: true })).ids.toSorted()).toEqual(
      [id, other.id].toSorted(),
    )
    await memory.delete(id, SHOP)
    expect(await memory.findIds(end, SHOP)).toEqual({ ids: [] })
    expect(await memory.findIds(end, { ...SHOP, deleted: true })).toEqual({ ids: [id] })
    expect(await memory.findIds(end, { ...bank, deleted: true })).toEqual({ ids: [] })
  })

  it('is nobody else’s to bring back, and one that is there is a conflict', async () => {
    const { memory, add } = await opened(storage)
    const { id } = await add('Prices are in cents')
    await expect(memory.restore(id, SHOP)).rejects.toMatchObject({ code: 'CONFLICT' })
    await memory.delete(id, SHOP)
    const bank = { identifiers: { projectId: 'bank' } }
    await expect(memory.restore(id, bank)).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' })
    expect(await memory.deleted(bank)).toEqual({ deleted: [], totalCount: 0 })
    await expect(memory.restore('nothing', SHOP)).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' })
    await memory.purge({ before: new Date('2027-01-01') })
    await expect(memory.restore(id, SHOP)).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' })
  })
})
