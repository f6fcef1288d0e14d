import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { laterFields, type Memory } from '../../../model/memory.ts'
import type { Page } from '../../../model/page.ts'
import type { Commit, CommitResult, Embedding, Write } from '../../../storage/commit.ts'
import type { MemoryQuery } from '../../../storage/memory-query.ts'
import type { SearchQuery } from '../../../storage/search-query.ts'
import type { Storage } from '../../../storage/storage.ts'
import { unitVector } from '../../unit-vector.ts'
import { MODEL } from '../store-under-test.ts'

export const AT = '2026-03-01T00:00:00.000Z'
/** Later than any time a test asks about. */
const FOREVER = '9999-12-31T23:59:59.999Z'

/** The time so many seconds after `AT`. */
export function second(number: number): string {
  return new Date(Date.parse(AT) + number * 1000).toISOString()
}

/** A ULID-shaped id; a greater number sorts later. */
export function idOf(number: number): string {
  return `01JNA00000000000000000${String(number).padStart(4, '0')}`
}

export function numberOf(id: string): number {
  return Number(id.slice(-4))
}

/** A complete memory, for tests that write to a storage directly. */
export function record(number: number, fields: Partial<Memory> = {}): Memory {
  return {
    id: idOf(number),
    content: `Record ${number}`,
    layer: 'project',
    identifiers: { projectId: 'shop' },
    category: 'learning',
    service: null,
    source: 'manual',
    tags: [],
    metadata: {},
    anchor: null,
    importance: 50,
    confidence: 0.7,
    active: true,
    ...laterFields(),
    tier: 0,
    trust: 'operator',
    session: null,
    expiresAt: null,
    lastRecalledAt: null,
    recallCount: 0,
    createdAt: AT,
    updatedAt: AT,
    version: 1,
    ...fields,
  }
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** A unit vector that is always the same for the same text. */
export function vectorFor(text: string, dimensions = MODEL.dimensions): Float32Array {
  const bytes = createHash('sha256').update(`vector of ${text}`).digest()
  return unitVector(Array.from({ length: dimensions }, (_, i) => bytes.readInt16LE(i * 2)))
}

export function embeddingFor(text: string): Embedding {
  return { hash: hashOf(text), vector: vectorFor(text) }
}

/** What is stored with a memory besides its fields. */
export interface Beside {
  visibleUntil?: string
  tokens?: readonly string[]
  /** The text whose vector it gets; null: none. An update without it keeps the vector. */
  text?: string | null
  once?: string | readonly string[]
}

function once(keys: string | readonly string[] | undefined): { once?: readonly string[] } {
  if (keys === undefined) return {}
  return { once: typeof keys === 'string' ? [keys] : keys }
}

export function insert(number: number, fields: Partial<Memory> = {}, beside: Beside & { imported?: true } = {}): Write {
  const { visibleUntil = FOREVER, tokens = [], text = null, imported } = beside
  const embedding = text === null ? null : embeddingFor(text)
  const row = { memory: record(number, fields), visibleUntil, tokens, embedding }
  return { kind: 'insert', row, ...once(beside.once), ...(imported ? { imported } : {}) }
}

/** The memory `number` with these fields, in this version. */
export function update(number: number, version: number, fields: Partial<Memory> = {}, beside: Beside = {}): Write {
  const { visibleUntil = FOREVER, tokens = [], text } = beside
  const embedding = text === undefined ? {} : { embedding: text === null ? null : embeddingFor(text) }
  const row = { memory: record(number, { ...fields, version }), visibleUntil, tokens, ...embedding }
  return { kind: 'update', row, ...once(beside.once) }
}

export function remove(number: number, version?: number): Write {
  return { kind: 'delete', id: idOf(number), ...(version === undefined ? {} : { version }) }
}

let keys = 0

/** A key that no other commit has. */
export function freshKey(): string {
  keys++
  return `key-${keys}`
}

export function commit(storage: Storage, writes: readonly Write[], rest: Partial<Commit> = {}): Promise<CommitResult> {
  return storage.commit({ key: freshKey(), at: AT, by: 'ann', ...rest, writes })
}

/** Writes that must be applied, in as many commits as the store needs. */
export async function write(
  storage: Storage,
  writes: readonly Write[],
  { at = AT, by = 'ann' }: { at?: string; by?: string } = {},
): Promise<void> {
  for (const part of parts(writes, storage.capabilities)) {
    const result = await commit(storage, part, { at, by })
    expect(result, JSON.stringify(part.map((each) => each.kind))).toMatchObject({ applied: true, repeated: false })
  }
}

/** As many writes at once as the store takes. */
function parts(writes: readonly Write[], { maxWrites, maxBytes }: Storage['capabilities']): Write[][] {
  const found: Write[][] = []
  let bytes = 0
  for (const each of writes) {
    const own = Buffer.byteLength(JSON.stringify(each)) + 1
    const last = found.at(-1)
    if (last && last.length < maxWrites && bytes + own < maxBytes) {
      last.push(each)
      bytes += own
    } else {
      found.push([each])
      bytes = own
    }
  }
  return found
}

export const SHOP = { layer: 'project', owner: 'shop', projects: [null] } as const

export function query(fields: Partial<MemoryQuery> = {}): MemoryQuery {
  return { scopes: null, where: {}, order: 'newest', limit: 100, after: null, count: true, vectors: false, ...fields }
}

export function question(fields: Partial<SearchQuery> = {}): SearchQuery {
  return { scopes: [SHOP], where: {}, vector: null, tokens: [], limit: 100, ...fields }
}

/** The numbers of the memories of one page. */
export async function numbers(storage: Storage, fields: Partial<MemoryQuery> = {}): Promise<number[]> {
  return (await storage.memories(query(fields))).items.map(({ memory }) => numberOf(memory.id))
}

/** Memories as they are stored, by number. */
export async function stored(storage: Storage, ...wanted: number[]): Promise<Memory[]> {
  const found = await storage.get(wanted.map(idOf))
  return found.map(({ memory }) => memory).sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Every page in order. All but the last are full, and only the last has no `next`. */
export async function walk<Item>(
  limit: number,
  read: (page: { after: string | null; limit: number }) => Promise<Page<Item>>,
  between: (seen: readonly Item[]) => Promise<void> = async () => {},
): Promise<Item[]> {
  const items: Item[] = []
  let after: string | null = null
  for (let pages = 1; pages <= 100; pages++) {
    const page: Page<Item> = await read({ after, limit })
    items.push(...page.items)
    if (page.next === null) {
      expect(page.items.length).toBeLessThanOrEqual(limit)
      return items
    }
    expect(page.items).toHaveLength(limit)
    after = page.next
    await between(items)
  }
  throw new Error('The pages do not end.')
}

/** Vectors may be kept as 16-bit floats. */
export function expectVector(actual: Float32Array | null | undefined, text: string): void {
  expect(actual, `a vector of '${text}'`).toBeInstanceOf(Float32Array)
  const expected = vectorFor(text)
  expect(actual).toHaveLength(expected.length)
  for (const [i, value] of expected.entries()) expect(Math.abs(actual![i]! - value)).toBeLessThan(0.001)
}
