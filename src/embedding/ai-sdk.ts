import { MemoryError } from '../model/errors.ts'
import { normalize } from '../vector/normalize.ts'
import type { EmbeddingProvider } from './provider.ts'

/** The parts of an AI SDK embedding model (`EmbeddingModelV2`, `V3`) that are used here: `openai.embedding('...')` is one. */
export interface AiSdkEmbeddingModel {
  readonly provider: string
  readonly modelId: string
  readonly maxEmbeddingsPerCall: number | undefined | PromiseLike<number | undefined>
  doEmbed(options: {
    values: string[]
    abortSignal?: AbortSignal
  }): PromiseLike<{ embeddings: readonly (readonly number[])[] }>
}

export function isAiSdkModel(value: object): value is AiSdkEmbeddingModel {
  return 'doEmbed' in value && typeof value.doEmbed === 'function'
}

/** Wraps it as a provider. Such a model does not state its vectors' length, so it is asked once. */
export async function aiSdkEmbedding(model: AiSdkEmbeddingModel): Promise<EmbeddingProvider> {
  const most = (await model.maxEmbeddingsPerCall) ?? Number.POSITIVE_INFINITY
  const ask = async (values: string[], signal?: AbortSignal) => {
    try {
      return (await model.doEmbed({ values, ...(signal === undefined ? {} : { abortSignal: signal }) })).embeddings
    } catch (error) {
      signal?.throwIfAborted()
      throw failure(model, error)
    }
  }
  const dimensions = (await ask(['memory']))[0]?.length ?? 0
  return {
    name: `ai-sdk:${model.provider}/${model.modelId}`,
    dimensions,
    async embed(texts, { signal } = {}) {
      const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions))
      // A blank text has the zero vector, and some models refuse it.
      const places = texts.flatMap((text, i) => (text.trim() === '' ? [] : [i]))
      for (let start = 0; start < places.length; start += most) {
        const part = places.slice(start, start + most)
        const found = await ask(
          part.map((i) => texts[i]!),
          signal,
        )
        for (const [n, i] of part.entries()) vectors[i] = normalize(Float32Array.from(found[n] ?? []))
      }
      return vectors
    },
  }
}

/** The AI SDK says for its own errors whether retrying can help. */
function failure({ modelId }: AiSdkEmbeddingModel, error: unknown): MemoryError {
  const { message, isRetryable } = error as { message?: string; isRetryable?: boolean }
  return new MemoryError('EMBEDDING_FAILED', `The embedding model ${modelId} failed: ${message ?? String(error)}`, {
    retryable: isRetryable ?? false,
    details: { model: modelId },
    cause: error,
  })
}
