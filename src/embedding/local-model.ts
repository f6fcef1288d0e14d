import { MemoryError } from '../model/errors.ts'
import { normalize } from '../vector/normalize.ts'
import { findModelFolder, readModel, readModelWords } from './model-files.ts'
import { loadRuntime } from './runtime.ts'
import { CLS, SEP } from './word-pieces.ts'

export const DIMENSIONS = 384
/** What the model was trained to read, [CLS] and [SEP] included. */
const MAX_TOKENS = 256
/** Far more than MAX_TOKENS of any prose, and keeps the tokenizer from reading a whole log to use its first lines. */
export const MAX_CHARACTERS = 8192

/** The loaded embedder. */
export interface LocalModel {
  embed(text: string): Promise<Float32Array>
  release(): Promise<void>
}

/** Loads runtime, tokenizer and verified model; reading the 23 MB goes on while the rest is prepared. */
export async function loadLocalModel(modelPath?: string): Promise<LocalModel> {
  const folder = modelPath ?? findModelFolder()
  const [runtime, tokenize, model] = await Promise.all([loadRuntime(), readModelWords(folder), readModel(folder)])
  model.verify()
  const network = await runtime.open(model.bytes).catch(fail)

  return {
    async embed(text) {
      const pieces = tokenize(text.slice(0, MAX_CHARACTERS))
      if (pieces.length === 0) return new Float32Array(DIMENSIONS)
      const tokens = [CLS, ...pieces.slice(0, MAX_TOKENS - 2), SEP]
      const hidden = await network
        .run(
          {
            input_ids: BigInt64Array.from(tokens, BigInt),
            attention_mask: new BigInt64Array(tokens.length).fill(1n),
            token_type_ids: new BigInt64Array(tokens.length),
            rows: 1,
          },
          'last_hidden_state',
        )
        .catch(fail)
      return meanPool(hidden)
    },
    release: () => network.release(),
  }
}

function fail(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause)
  throw new MemoryError('EMBEDDING_FAILED', `The local embedding model failed: ${reason}`, { cause })
}

/** The mean over all tokens. One text a run means no padding, so every token counts. */
function meanPool({ data, dims }: { data: Float32Array; dims: readonly number[] }): Float32Array {
  if (dims[2] !== DIMENSIONS) {
    throw new MemoryError('EMBEDDING_FAILED', 'The model gave an answer of an unexpected shape', { retryable: false })
  }
  const vector = new Float32Array(DIMENSIONS)
  for (let i = 0; i < data.length; i++) vector[i % DIMENSIONS]! += data[i]!
  return normalize(vector)
}
