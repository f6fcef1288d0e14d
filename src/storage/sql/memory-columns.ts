import { laterFields, type Memory } from '../../model/memory.ts'

/**
 * How a column stores its values. `flag`: 0 or 1; `json` and `words`: JSON or a list of texts, in the database's own
 * type.
 */
type ColumnType = 'text' | 'int' | 'bigint' | 'real' | 'flag' | 'json' | 'words' | 'session'

interface Column {
  field: keyof Memory
  type: ColumnType
}

/**
 * The fields of a memory as columns of `memories`, for SQLite and PostgreSQL. This is the only place that maps
 * snake_case. A new field needs an entry here and a migration in each database.
 */
export const MEMORY_COLUMNS = {
  ulid: { field: 'id', type: 'text' },
  observation: { field: 'content', type: 'text' },
  scope: { field: 'layer', type: 'text' },
  identifiers: { field: 'identifiers', type: 'json' },
  category: { field: 'category', type: 'text' },
  service: { field: 'service', type: 'text' },
  source: { field: 'source', type: 'text' },
  tags: { field: 'tags', type: 'words' },
  metadata: { field: 'metadata', type: 'json' },
  anchor: { field: 'anchor', type: 'text' },
  importance: { field: 'importance', type: 'real' },
  confidence: { field: 'confidence', type: 'real' },
  active: { field: 'active', type: 'flag' },
  decayed_weeks: { field: 'decayedWeeks', type: 'int' },
  tier: { field: 'tier', type: 'int' },
  trust: { field: 'trust', type: 'text' },
  links: { field: 'links', type: 'json' },
  // The two parts of a thread position.
  thread_id: { field: 'thread', type: 'text' },
  thread_index: { field: 'thread', type: 'bigint' },
  occurred_at: { field: 'occurredAt', type: 'text' },
  // Stored as the number of a row of `sessions`.
  session: { field: 'session', type: 'session' },
  expires_at: { field: 'expiresAt', type: 'text' },
  last_recalled_at: { field: 'lastRecalledAt', type: 'text' },
  recall_count: { field: 'recallCount', type: 'int' },
  pinned: { field: 'pinned', type: 'flag' },
  use_count: { field: 'useCount', type: 'int' },
  last_used_at: { field: 'lastUsedAt', type: 'text' },
  created_at: { field: 'createdAt', type: 'text' },
  updated_at: { field: 'updatedAt', type: 'text' },
  version: { field: 'version', type: 'int' },
} as const satisfies Record<string, Column>

type Columns = typeof MEMORY_COLUMNS
type AnyColumn = keyof Columns

const ENTRIES = Object.entries(MEMORY_COLUMNS) as [AnyColumn, Column][]

/** The columns of the table itself. */
export const COLUMN_NAMES = ENTRIES.flatMap(([name]) => (name === 'session' ? [] : [name]))

/** An update does not change a memory's id or its recall counters. */
const KEPT: readonly string[] = ['ulid', 'recall_count', 'last_recalled_at']
export const UPDATED_COLUMNS = COLUMN_NAMES.filter((name) => !KEPT.includes(name))

/** A row of `memories` with its session's name, as returned by a database. */
export type MemoryRow = Record<AnyColumn, unknown>

/** All fields, so that all memories have the same object shape: objects built field by field are slower to copy. */
const EMPTY = JSON.parse(JSON.stringify(Object.fromEntries(ENTRIES.map(([, { field }]) => [field, null])))) as Record<
  keyof Memory,
  unknown
>

/** `unpack` parses a `json` or `words` column. A missing column was added after the row was written. */
export function toMemory(row: Partial<MemoryRow>, unpack: (value: unknown) => unknown): Memory {
  const memory = { ...EMPTY }
  for (const [name, { field, type }] of ENTRIES) {
    const value = row[name]
    if (value === undefined) memory[field] = (laterFields() as Partial<Memory>)[field] ?? null
    else if (name === 'thread_id') memory.thread = value === null ? null : { id: value, index: row.thread_index ?? 0 }
    else if (name === 'thread_index') continue
    else if (type === 'flag') memory[field] = value === 1
    else memory[field] = type === 'json' || type === 'words' ? unpack(value) : value
  }
  return memory as Memory
}

/** `pack` serialises a `json` or `words` column. */
export function columnOf(memory: Memory, name: AnyColumn, pack: (value: unknown) => unknown): unknown {
  if (name === 'thread_id') return memory.thread?.id ?? null
  if (name === 'thread_index') return memory.thread?.index ?? null
  const { field, type } = MEMORY_COLUMNS[name]
  const value = memory[field]
  if (type === 'flag') return value ? 1 : 0
  return type === 'json' || type === 'words' ? pack(value) : value
}

export function toColumns(memory: Memory, pack: (value: unknown) => unknown): object {
  return Object.fromEntries(ENTRIES.map(([name]) => [name, columnOf(memory, name, pack)]))
}
