import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { visibleUntil } from '../../src/lifecycle/decay.ts'
import type { Memory } from '../../src/model/memory.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../../src/model/records.ts'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { memoryTokens } from '../../src/text/tokens.ts'
import { scratchFolder } from '../fixtures/scratch-folder.ts'
import { findBrokenInvariants } from '../stress/invariants.ts'
import { query, writeFile } from '../stress/older-files.ts'
import { runWorker } from '../stress/worker-process.ts'

/** A file written by version 0.1.0, and what 0.1.0 read from it. */
const STORES = join(import.meta.dirname, '../fixtures/stores')
const EXPECTED = JSON.parse(readFileSync(join(STORES, '0.1.0.json'), 'utf8')) as {
  stats: { memories: number; active: number; byLayer: Record<string, number>; sessions: number }
  memories: Memory[]
  changes: Change[]
  vectors: Record<string, Record<string, number[]>>
  sessions: Session[]
  injections: Omit<Injection, 'id'>[]
  events: Omit<WorkflowEvent, 'id'>[]
  personalities: { agentName: string }[]
  directory: { layer: string; id: string }[]
}
const MODEL = { name: 'hashing:v1-16', dimensions: 16 }
const ALL = { after: null, limit: 1000 }

function copyOfFile(): string {
  const path = join(scratchFolder(), 'memory.db')
  copyFileSync(join(STORES, '0.1.0.db'), path)
  return path
}

async function open(path: string, model = MODEL): Promise<Storage> {
  const storage = sqliteStorage({ path })
  await storage.initialize(model)
  onTestFinished(() => storage.shutdown())
  return storage
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)

const UNUSED = { pinned: false, useCount: 0, lastUsedAt: null }

/** Fields that version 0.1.0 did not have. Rows of other tools were never judged. */
function laterFields({ id, tier, source }: Memory): Partial<Memory> {
  const isForeign = EXPECTED.changes.some(({ memory, by }) => memory === id && by === 'sql')
  const trust = isForeign ? 'flagged' : tier === 0 && source === 'manual' ? 'operator' : 'agent'
  return { trust, links: [], thread: null, occurredAt: null, ...UNUSED }
}

const whole = (storage: Storage, vectors = false) =>
  storage.memories({ scopes: null, where: {}, order: 'newest', limit: 1000, after: null, count: true, vectors })

describe('a store that version 0.1.0 wrote', () => {
  let path: string
  let storage: Storage
  beforeEach(async () => {
    path = copyOfFile()
    storage = await open(path)
  })

  test('keeps every memory with every field, decay included', async () => {
    const { items, totalCount } = await whole(storage)
    const expected = EXPECTED.memories.map((memory) => ({ ...memory, ...laterFields(memory) }))
    expect(items.map(({ memory }) => memory).sort(byId)).toEqual(expected.sort(byId))
    expect(totalCount).toBe(40)
    expect(items.filter(({ memory }) => memory.decayedWeeks > 0)).not.toEqual([])
    expect(findBrokenInvariants(path)).toEqual([])
  })

  test('keeps the whole history: operation, time, author and state of every version, of deleted memories too', async () => {
    const { items } = await storage.changes({ memory: null, ...ALL })
    const key = (change: Change) => `${change.memory} ${String(change.version).padStart(4, '0')}`
    const sorted = (changes: Change[]) => changes.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
    const then = { trust: 'agent', links: [], thread: null, occurredAt: null, decayedWeeks: 0, ...UNUSED }
    const expected = EXPECTED.changes.map((change) => ({
      ...change,
      after: change.after && { ...change.after, ...then },
    }))
    expect(sorted(items)).toEqual(sorted(expected as Change[]))
    expect(new Set(items.map((change) => change.operation))).toEqual(new Set(['create', 'update', 'delete']))
  })

  test('keeps sessions, ended and running, with a time that every reader understands', async () => {
    const { items } = await storage.sessions({ any: null, ...ALL })
    const expected = EXPECTED.sessions.map((session) =>
      session.id === '900' ? { ...session, startedAt: '2026-02-01T10:00:00.000Z' } : session,
    )
    expect(items.sort(byId)).toEqual(expected.sort(byId))
    expect(query(path, 'SELECT started_at FROM sessions WHERE id = 900')).toEqual([
      { started_at: '2026-02-01 10:00:00' },
    ])
  })

  test('keeps showings and events, alike ones included, each with an id that copies of the file agree on', async () => {
    const plain = (record: object) => JSON.stringify({ ...record, id: undefined })
    const shown = await storage.injections({ session: null, memory: null, ...ALL })
    expect(shown.items.map(plain).sort()).toEqual(EXPECTED.injections.map(sameOrder).map(plain).sort())
    const happened = await storage.events({ any: null, ...ALL })
    expect(happened.items.map(plain).sort()).toEqual(EXPECTED.events.map(plain).sort())
    const ids = [...shown.items, ...happened.items].map((record) => record.id)
    expect(new Set(ids).size).toBe(EXPECTED.injections.length + EXPECTED.events.length)

    const copy = await open(copyOfFile())
    const again = [
      ...(await copy.injections({ session: null, memory: null, ...ALL })).items,
      ...(await copy.events({ any: null, ...ALL })).items,
    ]
    expect(again.map((record) => record.id)).toEqual(ids)
  })

  test('keeps personalities and the directory', async () => {
    const name = (one: { agentName: string }) => one.agentName
    expect(await storage.documents('personality')).toEqual(
      EXPECTED.personalities.toSorted((a, b) => (name(a) < name(b) ? -1 : 1)),
    )
    const place = (one: { layer: string; id: string }) => `${one.layer}:${one.id}`
    expect(await storage.documents('directory')).toEqual(
      EXPECTED.directory.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)),
    )
  })

  test.each([
    [MODEL, 34],
    [{ name: 'hashing:v1-24', dimensions: 24 }, 1],
  ])('keeps the vectors of each model, to the precision of 16 bits, and finds by them: %o', async (model, count) => {
    await storage.shutdown()
    const reader = await open(path, model)
    const vectors = EXPECTED.vectors[model.name]!
    const embedded = (await whole(reader, true)).items.filter(({ vector }) => vector !== null)
    expect(embedded.map(({ memory }) => memory.id).sort()).toEqual(Object.keys(vectors).sort())
    expect(embedded).toHaveLength(count)
    for (const { memory, vector } of embedded) {
      for (const [i, value] of vectors[memory.id]!.entries()) expect(vector![i]).toBeCloseTo(value, 3)
      const [found] = await reader.search([{ scopes: null, where: {}, vector, tokens: [], limit: 3 }])
      const contents = found!.candidates.map((candidate) => candidate.memory.content)
      expect(contents).toContain(memory.content)
    }
    expect((await reader.stats()).models).toEqual(['hashing:v1-16', 'hashing:v1-24'])
  })

  test('finds every memory by its words, of any script', async () => {
    for (const { memory } of (await whole(storage)).items) {
      const tokens = memoryTokens(memory)
      const [found] = await storage.search([{ scopes: null, where: {}, vector: null, tokens, limit: 40 }])
      expect(found!.candidates.map((candidate) => candidate.memory.id)).toContain(memory.id)
      expect(found!.documents).toBe(40)
      expect(Math.min(...found!.frequencies)).toBeGreaterThan(0)
    }
  })

  test('counts what is there, and shows what was visible until its time', async () => {
    expect(await storage.stats()).toMatchObject(EXPECTED.stats)
    const rows = new Map(query(path, 'SELECT ulid, visible_until FROM memories').map((row) => [row.ulid, row]))
    for (const { memory } of (await whole(storage)).items) {
      expect([memory.content, rows.get(memory.id)!.visible_until]).toEqual([memory.content, visibleUntil(memory)])
    }
  })

  test('goes on: other tools write to it, and commits follow', async () => {
    const target = EXPECTED.memories.find((memory) => memory.content === 'Backups finish before four')!
    writeFile(path, `UPDATE memories SET observation = 'Backups finish at five' WHERE ulid = '${target.id}'`)
    const deleted = EXPECTED.memories.find((memory) => memory.content === 'note 250')!
    const at = '2026-06-01T00:00:00.000Z'
    await storage.commit({ key: 'k', at, by: 'test', writes: [{ kind: 'delete', id: deleted.id }] })
    const history = (await storage.changes({ memory: target.id, ...ALL })).items
    expect(history.slice(-2).map((change) => [change.version, change.by, change.after?.content])).toEqual([
      [target.version, history.at(-2)!.by, 'Backups finish before four'],
      [target.version + 1, 'sql', 'Backups finish at five'],
    ])
    const gone = (await storage.changes({ memory: deleted.id, ...ALL })).items
    expect(gone.at(-2)!.after).toMatchObject({ content: 'note 250' })
    expect(gone.at(-1)).toMatchObject({ operation: 'delete', at, by: 'test', after: null })
    expect((await storage.stats()).memories).toBe(39)
    expect(findBrokenInvariants(path)).toEqual([])
  })
})

/** In injection order. */
function sameOrder({ session, memory, position, tokens, format, at }: Omit<Injection, 'id'>): Omit<Injection, 'id'> {
  return { session, memory, position, tokens, format, at }
}

test('two processes that open a store of 0.1.0 at once upgrade it once, and lose nothing', async () => {
  const path = copyOfFile()
  const at = String(Date.now() + 700)
  const printed = await Promise.all([runWorker('open-store', [path, at]), runWorker('open-store', [path, at])])
  expect(printed.flat()).toEqual(['memories 40', 'memories 40'])
  const alone = copyOfFile()
  await open(alone)
  const applied = (file: string) => query(file, 'SELECT name FROM _migrations ORDER BY id')
  expect(applied(path)).toEqual(applied(alone))
  expect(query(path, 'SELECT count(*) AS n FROM changes')).toEqual([{ n: EXPECTED.changes.length }])
  expect(query(path, 'SELECT count(*) AS n, count(DISTINCT key) AS keys FROM injections')).toEqual([{ n: 7, keys: 7 }])
  expect(findBrokenInvariants(path)).toEqual([])
})
