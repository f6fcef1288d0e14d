import { MemoryError } from '../model/errors.ts'
import { normalize } from '../vector/normalize.ts'
import { answersFrom } from './calibration.ts'
import { oneRow } from './feed.ts'
import type { LoadedModel, ModelFiles } from './model-files.ts'
import { lazyModel } from './packaged-model.ts'
import type { EmbeddingProvider } from './provider.ts'
import { CLS, SEP } from './word-pieces.ts'

export interface LocalEmbeddingOptions {
  /** Folder with `embed.onnx`. Default: the package's own. */
  modelPath?: string
}

const EMBEDDING_MODEL: ModelFiles = {
  title: 'embedding model',
  place: 'models/embed',
  file: 'embed.onnx',
  /** Vectors of another file are not comparable, so another file needs another name. */
  sha256: '6949e72c4b377f99015a8acb612fbf6c1a0d5fab81ef433da5d1af70370b5f68',
  advice:
    'Install nokosu again, or set embedding.modelPath to a folder with a copy of models/embed, or set embedding.kind to "http" or "hashing".',
  failure: 'EMBEDDING_FAILED',
}
/** Increase the number with new weights: vectors with different names are never compared. */
const MODEL_NAME = 'local:nokosu-embed-2'
/** From these cosines on a sentence, or a terse query, and a memory belong together; `node eval/calibrate.ts` finds them for other weights. */
const ANSWER_COSINE = { sentence: 0.29, terse: 0.35 }

const DIMENSIONS = 384
/** The length used in training, including [CLS] and [SEP]. */
const MAX_TOKENS = 256
/** Far more than MAX_TOKENS of prose, and keeps the tokenizer from reading a whole log for its first lines. */
const MAX_CHARACTERS = 8192

/**
 * all-MiniLM-L6-v2, tuned for agents' memories (models/embed), in this process: offline, no key. Nothing is loaded until the first
 * embed() or warm().
 */
export function localEmbedding(options: LocalEmbeddingOptions = {}): EmbeddingProvider {
  const model = lazyModel(EMBEDDING_MODEL, options)
  return {
    name: MODEL_NAME,
    dimensions: DIMENSIONS,
    maxCharacters: MAX_CHARACTERS,
    calibrate: answersFrom(ANSWER_COSINE),
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted()
      return texts.length === 0 ? [] : model.use((loaded) => embedEach(loaded, texts, signal))
    },
    async warm() {
      await model.use((loaded) => embedOne(loaded, 'warm'))
    },
    close: () => model.close(),
  }
}

/**
 * One text at a time: the model quantizes its activations over the whole batch, so in a batch a text's vector would
 * depend on its neighbours. Each run ends a turn of the event loop, so a long list does not block the process.
 */
async function embedEach(model: LoadedModel, texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (const text of texts) {
    signal?.throwIfAborted()
    vectors.push(await embedOne(model, text))
  }
  return vectors
}

async function embedOne({ network, tokenize }: LoadedModel, text: string): Promise<Float32Array> {
  const pieces = tokenize(text.slice(0, MAX_CHARACTERS))
  if (pieces.length === 0) return new Float32Array(DIMENSIONS)
  const tokens = [CLS, ...pieces.slice(0, MAX_TOKENS - 2), SEP]
  return meanPool(await network.run(oneRow(tokens), 'last_hidden_state'))
}

/** The mean over all tokens. With one text per run there is no padding, so every token counts. */
function meanPool({ data, dims }: { data: Float32Array; dims: readonly number[] }): Float32Array {
  if (dims[2] !== DIMENSIONS) {
    throw new MemoryError('EMBEDDING_FAILED', 'The model gave an answer of an unexpected shape', { retryable: false })
  }
  const vector = new Float32Array(DIMENSIONS)
  for (let i = 0; i < data.length; i++) vector[i % DIMENSIONS]! += data[i]!
  return normalize(vector)
}
