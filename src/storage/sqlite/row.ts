import type { SQLInputValue } from 'node:sqlite'
import type { Memory } from '../../model/memory.ts'
import { decodeFloat16 } from '../../vector/float16.ts'
import type { StoredMemory } from '../memory-query.ts'
import { COLUMN_NAMES, columnOf, type MemoryRow, toColumns, toMemory as unpack } from '../sql/memory-columns.ts'
import { raw, type Sql, sql } from '../sql/sql.ts'
import type { CurrentModel } from './current-model.ts'
import { SESSION_OF } from './migrations/views.ts'

export const SELECTED = [...COLUMN_NAMES, 'session'] as const
export const SELECT_MEMORY = raw(`${COLUMN_NAMES.map((name) => `m.${name}`).join(', ')}, ${SESSION_OF('m')} AS session`)

/** The memory's vector; null if it has none of this model. */
export function selectVector(model: CurrentModel): Sql {
  return sql`(SELECT e.vector FROM embeddings e WHERE e.id = m.embedding_id AND e.model = ${model.find()}) AS vector`
}

/** JSON is stored as text. Throws a SyntaxError for a row that Nokosu did not write. */
export function toMemory(row: Partial<MemoryRow>): Memory {
  return unpack(row, readJson)
}

export function valuesOf(memory: Memory, columns: typeof COLUMN_NAMES): SQLInputValue[] {
  return columns.map((name) => columnOf(memory, name, writeJson) as SQLInputValue)
}

export function toState(memory: Memory): string {
  return JSON.stringify(toColumns(memory, writeJson))
}

function writeJson(value: unknown): string {
  return Array.isArray(value) && value.length === 0 ? '[]' : JSON.stringify(value)
}

export function readJson(value: unknown): unknown {
  return value === '[]' ? [] : value === '{}' ? {} : JSON.parse(String(value))
}

export type StoredRow = MemoryRow & { vector: Uint8Array | null }

export function toStoredMemory(row: StoredRow, { dimensions }: CurrentModel): StoredMemory {
  return { memory: toMemory(row), vector: row.vector === null ? null : decodeFloat16(row.vector, dimensions) }
}
