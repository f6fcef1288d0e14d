import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { referenceData } from '../../src/storage/reference/data.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'
import { scratchFolder } from '../fixtures/scratch-folder.ts'
import { all, dump, fill, move, openOn } from './stores.ts'

const shop = { projectId: 'shop' }

/** A store, an engine on it, and a handle for the migration. */
async function place() {
  const shared = referenceData()
  return { engine: await openOn(referenceStorage({ shared })), storage: referenceStorage({ shared }), shared }
}

async function moved() {
  const folder = scratchFolder()
  const [source, target] = [await place(), await place()]
  await fill(source.storage)
  const again = () => move(source.storage, target.storage, { journal: join(folder, 'journal.json') })
  expect(await again()).toMatchObject({ verified: true })
  const { memories } = await source.engine.list({ identifiers: shop, limit: 10 })
  return { source, target, again, ids: memories.map(({ id }) => id) }
}

describe('a target that writers use already', () => {
  it('keeps what they did, and gets what was still written to the source', async () => {
    const { source, target, again, ids } = await moved()
    await target.engine.update(ids[0]!, { content: 'changed in the target' }, all)
    await target.engine.delete(ids[1]!, all)
    await target.engine.context({ identifiers: shop, session: 'in-target' })
    await target.engine.add({ exact: true, content: 'new in the target', layer: 'project', identifiers: shop })
    await target.engine.personality.set({ agentName: 'wasabi', displayName: 'W', persona: 'Mild.' })
    await target.engine.directory.remove('project', 'shop')
    await target.engine.endSession('run-1', { exitCode: 0 })
    await source.engine.add({ exact: true, content: 'late in the source', layer: 'project', identifiers: shop })
    await source.engine.directory.set({ projectId: 'late', teamId: 'web' })
    const before = await dump(target.storage)
    const { verified, kinds } = await again()
    expect(verified).toBe(true)
    expect(kinds.memories).toMatchObject({ onlyInTarget: 1, differingCount: 0 })
    expect(kinds.personalities.newer).toBe(1)
    expect(kinds.sessions).toMatchObject({ newer: 1, differingCount: 0 })
    const after = await dump(target.storage)
    expect(before.filter((line) => !after.includes(line))).toEqual([])
    expect(after.filter((line) => !before.includes(line)).join('\n')).toContain('late in the source')
    expect(await target.engine.get(ids[1]!, all), 'a deletion is not undone').toBeNull()
    expect((await target.storage.documents('directory')).map(({ id }) => id)).toContain('late')
    expect(await again()).toMatchObject({ verified: true, written: 0 })
  })

  it('takes documents that the source changed or removed since', async () => {
    const { source, target, again } = await moved()
    await source.engine.directory.set({ projectId: 'shop', teamId: 'app' })
    await source.engine.personality.delete('wasabi')
    for (const { id } of await source.engine.tokens.list()) await source.engine.tokens.revoke(id)
    expect(await again()).toMatchObject({ verified: true })
    expect(await dump(target.storage)).toEqual(await dump(source.storage))
  })

  it('names what went two ways, leaves it, and does not say that all is well', async () => {
    const { source, target, again, ids } = await moved()
    await target.engine.update(ids[0]!, { content: 'here so' }, all)
    await source.engine.update(ids[0]!, { content: 'there otherwise' }, all)
    await target.engine.update(ids[1]!, { content: 'here once' }, all)
    for (const content of ['there once', 'there twice']) await source.engine.update(ids[1]!, { content }, all)
    await target.engine.directory.set({ projectId: 'shop', teamId: 'one' })
    await source.engine.directory.set({ projectId: 'shop', teamId: 'two' })
    const before = await dump(target.storage)
    const { verified, settled, kinds } = await again()
    expect({ verified, settled }).toEqual({ verified: false, settled: true })
    expect(kinds.memories).toMatchObject({ differing: expect.arrayContaining(ids.slice(0, 2)), same: false })
    expect(kinds.directory).toMatchObject({ differing: ['project:shop'], same: false })
    expect(await dump(target.storage)).toEqual(before)
  })

  it('a token that is revoked in the source is revoked, also where the journal is lost', async () => {
    const [source, target] = [await place(), await place()]
    await fill(source.storage)
    await move(source.storage, target.storage)
    for (const { id } of await source.engine.tokens.list()) await source.engine.tokens.revoke(id)
    expect(await move(source.storage, target.storage)).toMatchObject({ verified: true })
    expect((await target.engine.tokens.list()).every(({ revokedAt }) => revokedAt !== null)).toBe(true)
  })

  it('a record that was damaged in the target is found', async () => {
    const { target, again, ids } = await moved()
    const row = target.shared.memories.get(ids[0]!)!
    target.shared.memories.set(ids[0]!, { ...row, memory: { ...row.memory, content: 'Takes 91s to start' } })
    const { verified, kinds } = await again()
    expect(verified).toBe(false)
    expect(kinds.memories).toMatchObject({ source: 6, target: 6, same: false, differing: [ids[0]] })
  })

  it('the same store by two names is found out before anything is written', async () => {
    const { storage, shared } = await place()
    await fill(storage)
    const before = await dump(storage)
    const moving = move(storage, referenceStorage({ shared }), { merge: true })
    await expect(moving).rejects.toThrow('--from and --to are the same store.')
    expect(await dump(storage)).toEqual(before)
  })

  it('a vector that only the source has is brought', async () => {
    const [source, target] = [await place(), await place()]
    await fill(source.storage)
    await move(source.storage, target.storage, { vectors: false })
    expect((await target.storage.stats()).models).toEqual([])
    const { kinds } = await move(source.storage, target.storage)
    expect(kinds.vectors).toMatchObject({ source: 6, target: 6, same: true })
    expect(await dump(target.storage)).toEqual(await dump(source.storage))
  })
})
