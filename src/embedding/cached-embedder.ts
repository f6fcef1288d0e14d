import { createHash } from 'node:crypto'
import { breathe } from '../model/breathe.ts'
import { MemoryError } from '../model/errors.ts'
import { type RetryPolicy, withRetry } from '../model/retry.ts'
import { dot } from '../vector/dot.ts'
import type { EmbeddingProvider } from './provider.ts'

/** Stores vectors of earlier texts: the store has those of its memories. */
export type VectorCache = (hashes: readonly string[]) => Promise<ReadonlyMap<string, Float32Array>>

export interface EmbeddedText {
  hash: string
  vector: Float32Array
  generated: boolean
}

export interface CachedEmbedder {
  /** For texts to be stored: checks the store first. */
  embed(texts: readonly string[]): Promise<EmbeddedText[]>
  /** For queries: the store does not have them. */
  embedQuery(text: string): Promise<Float32Array>
  /** The model's last error; null if it worked, or was not asked. */
  readonly failure: string | null
}

export interface EmbedderListeners {
  onRetry?: (error: MemoryError, delayMs: number) => void
  /** How many distinct texts got their vector from where. */
  onEmbedded?: (source: 'process' | 'store' | 'model', texts: number) => void
}

/** Recent texts kept in the process: queries are repeated, and are not stored. */
const RECENT = 256

/** Only asks the model for texts without a vector in this process or in the store, by content hash. */
export function cachedEmbedder(
  provider: EmbeddingProvider,
  cache: VectorCache,
  retry: RetryPolicy,
  { onRetry, onEmbedded = () => {} }: EmbedderListeners = {},
): CachedEmbedder {
  const recent = new Map<string, Float32Array>()
  let failure: string | null = null

  function remember(hash: string, vector: Float32Array): void {
    recent.delete(hash)
    recent.set(hash, vector)
    if (recent.size > RECENT) recent.delete(recent.keys().next().value!)
  }

  /** A third party's provider may throw anything: it was the model that failed, not the store. */
  async function askProvider(texts: readonly string[]): Promise<Float32Array[]> {
    try {
      return await provider.embed(texts)
    } catch (error) {
      if (MemoryError.is(error)) throw error
      const why = error instanceof Error ? error.message : String(error)
      const message = `The embedding model ${provider.name} failed: ${why}`
      throw new MemoryError('EMBEDDING_FAILED', message, { retryable: false, cause: error })
    }
  }

  async function askModel(texts: readonly string[]): Promise<Float32Array[]> {
    try {
      const vectors = await withRetry(retry, () => askProvider(texts), onRetry)
      failure = null
      return vectors
    } catch (error) {
      failure = (error as Error).message
      throw error
    }
  }

  async function embed(texts: readonly string[], ask: VectorCache): Promise<EmbeddedText[]> {
    const hashes = texts.map(hashText)
    const textOf = new Map(hashes.map((hash, i) => [hash, texts[i]!]))
    const found = new Map<string, EmbeddedText>()
    const take = (hash: string, vector: Float32Array | undefined) => {
      if (vector) found.set(hash, { hash, vector, generated: false })
    }
    for (const hash of textOf.keys()) take(hash, recent.get(hash))
    const unknown = [...textOf.keys()].filter((hash) => !found.has(hash))
    if (unknown.length > 0) for (const [hash, vector] of await ask(unknown)) take(hash, vector)
    onEmbedded('process', textOf.size - unknown.length)
    const missing = unknown.filter((hash) => !found.has(hash))
    onEmbedded('store', unknown.length - missing.length)
    if (missing.length > 0) {
      // In batches: a provider without a network computes them in this process.
      for (let start = 0; start < missing.length; start += AT_ONCE) {
        await breathe()
        const some = missing.slice(start, start + AT_ONCE)
        const vectors = await askModel(some.map((hash) => textOf.get(hash)!))
        for (const [i, hash] of some.entries())
          found.set(hash, { hash, vector: checked(vectors[i], provider), generated: true })
      }
    }
    onEmbedded('model', missing.length)
    for (const { hash, vector } of found.values()) remember(hash, vector)
    return hashes.map((hash) => found.get(hash)!)
  }

  return {
    embed: (texts) => embed(texts, cache),
    embedQuery: async (text) => (await embed([text], async () => new Map()))[0]!.vector,
    get failure() {
      return failure
    },
  }
}

/** Maximum texts per call of a provider. */
const AT_ONCE = 32

/** 128 bits of SHA-256, in hexadecimal. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** Not every store keeps the sign of a zero. */
function unsigned(value: number): number {
  return value + 0
}

function checked(vector: Float32Array | undefined, { name, dimensions }: EmbeddingProvider): Float32Array {
  if (vector?.length === dimensions && Number.isFinite(dot(vector, vector))) return vector.map(unsigned)
  throw new MemoryError('EMBEDDING_FAILED', `The embedding model ${name} returned no usable vector.`, {
    retryable: false,
    details: { model: name, dimensions },
  })
}
