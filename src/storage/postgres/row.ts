import type { Identifiers, Layer } from '../../model/layer.ts'
import type { Category, JsonObject, Link, Memory, Source, Tier, Trust } from '../../model/memory.ts'
import { decodeFloat16 } from '../../vector/float16.ts'
import type { StoredMemory } from '../memory-query.ts'
import type { Queries } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import type { Values } from './values.ts'

/** Whole numbers that may be beyond 32 bits come as doubles, which both drivers read as numbers. */
export const SELECT_MEMORY = `m.ulid, m.observation, m.scope, m.identifiers, m.category, m.service, m.source, m.tags, m.metadata,
  m.anchor, m.importance, m.confidence, m.active, m.decayed_weeks, m.tier, m.trust, m.links, m.thread_id,
  m.thread_index::float8 AS thread_index, m.occurred_at, m.expires_at, m.last_recalled_at, m.recall_count, m.created_at,
  m.updated_at, m.version, (SELECT s.key FROM sessions s WHERE s.id = m.session_id) AS session`

/** The vector beside it, when it is of this model. */
export function selectVector({ id }: CurrentModel): string {
  return `(SELECT halfvec_send(e.vector) FROM embeddings e WHERE e.id = m.embedding_id AND m.model = ${id}) AS vector`
}

export interface MemoryRow {
  ulid: string
  observation: string
  scope: Layer
  identifiers: Identifiers
  category: Category
  service: string | null
  source: Source
  tags: string[]
  metadata: JsonObject
  anchor: string | null
  importance: number
  confidence: number
  active: number
  decayed_weeks: number
  tier: Tier
  trust: Trust
  links: Link[]
  thread_id: string | null
  thread_index: number | null
  occurred_at: string | null
  expires_at: string | null
  last_recalled_at: string | null
  recall_count: number
  created_at: string
  updated_at: string
  version: number
  session: string | null
}

/** The one place where snake_case ends. */
function toMemory(row: MemoryRow): Memory {
  return {
    id: row.ulid,
    content: row.observation,
    layer: row.scope,
    identifiers: row.identifiers,
    category: row.category,
    service: row.service,
    source: row.source,
    tags: row.tags,
    metadata: row.metadata,
    anchor: row.anchor,
    importance: row.importance,
    confidence: row.confidence,
    active: row.active === 1,
    decayedWeeks: row.decayed_weeks,
    tier: row.tier,
    trust: row.trust,
    links: row.links,
    thread: row.thread_id === null ? null : { id: row.thread_id, index: row.thread_index ?? 0 },
    occurredAt: row.occurred_at,
    session: row.session,
    expiresAt: row.expires_at,
    lastRecalledAt: row.last_recalled_at,
    recallCount: row.recall_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}

/** The columns of a memory and their values. */
export function toColumns(memory: Memory): MemoryRow {
  return {
    ulid: memory.id,
    observation: memory.content,
    scope: memory.layer,
    identifiers: memory.identifiers,
    category: memory.category,
    service: memory.service,
    source: memory.source,
    tags: [...memory.tags],
    metadata: memory.metadata,
    anchor: memory.anchor,
    importance: memory.importance,
    confidence: memory.confidence,
    active: memory.active ? 1 : 0,
    decayed_weeks: memory.decayedWeeks,
    tier: memory.tier,
    trust: memory.trust,
    links: [...memory.links],
    thread_id: memory.thread?.id ?? null,
    thread_index: memory.thread?.index ?? null,
    occurred_at: memory.occurredAt,
    expires_at: memory.expiresAt,
    last_recalled_at: memory.lastRecalledAt,
    recall_count: memory.recallCount,
    created_at: memory.createdAt,
    updated_at: memory.updatedAt,
    version: memory.version,
    session: memory.session,
  }
}

export type StoredRow = MemoryRow & { vector: Uint8Array | null }

export function toStoredMemory(row: StoredRow, { dimensions }: CurrentModel): StoredMemory {
  return { memory: toMemory(row), vector: row.vector === null ? null : readVector(row.vector, dimensions) }
}

/** The memories, with their vectors, whose row numbers a statement finds. */
export function readStored(queries: Queries, model: CurrentModel, ids: string, values: Values): Promise<StoredRow[]> {
  return queries.query<StoredRow>(
    `SELECT ${SELECT_MEMORY}, ${selectVector(model)} FROM (${ids}) AS found(id) JOIN memories m ON m.id = found.id`,
    values.list,
  )
}

/** A vector as the server sends it: the number of dimensions, two empty bytes, and 16-bit floats, the greater byte first. */
export function readVector(sent: Uint8Array, dimensions: number): Float32Array {
  const bytes = Buffer.from(sent.subarray(4))
  return decodeFloat16(bytes.swap16(), dimensions)
}

/** A vector as the server reads it. */
export function writeVector(vector: Float32Array): string {
  return `[${vector.join(',')}]`
}
