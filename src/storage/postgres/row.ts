import { decodeFloat16, encodeFloat16 } from '../../vector/float16.ts'
import type { StoredMemory } from '../memory-query.ts'
import { COLUMN_NAMES, MEMORY_COLUMNS, type MemoryRow, toMemory } from '../sql/memory-columns.ts'
import { raw, type Sql, sql } from '../sql/sql.ts'
import type { Queries } from './client.ts'
import type { CurrentModel } from './current-model.ts'
import { ask } from './dialect.ts'

/** Integers that may exceed 32 bits are sent as doubles, which both drivers read as numbers. */
const selected = COLUMN_NAMES.map((name) =>
  MEMORY_COLUMNS[name].type === 'bigint' ? `m.${name}::float8 AS ${name}` : `m.${name}`,
)
export const SELECT_MEMORY = raw(
  `${selected.join(', ')}, (SELECT s.key FROM sessions s WHERE s.id = m.session_id) AS session`,
)

/** The memory's vector, if it is of this model. */
export function selectVector({ id }: CurrentModel): Sql {
  return raw(
    `(SELECT halfvec_send(e.vector) FROM embeddings e WHERE e.id = m.embedding_id AND m.model = ${id}) AS vector`,
  )
}

export type StoredRow = MemoryRow & { vector: Uint8Array | null }

/** The server returns JSON and arrays already parsed. */
export function toStoredMemory(row: StoredRow, { dimensions }: CurrentModel): StoredMemory {
  const vector = row.vector === null ? null : readVector(row.vector, dimensions)
  return { memory: toMemory(row, (value) => value), vector }
}

/** The memories, with vectors, of the row numbers a statement finds. */
export function readStored(queries: Queries, model: CurrentModel, ids: Sql): Promise<StoredRow[]> {
  return ask<StoredRow>(
    queries,
    sql`SELECT ${SELECT_MEMORY}, ${selectVector(model)} FROM (${ids}) AS found(id) JOIN memories m ON m.id = found.id`,
  )
}

/** Parses a vector in wire format: dimensions, two unused bytes, then big-endian 16-bit floats. */
export function readVector(sent: Uint8Array, dimensions: number): Float32Array {
  const bytes = Buffer.from(sent.subarray(4))
  return decodeFloat16(bytes.swap16(), dimensions)
}

/** Rounded as it is stored: five digits name each 16-bit number, in half the text. */
export function writeVector(vector: Float32Array): string {
  const rounded = decodeFloat16(encodeFloat16(vector), vector.length)
  return `[${Array.from(rounded, (value) => value.toPrecision(5)).join(',')}]`
}
