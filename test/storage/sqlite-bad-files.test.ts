import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { findBrokenInvariants } from '../stress/invariants.ts'
import { query, writeFile } from '../stress/older-files.ts'
import { scratchFolder } from '../stress/scratch-folder.ts'
import { runWorker } from '../stress/worker-process.ts'

/** An unprivileged user: the tests may run as root, who bypasses permissions. */
const NOBODY = 65534
const IS_ROOT = process.getuid?.() === 0
const ALL = { everything: true } as const
const SCOPE = { layer: 'project' as const, identifiers: { projectId: 'p' } }
const open = (path: string) =>
  openMemory({ storage: `sqlite:${path}`, embedding: hashingEmbedding(), retry: { retries: 0 } })

interface Attempt {
  name: string
  ok: boolean
  known?: boolean
  code?: string
  retryable?: boolean
  message?: string
}

async function attempt(path: string, operations: readonly string[] = [], { bound = false } = {}): Promise<Attempt[]> {
  const options = bound && IS_ROOT ? { user: NOBODY } : {}
  return (await runWorker('attempt', [path, ...operations], options)).map((line) => JSON.parse(line) as Attempt)
}

/** A closed store with two packed pages of vectors, history and text. */
async function filledStore(folder: string): Promise<string> {
  const path = join(folder, 'memory.db')
  const memory = await open(path)
  const contents = Array.from({ length: 300 }, (_, i) => ({
    content: `${['queue', 'backup', 'disk', 'router'][i % 4]} observation ${i}`,
    tags: [i % 2 ? 'odd' : 'even'],
    metadata: { n: i },
    ...SCOPE,
  }))
  for (let i = 0; i < contents.length; i += 100) await memory.bulkAdd(contents.slice(i, i + 100), { exact: true })
  await memory.shutdown()
  return path
}

async function refusal(path: string): Promise<{ code: string; retryable: boolean; message: string }> {
  const error = await open(path).then(
    () => null,
    (error: { code: string; retryable: boolean; message: string }) => error,
  )
  if (!error) throw new Error('the file was opened')
  return error
}

test('a file of a newer version is refused and stays as it is, byte for byte', async () => {
  const path = await filledStore(scratchFolder())
  writeFile(path, 'PRAGMA user_version = 99')
  const before = readFileSync(path)
  expect(await refusal(path)).toMatchObject({
    code: 'PROVIDER_ERROR',
    retryable: false,
    message: expect.stringMatching(/newer Nokosu.*99.*Upgrade/),
  })
  expect(readFileSync(path).equals(before)).toBe(true)
})

test.each([
  ['has other tables', 'CREATE TABLE photos (id)', /another program: it contains tables, but no memories/],
  ['carries another application id', 'PRAGMA application_id = 7; CREATE TABLE memories (id)', /another program/],
  ['has only an application id', 'PRAGMA application_id = 7; CREATE TABLE x (id); DROP TABLE x', /another program/],
  [
    'has memories of another kind',
    'CREATE TABLE memories (id INTEGER PRIMARY KEY, text TEXT)',
    /its table memories has no column service/,
  ],
  [
    'has workflow memories of another kind',
    'CREATE TABLE agent_memories (id INTEGER PRIMARY KEY, text TEXT)',
    /its table agent_memories has no column scope/,
  ],
])('a foreign database that %s is refused and unchanged', async (_, sql, message) => {
  const folder = scratchFolder()
  const path = join(folder, 'memory.db')
  writeFile(path, sql)
  const before = readFileSync(path)
  expect(await refusal(path)).toMatchObject({
    code: 'PROVIDER_ERROR',
    retryable: false,
    message: expect.stringMatching(message),
  })
  expect(readFileSync(path).equals(before)).toBe(true)
  expect(readdirSync(folder)).toEqual(['memory.db'])
})

test('an older file whose other tables have our names is refused by name, and unchanged', async () => {
  const path = join(scratchFolder(), 'memory.db')
  const { OPERATIONAL_TABLE } = await import('../stress/older-files.ts')
  writeFile(path, OPERATIONAL_TABLE, 'CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT)')
  const before = readFileSync(path)
  expect(await refusal(path)).toMatchObject({
    code: 'PROVIDER_ERROR',
    message: expect.stringMatching(/a table settings of its own/),
  })
  expect(readFileSync(path).equals(before)).toBe(true)
})

test.each([
  ['short', 'hello\n'],
  ['long', 'This is not a database. '.repeat(1000)],
])('a %s text file is refused and unchanged', async (_, text) => {
  const path = join(scratchFolder(), 'memory.db')
  writeFileSync(path, text)
  expect(await refusal(path)).toMatchObject({
    code: 'PROVIDER_ERROR',
    retryable: false,
    message: expect.stringMatching(/not a SQLite database/),
  })
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('an empty file becomes a store', async () => {
  const path = join(scratchFolder(), 'memory.db')
  writeFileSync(path, '')
  const memory = await open(path)
  await memory.add({ exact: true, content: 'First', ...SCOPE })
  await memory.shutdown()
  expect(findBrokenInvariants(path)).toEqual([])
})

test('a folder in place of the file, and a file in place of a folder, are refused', async () => {
  const folder = scratchFolder()
  mkdirSync(join(folder, 'memory.db'))
  expect(await refusal(join(folder, 'memory.db'))).toMatchObject({
    code: 'PROVIDER_ERROR',
    retryable: false,
    message: expect.stringMatching(/Cannot open/),
  })
  writeFileSync(join(folder, 'file'), 'x')
  expect(await refusal(join(folder, 'file', 'memory.db'))).toMatchObject({
    code: 'PROVIDER_ERROR',
    retryable: false,
    message: expect.stringMatching(/not a folder/),
  })
})

/** It either works or fails with our error, which is not retryable. */
function expectHonest(attempts: readonly Attempt[], damage: string): void {
  for (const { name, ok, ...failure } of attempts) {
    if (!ok)
      // A flipped id does not exist.
      expect(failure, `${damage}: ${name}`).toMatchObject({
        known: true,
        code: name === 'update' ? expect.stringMatching(/^(PROVIDER_ERROR|MEMORY_NOT_FOUND)$/) : 'PROVIDER_ERROR',
        retryable: false,
      })
  }
}

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

test('flipped bytes never crash a process: every operation works or says that the file is damaged', async () => {
  const folder = scratchFolder()
  const path = await filledStore(folder)
  const original = readFileSync(path)
  let failures = 0
  // A fixed sequence that reaches every kind of page; many flips per file, because most of it is text and vectors.
  let seed = 12345
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed / 2147483648
  }
  for (let round = 0; round < 14; round++) {
    const bytes = Buffer.from(original)
    for (let flip = 0; flip < 40; flip++) {
      // After the header, which the text file test covers; often at the start of a page, where its structure is.
      const page = 1 + Math.floor(random() * (bytes.length / 4096 - 1))
      const offset = page * 4096 + Math.floor(random() * (flip % 2 ? 4096 : 64))
      bytes[offset] = bytes[offset]! ^ (1 << Math.floor(random() * 8))
    }
    const copy = join(folder, `flipped-${round}.db`)
    writeFileSync(copy, bytes)
    const attempts = await attempt(copy)
    expectHonest(attempts, `round ${round}`)
    failures += attempts.filter(({ ok }) => !ok).length
    rmSync(copy)
  }
  expect(failures).toBeGreaterThan(0)
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

const BROAD = { identifiers: { projectId: 'p' }, limit: 100, threshold: 0 }

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

test('a read-only file refuses to be written and is not changed', async () => {
  const folder = scratchFolder()
  const path = await filledStore(folder)
  if (IS_ROOT) chownSync(folder, NOBODY, NOBODY)
  chmodSync(path, 0o444)
  const before = readFileSync(path)
  const attempts = await attempt(path, ['add', 'update', 'delete'], { bound: true })
  expect(attempts.filter(({ name }) => name !== 'open' && name !== 'shutdown').every(({ ok }) => !ok)).toBe(true)
  expectHonest(attempts, 'read-only file')
  expect(attempts.find(({ ok }) => !ok)!.message).toMatch(/read-only/)
  expect(readFileSync(path).equals(before)).toBe(true)
  chmodSync(path, 0o644)
  expect(findBrokenInvariants(path)).toEqual([])
})

test('a read-only folder and a folder that may not be made are refused with the reason', async () => {
  const folder = scratchFolder()
  const path = await filledStore(folder)
  chmodSync(path, 0o644)
  chmodSync(folder, 0o555)
  const before = readFileSync(path)
  const attempts = await attempt(path, ['list', 'keyword', 'semantic', 'add'], { bound: true })
  expectHonest(attempts, 'read-only folder')
  // The folder is not writable, but the file is still readable.
  expect(attempts.filter(({ ok }) => ok).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['open', 'list', 'keyword', 'semantic']),
  )
  expect(attempts.some(({ ok }) => !ok)).toBe(true)
  expect(attempts.find(({ ok }) => !ok)!.message).toMatch(/read-only|Cannot open/)
  expect(readFileSync(path).equals(before)).toBe(true)
  const [created] = await attempt(join(folder, 'sub', 'memory.db'), [], { bound: true })
  expect(created).toMatchObject({
    ok: false,
    code: 'PROVIDER_ERROR',
    retryable: false,
    message: expect.stringMatching(/Permission denied/),
  })
  expect(existsSync(join(folder, 'sub'))).toBe(false)
})

test('a full disk refuses the write, changes nothing, and the store goes on when there is space again', async () => {
  const folder = scratchFolder()
  // In a separate mount namespace, so that the small disk disappears with the process.
  const [line] = await runWorker('fill-disk', [folder], { under: ['unshare', IS_ROOT ? '-m' : '-rm'] })
  const { acknowledged, stored, failure, failedUpdate, untouched, found, added, broken } = JSON.parse(line!) as Record<
    string,
    unknown
  >
  expect(failure).toMatchObject({ code: 'PROVIDER_ERROR', retryable: false, message: expect.stringMatching(/disk/i) })
  expect(failedUpdate).toMatchObject({ code: 'PROVIDER_ERROR', retryable: false })
  expect(untouched).toBe(1)
  expect(found).toBe(added)
  expect(stored).toEqual(acknowledged)
  expect(broken).toEqual([])
})

test('a lock that another program holds for a moment is waited for', async () => {
  const path = await filledStore(scratchFolder())
  const memory = await open(path)
  onTestFinished(() => memory.shutdown())
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const blocked = runWorker('attempt', [path, 'list', 'add'])
  await new Promise((resolve) => setTimeout(resolve, 1500))
  other.exec('COMMIT')
  other.close()
  expect((await blocked).map((line) => (JSON.parse(line) as Attempt).ok)).toEqual([true, true, true, true])
})
