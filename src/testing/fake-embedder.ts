import { hashingEmbedding } from '../embedding/hashing.ts'
import type { EmbeddingProvider } from '../embedding/provider.ts'
import { unitVector } from './unit-vector.ts'

export interface FakeEmbeddingOptions {
  /** Default 64. */
  dimensions?: number
  /** Two fakes with different names are two models. Default `fake`. */
  name?: string
}

/** An embedder that a test controls. Unknown texts get the vectors of `hashingEmbedding`. */
export interface FakeEmbedding extends EmbeddingProvider {
  /** Every batch of texts it was asked for, failed ones included. */
  readonly calls: readonly (readonly string[])[]
  /** Answers this text with this vector, normalized and padded with zeros. */
  tell(text: string, vector: readonly number[]): void
  /** Makes the next calls fail with this error, `times` in a row; without `times`, until `recover()`. */
  fail(error: Error, times?: number): void
  recover(): void
}

export function fakeEmbedding({ dimensions = 64, name = 'fake' }: FakeEmbeddingOptions = {}): FakeEmbedding {
  const hashing = hashingEmbedding({ dimensions })
  const told = new Map<string, Float32Array>()
  const calls: (readonly string[])[] = []
  let failure: { error: Error; left: number } | null = null
  return {
    name: `${name}-${dimensions}`,
    dimensions,
    calls,
    tell(text, values) {
      told.set(text, unitVector(values, dimensions))
    },
    fail(error, times = Number.POSITIVE_INFINITY) {
      failure = { error, left: times }
    },
    recover() {
      failure = null
    },
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted()
      calls.push([...texts])
      if (failure && failure.left > 0) {
        failure.left--
        throw failure.error
      }
      const vectors = await hashing.embed(texts)
      return texts.map((text, i) => told.get(text)?.slice() ?? vectors[i]!)
    },
  }
}
