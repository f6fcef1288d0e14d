import { hashText } from '../src/embedding/cached-embedder.ts'
import type { EmbeddingProvider } from '../src/embedding/provider.ts'
import { ALWAYS } from '../src/lifecycle/decay.ts'
import { laterFields, type Memory } from '../src/model/memory.ts'
import type { Write } from '../src/storage/commit.ts'
import type { Storage } from '../src/storage/storage.ts'
import { memoryTokens } from '../src/text/tokens.ts'

export const DIMENSIONS = 384
export const MODEL = { name: 'bench:instant', dimensions: DIMENSIONS }
export const PROJECT = { projectId: 'bench' }

/** Deterministic memories: words with the frequencies of natural language, vectors in clusters. */
export class Synthetic {
  #state: number
  readonly #centres: Float32Array[]

  constructor(seed = 1) {
    this.#state = seed
    this.#centres = Array.from({ length: 64 }, () => this.vector())
  }

  /** A number in [0, 1) (mulberry32). */
  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A word of a vocabulary of 20,000, common ones far more often than rare ones (Zipf). */
  word(): string {
    const rank = Math.floor(20_000 ** this.number())
    return `w${rank.toString(36)}`
  }

  text(words: number): string {
    return Array.from({ length: words }, () => this.word()).join(' ')
  }

  vector(centre?: Float32Array): Float32Array {
    const vector = new Float32Array(DIMENSIONS)
    let sum = 0
    for (let i = 0; i < DIMENSIONS; i++) {
      const value = (centre ? centre[i]! * 20 : 0) + this.number() + this.number() + this.number() - 1.5
      vector[i] = value
      sum += value * value
    }
    const length = Math.sqrt(sum)
    for (let i = 0; i < DIMENSIONS; i++) vector[i]! /= length
    return vector
  }

  clustered(): Float32Array {
    return this.vector(this.#centres[Math.floor(this.number() * this.#centres.length)])
  }

  memory(number: number): Memory {
    const at = writtenAt(number)
    return {
      id: `01BENCH${String(number).padStart(19, '0')}`,
      content: `${this.text(14)} code${number}`,
      layer: 'project',
      identifiers: PROJECT,
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
      createdAt: at,
      updatedAt: at,
      version: 1,
    }
  }
}

/** A model that answers at once, so that only the store is measured. */
export function instantEmbedding(): EmbeddingProvider {
  const synthetic = new Synthetic(7)
  return {
    ...MODEL,
    embed: async (texts) => texts.map(() => synthetic.clustered()),
  }
}

/** Lines of a thread. */
const THREAD = 30
/** Memories per commit. */
const PART = 1000

/** Fills a store with `count` memories of one project and passes every vector to `onVector`. `storage` only needs commits. */
export async function fill(
  storage: Pick<Storage, 'commit'>,
  count: number,
  onVector: (number: number, vector: Float32Array) => void = () => {},
  { threads = false } = {},
): Promise<void> {
  const synthetic = new Synthetic(count)
  for (let first = 0; first < count; first += PART) {
    const writes: Write[] = []
    for (let number = first; number < Math.min(count, first + PART); number++) {
      const place = { id: `talk-${Math.floor(number / THREAD)}`, index: number % THREAD }
      const memory = { ...synthetic.memory(number), thread: threads ? place : null }
      const vector = synthetic.clustered()
      onVector(number, vector)
      writes.push({ kind: 'insert', row: rowOf(memory, vector) })
    }
    await storage.commit({ key: `fill ${first}`, at: writtenAt(count), by: 'bench', writes })
  }
}

/** Never expires, so that results do not depend on the date. */
function rowOf(memory: Memory, vector: Float32Array) {
  const embedding = { hash: hashText(memory.content), vector }
  return { memory, visibleUntil: ALWAYS, tokens: memoryTokens(memory), embedding }
}

function writtenAt(number: number): string {
  return new Date(1_700_000_000_000 + number * 1000).toISOString()
}
