import { createHash } from 'node:crypto'
import { copyFileSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CATEGORIES, CATEGORY_NAMES, isFading } from '../../src/model/categories.ts'
import { LAYERS } from '../../src/model/layer.ts'
import { SOURCES } from '../../src/model/memory.ts'
import { COLUMN_NAMES } from '../../src/storage/sql/memory-columns.ts'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import { scratchFolder } from '../fixtures/scratch-folder.ts'
import { findBrokenInvariants } from '../stress/invariants.ts'
import { query, writeFile } from '../stress/older-files.ts'

const STORES = join(import.meta.dirname, '../fixtures/stores')

async function open(path: string) {
  const storage = sqliteStorage({ path })
  await storage.initialize({ name: 'hashing:v1-16', dimensions: 16 })
  onTestFinished(() => storage.shutdown())
  return storage
}

async function openCopy(name: string) {
  const path = join(scratchFolder(), 'memory.db')
  copyFileSync(join(STORES, name), path)
  return { path, storage: await open(path) }
}

/** The schema of a file. Columns are sorted by name, because later ones are appended. */
function schemaOf(path: string): Record<string, unknown> {
  const rows = query(path, `SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`)
  return Object.fromEntries(
    rows.map(({ type, name, sql }) => {
      const columns = `SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo('${name}') ORDER BY name`
      return [`${type} ${name}`, type === 'table' ? query(path, columns) : String(sql).replace(/\s+/g, ' ')]
    }),
  )
}

describe('a file of an earlier version', () => {
  test.each(['0.1.0.db', 'schema-4.db', 'schema-6.db'])('%s has the schema of a new one', async (name) => {
    const fresh = join(scratchFolder(), 'fresh.db')
    await open(fresh)
    const { path } = await openCopy(name)
    expect(schemaOf(path)).toEqual(schemaOf(fresh))
    expect(findBrokenInvariants(path)).toEqual([])
  })

  test.each(['schema-4.db', 'schema-6.db'])('%s keeps its memories, and finds them', async (name) => {
    const { path, storage } = await openCopy(name)
    const contents = () =>
      query(path, 'SELECT observation, category, version, trust FROM memories ORDER BY observation')
    expect(contents()).toEqual([
      { observation: 'Decided to keep the queue', category: 'decision', version: 1, trust: expect.any(String) },
      { observation: 'Scans on Sundays', category: 'behavior', version: 1, trust: 'flagged' },
      { observation: 'The lint rule stays off', category: 'decision', version: 1, trust: 'flagged' },
      { observation: 'The relay needs ten seconds', category: 'timing', version: 2, trust: expect.any(String) },
    ])
    const changes = await storage.changes({ memory: null, after: null, limit: 20 })
    expect(changes.items.map(({ operation }) => operation)).toEqual([
      ...['create', 'create', 'create', 'update', 'delete', 'create', 'create'],
    ])
    const [found] = await storage.search([{ scopes: null, where: {}, vector: null, tokens: ['sundai'], limit: 5 }])
    expect(found!.candidates.map(({ memory }) => memory.content)).toEqual(['Scans on Sundays'])
  })
})

/** The digest of each migration file. A new migration is a file and a line here. */
const FROZEN = {
  'lasting.ts': '72a52671183fb21f',
  'pins.ts': 'cdda286d35ccf840',
  'published.ts': '53731c955bc18eaf',
  'tables.ts': 'e959a9f7b8b030e1',
  'triggers.ts': '61a16299c6f4922a',
  'views.ts': '09e2dc1dc5bb151c',
  'workflow-view.ts': '23cb378bb5d4336c',
}

test('what migrations run is frozen: a released text never changes, a change is a migration of its own', async () => {
  const folder = join(import.meta.dirname, '../../src/storage/sqlite/migrations')
  const digests: Record<string, string> = {}
  for (const file of globSync('*.ts', { cwd: folder, exclude: ['first-edition.ts'] })) {
    const texts = JSON.stringify(await import(join(folder, file)))
    digests[file] = createHash('sha256').update(texts).digest('hex').slice(0, 16)
    expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/from '\.\.\//)
  }
  expect(digests).toEqual(FROZEN)
})

test('the state that the history keeps has every column of a memory', async () => {
  const path = join(scratchFolder(), 'memory.db')
  await open(path)
  writeFile(
    path,
    `INSERT INTO memories (category, observation, created_at, updated_at) VALUES ('timing', 'Seen', '2026-01-01', '2026-01-01')`,
  )
  const [row] = query(path, 'SELECT state FROM memory_states')
  expect(Object.keys(JSON.parse(String(row!.state))).sort()).toEqual([...COLUMN_NAMES, 'session'].sort())
})

test('a file knows which categories fade', async () => {
  const path = join(scratchFolder(), 'memory.db')
  await open(path)
  const rows = query(path, 'SELECT stored_as, decays FROM memory_categories')
  expect(new Set(rows.flatMap(({ stored_as, decays }) => (decays === 1 ? [stored_as] : [])))).toEqual(
    new Set(CATEGORIES.filter((category) => isFading({ category }))),
  )
  expect(rows.filter(({ decays }) => decays !== 0 && decays !== 1)).toEqual([])
})

test('plain SQL may write whatever the record knows: every layer, source and category', async () => {
  const path = join(scratchFolder(), 'memory.db')
  await open(path)
  const insert = (scope: string, source: string, category: string) =>
    writeFile(
      path,
      `INSERT INTO memories (scope, scope_id, source, category, observation, created_at, updated_at)
       VALUES ('${scope}', 'x', '${source}', '${category}', 'Seen', '2026-01-01', '2026-01-01')`,
    )
  for (const layer of LAYERS) insert(layer, 'system', 'timing')
  for (const source of SOURCES) insert('project', source, 'timing')
  for (const category of new Set(CATEGORY_NAMES.values())) insert('project', 'system', category)
  expect(query(path, `SELECT identifiers FROM memories WHERE scope = 'company'`)).toEqual([
    { identifiers: '{"projectId":"default","companyId":"x"}' },
  ])
})

test('a category that the program learned since is written into the file when it is opened', async () => {
  const path = join(scratchFolder(), 'memory.db')
  await (await open(path)).shutdown()
  writeFile(
    path,
    `DELETE FROM memory_categories WHERE name = 'timing'`,
    `INSERT INTO memory_categories VALUES ('newer', 'newer', 0)`,
  )
  await open(path)
  expect(query(path, 'SELECT name FROM memory_categories').map(({ name }) => name)).toEqual(
    [...CATEGORY_NAMES.keys(), 'newer'].sort(),
  )
})

test('a file that lacks the last migration alone keeps its indexes and triggers', async () => {
  const path = join(scratchFolder(), 'memory.db')
  await (await open(path)).shutdown()
  const schema = schemaOf(path)
  writeFile(path, `DELETE FROM _migrations WHERE name = '025_published'`)
  await open(path)
  expect(schemaOf(path)).toEqual(schema)
})
