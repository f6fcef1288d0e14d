import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../../embedding/hashing.ts'
import { openMemory } from '../../engine/open-memory.ts'
import { insert, question, update, vectorFor, write } from '../../testing/conformance/storage/writing.ts'
import { MODEL } from '../../testing/conformance/store-under-test.ts'
import { PAGE_SLOTS } from '../../vector/packed-page.ts'
import type { Found } from '../search-query.ts'
import { sqliteStorage } from './sqlite-storage.ts'

async function store() {
  const folder = await mkdtemp(join(tmpdir(), 'nokosu-pages-'))
  const file = join(folder, 'memory.db')
  const memory = await openMemory({ storage: `sqlite:${file}`, embedding: hashingEmbedding(), relations: null })
  const db = new DatabaseSync(file, { readOnly: true })
  onTestFinished(async () => {
    db.close()
    await memory.shutdown()
    await rm(folder, { recursive: true })
  })
  const number = (query: string) => Number(Object.values(db.prepare(query).get()!)[0])
  let added = 0
  const add = async (count: number, projectId = 'shop') => {
    const contents = Array.from({ length: count }, () => `Ticket ${added++} is open`)
    const all = contents.map((content) => ({ layer: 'project' as const, identifiers: { projectId }, content }))
    for (let i = 0; i < count; i += 100) await memory.bulkAdd(all.slice(i, i + 100), { exact: true })
  }
  const openAgain = () => openMemory({ storage: `sqlite:${file}`, embedding: hashingEmbedding(), relations: null })
  return { file, memory, add, number, openAgain }
}

it('a scope’s vectors are packed as soon as they fill a page, and counted anew from there', async () => {
  const { add, number } = await store()
  const pages = () => number('SELECT count(*) FROM vector_pages')
  await add(PAGE_SLOTS - 2)
  await add(3, 'other')
  await add(1)
  expect(pages()).toBe(0)
  await add(1)
  expect(pages()).toBe(1)
  expect(number('SELECT count(*) FROM memories WHERE vector_page IS NULL')).toBe(3)
  await add(PAGE_SLOTS - 1)
  expect(pages()).toBe(1)
  await add(1)
  expect(pages()).toBe(2)
})

it('a page whose memories are all deleted is gone, with its codes', async () => {
  const { memory, add, number } = await store()
  await add(PAGE_SLOTS)
  const ids = (await Array.fromAsync(memory.export({ everything: true })))
    .map((line) => JSON.parse(line))
    .flatMap(({ type, memory: each }) => (type === 'memory' ? [each.id as string] : []))
  for (let i = 0; i < ids.length; i += 100) await memory.bulkDelete(ids.slice(i, i + 100), { everything: true })
  for (const table of ['vector_pages', 'vector_page_codes']) expect(number(`SELECT count(*) FROM ${table}`)).toBe(0)
})

it('other processes are told to read again by an import, and by nothing that follows it', async () => {
  const source = await store()
  await source.add(2)
  const { memory, add, number } = await store()
  const epoch = () => number(`SELECT value FROM settings WHERE name = 'vector_epoch'`)
  await add(1, 'other')
  const before = epoch()
  await memory.import(source.memory.export({ everything: true }))
  const after = epoch()
  expect(after).toBeGreaterThan(before)
  await add(1)
  expect(epoch()).toBe(after)
})

it('what plain SQL deleted from a packed page is no neighbour for a process that opens the file later', async () => {
  const { file, memory, add, number, openAgain } = await store()
  await add(PAGE_SLOTS)
  const shop = { identifiers: { projectId: 'shop' } }
  const asked = { query: 'Ticket 7 is open', mode: 'semantic' as const, threshold: 0, limit: 5, ...shop }
  const nearest = (await memory.search(asked)).results.map(({ memory: { id } }) => id)
  using writer = new DatabaseSync(file)
  writer.exec(`DELETE FROM memories WHERE ulid IN (${nearest.map((id) => `'${id}'`).join()})`)
  expect(number('SELECT count(*) FROM vector_removals')).toBe(5)
  await using later = await openAgain()
  expect((await later.search(asked)).results.map(({ memory: { id } }) => id)).toEqual(
    (await memory.search(asked)).results.map(({ memory: { id } }) => id),
  )
})

it('a memory that moves to another scope is found there by its vector, and one that stays keeps its place on a page', async () => {
  const storage = sqliteStorage({ path: ':memory:' })
  onTestFinished(() => storage.shutdown())
  await storage.initialize(MODEL)
  for (let from = 0; from < PAGE_SLOTS; from += 100) {
    const count = Math.min(100, PAGE_SLOTS - from)
    await write(
      storage,
      Array.from({ length: count }, (_, i) => insert(from + i, {}, { text: `Text ${from + i}` })),
    )
  }
  const found = async (text: string, projectId: string) => {
    const scopes = [{ layer: 'project', owner: projectId, projects: [null] }] as const
    const [{ candidates }] = (await storage.search([question({ vector: vectorFor(text), scopes, limit: 1 })])) as [
      Found,
    ]
    return candidates.map(({ memory }) => memory.content)
  }
  await write(storage, [update(7, 2, { identifiers: { projectId: 'other' } }), update(8, 2, { importance: 90 })])
  expect(await found('Text 7', 'other')).toEqual(['Record 7'])
  expect(await found('Text 7', 'shop')).not.toEqual(['Record 7'])
  expect(await found('Text 8', 'shop')).toEqual(['Record 8'])
})
