import type { Identifiers, Layer } from '../../model/layer.ts'
import type { Category, JsonObject, Link, Memory, Source, Tier, Trust } from '../../model/memory.ts'
import { decodeFloat16 } from '../../vector/float16.ts'
import type { StoredMemory } from '../memory-query.ts'
import type { CurrentModel } from './current-model.ts'
import { MEMORY_COLUMNS, SESSION_OF } from './schema.ts'

/** What a query selects to read a memory from `memories m`. */
export const SELECT_MEMORY = `${MEMORY_COLUMNS.map((column) => `m.${column}`).join(', ')}, ${SESSION_OF('m')} AS session`

/** The vector beside it, of the model whose number is bound first; null when it has none of that model. */
export const SELECT_VECTOR = '(SELECT e.vector FROM embeddings e WHERE e.id = m.embedding_id AND e.model = ?) AS vector'

export interface MemoryRow {
  ulid: string
  observation: string
  scope: string
  identifiers: string
  category: string
  service: string | null
  source: string
  tags: string
  metadata: string
  anchor: string | null
  importance: number
  confidence: number
  active: number
  decayed_weeks: number
  tier: number
  trust: string
  links: string
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

/** The one place where snake_case ends. Throws a SyntaxError for a row that nobody here wrote. */
export function toMemory(row: MemoryRow): Memory {
  return {
    id: row.ulid,
    content: row.observation,
    layer: row.scope as Layer,
    identifiers: JSON.parse(row.identifiers) as Identifiers,
    category: row.category as Category,
    service: row.service,
    source: row.source as Source,
    tags: row.tags === '[]' ? [] : (JSON.parse(row.tags) as string[]),
    metadata: row.metadata === '{}' ? {} : (JSON.parse(row.metadata) as JsonObject),
    anchor: row.anchor,
    importance: row.importance,
    confidence: row.confidence,
    active: row.active === 1,
    decayedWeeks: row.decayed_weeks,
    tier: row.tier as Tier,
    trust: row.trust as Trust,
    links: row.links === '[]' ? [] : (JSON.parse(row.links) as Link[]),
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

/** The columns of a memory and their values, its session apart. */
export function toColumns(memory: Memory): Record<(typeof MEMORY_COLUMNS)[number], string | number | null> {
  return {
    ulid: memory.id,
    observation: memory.content,
    scope: memory.layer,
    identifiers: JSON.stringify(memory.identifiers),
    category: memory.category,
    service: memory.service,
    source: memory.source,
    tags: memory.tags.length === 0 ? '[]' : JSON.stringify(memory.tags),
    metadata: JSON.stringify(memory.metadata),
    anchor: memory.anchor,
    importance: memory.importance,
    confidence: memory.confidence,
    active: memory.active ? 1 : 0,
    decayed_weeks: memory.decayedWeeks,
    tier: memory.tier,
    trust: memory.trust,
    links: memory.links.length === 0 ? '[]' : JSON.stringify(memory.links),
    thread_id: memory.thread?.id ?? null,
    thread_index: memory.thread?.index ?? null,
    occurred_at: memory.occurredAt,
    expires_at: memory.expiresAt,
    last_recalled_at: memory.lastRecalledAt,
    recall_count: memory.recallCount,
    created_at: memory.createdAt,
    updated_at: memory.updatedAt,
    version: memory.version,
  }
}

/** A state as the history keeps it. What version 0.1.0 wrote lacks what came later. */
export function toPastMemory(json: string): Memory {
  const later = {
    decayed_weeks: 0,
    trust: 'agent',
    links: '[]',
    thread_id: null,
    thread_index: null,
    occurred_at: null,
  }
  return toMemory({ ...later, ...(JSON.parse(json) as MemoryRow) })
}

export type StoredRow = MemoryRow & { vector: Uint8Array | null }

export function toStoredMemory(row: StoredRow, { dimensions }: CurrentModel): StoredMemory {
  return { memory: toMemory(row), vector: row.vector === null ? null : decodeFloat16(row.vector, dimensions) }
}
