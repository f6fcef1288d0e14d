import { copyFileSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../fixtures/scratch-folder.ts'
import { query, writeFile } from '../stress/older-files.ts'
import { attempt, expectHonest, filledStore, open } from './filled-store.ts'

const ALL = { everything: true } as const
const BROAD = { identifiers: { projectId: 'p' }, limit: 100, threshold: 0 }

test('a truncated file is an error that says so, or reads what is left', async () => {
  const folder = scratchFolder()
  const path = await filledStore(folder)
  const size = readFileSync(path).length
  for (const part of [0.97, 0.7, 0.3, 0.01]) {
    const copy = join(folder, `${part}.db`)
    copyFileSync(path, copy)
    truncateSync(copy, Math.floor(size * part))
    const attempts = await attempt(copy)
    expectHonest(attempts, `cut to ${part}`)
    expect(
      attempts.some(({ ok }) => !ok),
      `cut to ${part}`,
    ).toBe(true)
  }
})

test('a damaged value inside a row is reported as damage, and other rows stay readable', async () => {
  const path = await filledStore(scratchFolder())
  const ulid = query(path, 'SELECT ulid FROM memories WHERE id = 5')[0]!.ulid as string
  const other = query(path, 'SELECT ulid FROM memories WHERE id = 6')[0]!.ulid as string
  writeFile(
    path,
    'DROP TRIGGER memories_update_checked',
    'DROP TRIGGER memories_replaced',
    'DROP TRIGGER memories_updated',
    `UPDATE memories SET metadata = '{"n":' WHERE id = 5`,
  )
  const memory = await open(path)
  onTestFinished(() => memory.shutdown())
  for (const read of [() => memory.get(ulid, ALL), () => memory.history(ulid, ALL)]) {
    await expect(read()).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      retryable: false,
      message: expect.stringMatching(/damaged/),
    })
  }
  expect(await memory.get(other, ALL)).toMatchObject({ id: other })
  const found = async (query: string, request: object) =>
    (await memory.search({ query, ...request, ...BROAD })).results.map((result) => result.memory.id)
  for (const request of [{ mode: 'keyword' }, { mode: 'semantic' }, { filter: { n: { gt: 3 } } }]) {
    expect(await found('queue observation 4', request)).not.toContain(ulid)
    expect(await found('backup observation 5', request)).toContain(other)
  }
})

test('a vector page that cannot be read takes no memory out of the search: the vectors themselves are read', async () => {
  const path = await filledStore(scratchFolder())
  const search = async () => {
    const memory = await open(path)
    const { results } = await memory.search({ query: 'queue observation 7', mode: 'semantic', ...BROAD })
    await memory.shutdown()
    return results.map((result) => result.memory.id)
  }
  const before = await search()
  expect(before).toHaveLength(100)
  for (const spoil of [
    `UPDATE vector_page_codes SET codes = x'00'`,
    `UPDATE vector_pages SET scales = x'00'`,
    `UPDATE vector_pages SET keys = x'00'`,
  ]) {
    writeFile(path, spoil)
    expect(await search()).toEqual(before)
  }
})

test('a vector that was cut short is as good as none, and hides no other', async () => {
  const path = await filledStore(scratchFolder())
  const [{ ulid, content }] = query(
    path,
    'SELECT ulid, observation AS content FROM memories WHERE embedding_id = 1',
  ) as [{ ulid: string; content: string }]
  writeFile(path, 'UPDATE embeddings SET vector = substr(vector, 1, 400) WHERE id = 1')
  const memory = await open(path)
  onTestFinished(() => memory.shutdown())
  const find = async (mode: 'keyword' | 'semantic') =>
    (await memory.search({ query: content, mode, ...BROAD })).results.map((result) => result.memory.id)
  expect(await find('semantic')).toHaveLength(100)
  expect(await find('semantic')).not.toContain(ulid)
  expect(await find('keyword')).toContain(ulid)
  await expect(memory.get(ulid, ALL)).rejects.toMatchObject({ code: 'PROVIDER_ERROR', retryable: false })
})

test('a time that cannot be read hides no other memory', async () => {
  const path = await filledStore(scratchFolder())
  writeFile(
    path,
    'DROP TRIGGER memories_update_checked; DROP TRIGGER memories_updated',
    `UPDATE memories SET visible_until = 'junk', expires_at = 'junk' WHERE id = 5`,
  )
  const memory = await open(path)
  onTestFinished(() => memory.shutdown())
  for (const mode of ['keyword', 'semantic', 'hybrid'] as const) {
    expect((await memory.search({ query: 'queue observation', mode, ...BROAD })).results.length).toBeGreaterThan(50)
  }
})
