/** Durable writes through the engine, against bare inserts of the same rows and indexes. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openMemory } from '../src/engine/open-memory.ts'
import { sqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { encodeFloat16 } from '../src/vector/float16.ts'
import { digits, type Section, timed } from './report.ts'
import { fill, instantEmbedding, MODEL, PROJECT, Synthetic } from './synthetic.ts'

const COUNT = 3000
/** Alternates the timed parts, so that a slower disk affects both. */
const TURNS = 6

export async function benchWrite(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
  const engine = await openMemory({ storage: `sqlite:${join(folder, 'engine.db')}`, embedding: instantEmbedding() })
  // The bare peer writes the engine's tables, without triggers, packing, checks or vector cache.
  const bare = new DatabaseSync(join(folder, 'engine-bare.db'))
  prepareBare(bare, join(folder, 'engine.db'))
  const insert = bareInsert(bare)

  const synthetic = new Synthetic(5)
  const rates = { add: 0, bare: 0, bulk: 0 }
  let number = 0
  const part = COUNT / TURNS
  const spent = { add: 0, bare: 0, bulk: 0 }
  for (let turn = 0; turn < TURNS; turn++) {
    const texts = Array.from({ length: part }, () => `${synthetic.text(14)} code${number++}`)
    spent.add += await timed(async () => {
      for (const content of texts) await engine.add({ exact: true, content, layer: 'project', identifiers: PROJECT })
    })
    spent.bare += await timed(() => {
      for (const content of texts) insert(content, synthetic.clustered())
    })
    const more = Array.from({ length: part * 4 }, () => ({
      content: `${synthetic.text(14)} code${number++}`,
      layer: 'project' as const,
      identifiers: PROJECT,
    }))
    spent.bulk += (await timed(() => engine.bulkAdd(more, { exact: true }))) / 4
  }
  for (const name of ['add', 'bare', 'bulk'] as const) rates[name] = (COUNT / spent[name]) * 1000
  await engine.shutdown()
  bare.close()
  const disk = await measureDisk(join(folder, 'disk.db'))
  rmSync(folder, { recursive: true })
  return {
    title: 'Durable writes (synchronous=FULL), memories a second',
    rows: [
      {
        add: digits(rates.add, 0),
        'bare inserts': digits(rates.bare, 0),
        bulkAdd: digits(rates.bulk, 0),
        '10,000 on disk, MB': digits(disk, 1),
      },
    ],
    checks: [
      {
        claim: 'add, share of the rate of bare inserts',
        measured: rates.add / rates.bare,
        bar: 0.6,
        better: 'more',
        unit: 'of its rate',
      },
      { claim: 'bulkAdd against add', measured: rates.bulk / rates.add, bar: 8, better: 'more', unit: 'times' },
      { claim: '10,000 memories on disk', measured: disk, bar: 26, better: 'less', unit: 'MB' },
    ],
  }
}

/** Size of 10,000 memories in MB after a checkpoint. */
async function measureDisk(path: string): Promise<number> {
  const storage = sqliteStorage({ path, durability: 'normal' })
  await storage.initialize(MODEL)
  await fill(storage, 10_000)
  await storage.shutdown()
  return statSync(path).size / 1e6
}

/** The same tables and indexes as the engine's, copied from its schema; no triggers. */
function prepareBare(db: DatabaseSync, from: string): void {
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  const source = new DatabaseSync(from)
  const schema = source
    .prepare(
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('table', 'index') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'memory_tokens\\_%' ESCAPE '\\' ORDER BY rowid`,
    )
    .all()
  source.close()
  for (const { sql } of schema) db.exec(String(sql))
  db.exec(
    `INSERT INTO scopes (layer, owner) VALUES ('project', 'bench'); INSERT INTO models (name) VALUES ('bench:instant')`,
  )
}

function bareInsert(db: DatabaseSync): (content: string, vector: Float32Array) => void {
  const embedding = db.prepare('INSERT INTO embeddings (model, hash, vector) VALUES (1, randomblob(16), ?)')
  const memory =
    db.prepare(`INSERT INTO memories (ulid, observation, scope, scope_id, scope_key, identifiers, category, created_at, updated_at, embedding_id)
    VALUES (?, ?, 'project', 'bench', 1, '{"projectId":"bench"}', 'learning', ?, ?, ?)`)
  const text = db.prepare('INSERT INTO memory_tokens (rowid, tokens) VALUES (?, ?)')
  const change = db.prepare(
    `INSERT INTO changes (memory, row_id, version, operation, at, by) VALUES (?, ?, 1, 'create', ?, 'bench')`,
  )
  let number = 0
  return (content, vector) => {
    const id = `01BARE${String(number++).padStart(20, '0')}`
    const at = new Date().toISOString()
    db.exec('BEGIN IMMEDIATE')
    const stored = embedding.run(encodeFloat16(vector)).lastInsertRowid
    const row = memory.run(id, content, at, at, stored).lastInsertRowid
    text.run(row, content.replaceAll(' ', '_1 '))
    change.run(id, row, at)
    db.exec('COMMIT')
  }
}
