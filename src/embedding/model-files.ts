import { join } from 'node:path'
import { MemoryError } from '../model/errors.ts'
import { findInstalled, sha256 as hash, readWhole } from './runtime-files.ts'
import { readWordPieces, type WordPieces, WrongTokenizer } from './word-pieces.ts'

/** SHA-256 of `models/embed/embed.onnx`. The vectors of any other file could not be compared: another file needs another name. */
const MODEL_SHA256 = '6949e72c4b377f99015a8acb612fbf6c1a0d5fab81ef433da5d1af70370b5f68'
/** Raise the number with the weights: vectors of two names are never compared. */
export const MODEL_NAME = 'local:nokosu-embed-2'
/** From here on a sentence, or a terse query, and a memory belong together; `node eval/calibrate.ts` finds them for other weights. */
export const ANSWER_COSINE = { sentence: 0.29, terse: 0.35 }

const MODEL_FILE = 'embed.onnx'
const PLACE = join('models', 'embed')

/** The folder of the model that came with this package. Works from `src/` and from a bundle in `dist/`. */
export function findModelFolder(from: string = import.meta.url): string {
  const folder = findInstalled(PLACE, MODEL_FILE, from)
  if (folder !== null) return folder
  throw missing('The embedding model is not installed', { searched: PLACE })
}

/**
 * The model's bytes, read in one piece on another thread while the caller goes on. Call `verify` before use: it hashes
 * on the caller's thread, because WebCrypto would first copy all 23 MB, which costs more than it saves.
 */
export async function readModel(folder: string): Promise<{ bytes: Uint8Array; verify(): void }> {
  const path = join(folder, MODEL_FILE)
  const bytes = await readWhole(path).catch((cause: unknown) => {
    throw missing(`The embedding model cannot be read (${errorCode(cause)})`, { path }, cause)
  })
  const verify = () => {
    const sha256 = hash(bytes)
    if (sha256 === MODEL_SHA256) return
    throw missing('The embedding model is damaged or another one: its SHA-256 is wrong', {
      path,
      sha256,
      expected: MODEL_SHA256,
    })
  }
  return { bytes, verify }
}

/** The vocabulary that belongs to the model. */
export function readModelWords(folder: string): Promise<WordPieces> {
  const path = join(folder, 'tokenizer.json')
  return readWordPieces(path).catch((cause: unknown) => {
    const tokenizer = "The embedding model's tokenizer.json"
    if (cause instanceof WrongTokenizer) throw missing(`${tokenizer} ${cause.message}`, { path, ...cause.hashes })
    throw missing(`${tokenizer} cannot be read (${errorCode(cause)})`, { path }, cause)
  })
}

/** MISSING_DEPENDENCY for a part of the local model, saying what can be done about it. */
function missing(problem: string, details: Record<string, unknown>, cause?: unknown): MemoryError {
  const where = typeof details.path === 'string' ? ` at ${details.path}` : ''
  return new MemoryError(
    'MISSING_DEPENDENCY',
    `${problem}${where}. Install nokosu again, or set embedding.modelPath to a folder with ` +
      'a copy of models/embed, or set embedding.kind to "http" or "hashing".',
    { details, cause },
  )
}

function errorCode(cause: unknown): string {
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
  return 'unknown error'
}
