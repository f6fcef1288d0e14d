import { createHash } from 'node:crypto'
import { breathe } from '../model/breathe.ts'
import { MemoryError } from '../model/errors.ts'
import { type RetryPolicy, withRetry } from '../model/retry.ts'
import { dot } from '../vector/dot.ts'
import type { EmbeddingProvider } from './provider.ts'

/** Where vectors of earlier texts are kept: the store, which has those of its memories. */
export type VectorCache = (hashes: readonly string[]) => Promise<ReadonlyMap<string, Float32Array>>

export interface EmbeddedText {
  hash: string
  vector: Float32Array
  generated: boolean
}

export interface CachedEmbedder {
  /** Of texts that are to be stored: the store is asked first. */
  embed(texts: readonly string[]): Promise<EmbeddedText[]>
  /** Of a question: the store is not asked, because it keeps none. */
  embedQuery(text: string): Promise<Float32Array>
  /** Why the model could not be asked the last time; null when it could, or was not. */
  readonly failure: string | null
}

/** Recent texts kept in the process: questions are asked again, and are not stored. */
const RECENT = 256

/** Asks the model only for texts it has not seen: by content hash, in this process or in the store. */
export function cachedEmbedder(
  provider: EmbeddingProvider,
  cache: VectorCache,
  retry: RetryPolicy,
  onRetry?: (error: MemoryError, delayMs: number) => void,
): CachedEmbedder {
  const recent = new Map<string, Float32Array>()
  let failure: string | null = null

  function remember(hash: string, vector: Float32Array): void {
    recent.delete(hash)
    recent.set(hash, vector)
    if (recent.size > RECENT) recent.delete(recent.keys().next().value!)
  }

  /** A provider of somebody else throws what it likes: it was the model that failed, and not the store. */
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
    const missing = unknown.filter((hash) => !found.has(hash))
    if (missing.length > 0) {
      // Some at a time: a provider without a network of its own computes them here.
      for (let start = 0; start < missing.length; start += AT_ONCE) {
        await breathe()
        const some = missing.slice(start, start + AT_ONCE)
        const vectors = await askModel(some.map((hash) => textOf.get(hash)!))
        for (const [i, hash] of some.entries())
          found.set(hash, { hash, vector: checked(vectors[i], provider), generated: true })
      }
    }
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

/** Texts that a provider is given at once. */
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
