import { endianness } from 'node:os'
import type { Commit, Embedding, Write } from '../commit.ts'
import type { MemoryPage, StoredMemory } from '../memory-query.ts'
import type { Found, SearchQuery } from '../search-query.ts'

/**
 * How a storage's values travel as JSON. Everything is JSON already but vectors, sets and maps. Each has its place, so nothing
 * in a memory's own data can be taken for one.
 */

/** The order of bytes on the way; nearly every machine has the same. */
const SAME_ORDER = endianness() === 'LE'

/** 32-bit floats, little-endian, in base64. */
function packVector({ buffer, byteOffset, byteLength }: Float32Array): string {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  return (SAME_ORDER ? bytes : Buffer.from(bytes).swap32()).toString('base64')
}

/** Bytes that are no whole number of floats give a shorter vector, which the store refuses. */
function unpackVector(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  const whole = new Uint8Array(bytes.length - (bytes.length % 4))
  whole.set(bytes.subarray(0, whole.length))
  if (!SAME_ORDER) Buffer.from(whole.buffer).swap32()
  return new Float32Array(whole.buffer)
}

type Packed<Value> = Value extends Float32Array
  ? string
  : Value extends readonly (infer Item)[]
    ? Packed<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Packed<Value[Key]> }
      : Value

type PackedStored = Packed<StoredMemory>
/** An embedding with its vector as a store has it, or packed. */
type Travelling = Omit<Embedding, 'vector'> & { vector: Float32Array | string }

export function packCommit(commit: Commit): object {
  return { ...commit, writes: commit.writes.map((write) => changeEmbedding(write, packEmbedding)) }
}

/** The rest of a commit is read by whoever takes it, with its schema. */
export function unpackCommit(commit: { writes: readonly object[] }): Commit {
  const writes = commit.writes.map((write) => changeEmbedding(write as Write, unpackEmbedding))
  return { ...commit, writes } as unknown as Commit
}

/** The embedding of a write is its own, or its row's; absent and null stay so. */
function changeEmbedding(write: Write, change: (embedding: Travelling) => object): object {
  if ('row' in write && write.row?.embedding) {
    return { ...write, row: { ...write.row, embedding: change(write.row.embedding) } }
  }
  return 'embedding' in write && write.embedding ? { ...write, embedding: change(write.embedding) } : write
}

function packEmbedding(embedding: Travelling): Travelling {
  const { vector } = embedding
  return typeof vector === 'string' ? embedding : { ...embedding, vector: packVector(vector) }
}

function unpackEmbedding(embedding: Travelling): Travelling {
  const { vector } = embedding
  return typeof vector === 'string' ? { ...embedding, vector: unpackVector(vector) } : embedding
}

export function packQuery(query: SearchQuery): object {
  return { ...query, vector: query.vector === null ? null : packVector(query.vector) }
}

export function unpackQuery(query: { vector: string | null }): SearchQuery {
  return { ...query, vector: query.vector === null ? null : unpackVector(query.vector) } as SearchQuery
}

const packStored = ({ memory, vector }: StoredMemory): PackedStored => ({
  memory: memory as PackedStored['memory'],
  vector: vector === null ? null : packVector(vector),
})
const unpackStored = ({ memory, vector }: PackedStored): StoredMemory => ({
  memory: memory as StoredMemory['memory'],
  vector: vector === null ? null : unpackVector(vector),
})

/** The answers that JSON cannot hold as they are, each with its way there and back. */
export const ANSWERS = {
  known: { pack: (keys: Set<string>) => [...keys], unpack: (keys: string[]) => new Set(keys) },
  get: {
    pack: (found: StoredMemory[]) => found.map(packStored),
    unpack: (found: PackedStored[]) => found.map(unpackStored),
  },
  memories: {
    pack: (page: MemoryPage) => ({ ...page, items: page.items.map(packStored) }),
    unpack: (page: Packed<MemoryPage>): MemoryPage => ({ ...page, items: page.items.map(unpackStored) }),
  },
  search: {
    pack: (all: Found[]) => all.map((found) => ({ ...found, candidates: found.candidates.map(packStored) })),
    unpack: (all: Packed<Found>[]): Found[] =>
      all.map((found) => ({ ...found, candidates: found.candidates.map(unpackStored) })),
  },
  embeddings: {
    pack: (vectors: Map<string, Float32Array>) => [...vectors].map(([hash, vector]) => [hash, packVector(vector)]),
    unpack: (pairs: [string, string][]) => new Map(pairs.map(([hash, vector]) => [hash, unpackVector(vector)])),
  },
} as const
