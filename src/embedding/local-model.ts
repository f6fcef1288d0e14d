import { availableParallelism } from 'node:os'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { MemoryError } from '../model/errors.ts'
import { normalize } from '../vector/normalize.ts'
import { findModelFolder, missing, readModel, readModelJson } from './model-files.ts'

export const DIMENSIONS = 384
/** What the model was trained to read, [CLS] and [SEP] included. */
const MAX_TOKENS = 256
/** Far more than MAX_TOKENS of any prose, and keeps the tokenizer from reading a whole log to use its first lines. */
export const MAX_CHARACTERS = 8192

/** A loaded all-MiniLM-L6-v2. */
export interface LocalModel {
  embed(text: string): Promise<Float32Array>
  release(): Promise<void>
}

/** Loads runtime, tokenizer and verified model; reading the 23 MB goes on while the rest is prepared. */
export async function loadLocalModel(modelPath?: string): Promise<LocalModel> {
  const folder = modelPath ?? findModelFolder()
  const [{ ort, Tokenizer }, tokenizerJson, tokenizerConfig, model] = await Promise.all([
    importRuntime(),
    readModelJson(folder, 'tokenizer.json'),
    readModelJson(folder, 'tokenizer_config.json'),
    readModel(folder),
  ])
  model.verify()
  const tokenizer = new Tokenizer(tokenizerJson, tokenizerConfig)
  const session = await ort.InferenceSession.create(model.bytes, SESSION_OPTIONS).catch(fail)

  return {
    async embed(text) {
      const { ids } = tokenizer.encode(text.slice(0, MAX_CHARACTERS))
      // Only [CLS] and [SEP]: the text was blank.
      if (ids.length <= 2) return new Float32Array(DIMENSIONS)
      const tokens = ids.length <= MAX_TOKENS ? ids : [...ids.slice(0, MAX_TOKENS - 1), ids.at(-1)!]
      const shape = [1, tokens.length]
      const { last_hidden_state: hidden } = await session
        .run({
          input_ids: new ort.Tensor('int64', BigInt64Array.from(tokens, BigInt), shape),
          attention_mask: new ort.Tensor('int64', new BigInt64Array(tokens.length).fill(1n), shape),
          token_type_ids: new ort.Tensor('int64', new BigInt64Array(tokens.length), shape),
        })
        .catch(fail)
      return meanPool(hidden)
    },
    release: () => session.release(),
  }
}

/**
 * Two threads that sleep instead of spinning: measured on two cores about as quick as one thread on a sentence and 1.6
 * times as quick on a long text. With four processes at once, spinning threads took twice as long as sleeping ones.
 */
const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: Math.min(2, availableParallelism()),
  extra: { session: { intra_op: { allow_spinning: '0' } } },
  logSeverityLevel: 3,
}

async function importRuntime() {
  try {
    // The runtime would report its use to its maker, and leave logs in the temporary folder. Nothing leaves this machine.
    process.env.ORT_DISABLE_TELEMETRY = '1'
    const [ort, { Tokenizer }] = await Promise.all([import('onnxruntime-node'), import('@huggingface/tokenizers')])
    return { ort, Tokenizer }
  } catch (cause) {
    throw missing('The embedding runtime (onnxruntime-node) cannot be loaded on this machine', {}, cause)
  }
}

function fail(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause)
  throw new MemoryError('EMBEDDING_FAILED', `The local embedding model failed: ${reason}`, { cause })
}

/** The mean over all tokens. One text a run means no padding, so every token counts. */
function meanPool(hidden: Tensor | undefined): Float32Array {
  const data = hidden?.data
  if (!(data instanceof Float32Array) || hidden?.dims[2] !== DIMENSIONS) {
    throw new MemoryError('EMBEDDING_FAILED', 'The model gave an answer of an unexpected shape', { retryable: false })
  }
  const vector = new Float32Array(DIMENSIONS)
  for (let i = 0; i < data.length; i++) vector[i % DIMENSIONS]! += data[i]!
  return normalize(vector)
}
