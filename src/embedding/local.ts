import { answersFrom } from './calibration.ts'
import { DIMENSIONS, type LocalModel, loadLocalModel, MAX_CHARACTERS } from './local-model.ts'
import { ANSWER_COSINE, MODEL_NAME } from './model-files.ts'
import type { EmbeddingProvider } from './provider.ts'

export interface LocalEmbeddingOptions {
  /** Folder with `embed.onnx` and `tokenizer.json`. Default: the package's own. */
  modelPath?: string
}

/**
 * all-MiniLM-L6-v2, tuned for agents' memories (models/embed), in this process: offline, no key. Nothing is loaded until the first embed() or warm().
 */
export function localEmbedding({ modelPath }: LocalEmbeddingOptions = {}): EmbeddingProvider {
  let loading: Promise<LocalModel> | null = null
  const underWay = new Set<Promise<unknown>>()

  function load(): Promise<LocalModel> {
    loading ??= loadLocalModel(modelPath).catch((error: unknown) => {
      // The next call tries again: the file may be there by then.
      loading = null
      throw error
    })
    return loading
  }

  return {
    name: MODEL_NAME,
    dimensions: DIMENSIONS,
    maxCharacters: MAX_CHARACTERS,
    calibrate: answersFrom(ANSWER_COSINE),
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted()
      if (texts.length === 0) return []
      const work = load().then((model) => embedEach(model, texts, signal))
      underWay.add(work)
      return work.finally(() => underWay.delete(work))
    },
    async warm() {
      await (await load()).embed('warm')
    },
    async close() {
      const closing = loading
      loading = null
      const [loaded] = await Promise.allSettled([closing, ...underWay])
      // A load that failed was reported to those who waited for it, and left nothing to free.
      if (loaded.status === 'fulfilled') await loaded.value?.release()
    },
  }
}

/**
 * One text at a time: the model quantizes its activations over the whole batch, so in a batch a text's vector would
 * depend on its neighbours. Each run ends a turn of the event loop, which keeps a long list from blocking the process.
 */
async function embedEach(model: LocalModel, texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (const text of texts) {
    signal?.throwIfAborted()
    vectors.push(await model.embed(text))
  }
  return vectors
}
