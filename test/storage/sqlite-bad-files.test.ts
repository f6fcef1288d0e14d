import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../fixtures/scratch-folder.ts'
import { findBrokenInvariants } from '../stress/invariants.ts'
import { writeFile } from '../stress/older-files.ts'
import { runWorker } from '../stress/worker-process.ts'
import { attempt, expectHonest, filledStore, IS_ROOT, NOBODY, open, SCOPE } from './filled-store.ts'

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
