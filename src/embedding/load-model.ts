import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MemoryError } from '../model/errors.ts'
import type { Feeds, TokenRows } from './feed.ts'
import type { LoadedModel, ModelFiles, ModelOptions } from './model-files.ts'
import { loadRuntime } from './runtime.ts'
import { findInstalled, readWhole, sha256 } from './runtime-files.ts'
import { readWordPieces, type WordPieces, WrongTokenizer } from './word-pieces.ts'
import { VECTOR_WIDTH, VECTORS_SHA256, type WordVectors, wordVectors } from './word-vectors.ts'

/** The package's folder for files that several models share. */
const SHARED = 'models/shared'

export async function loadModel(files: ModelFiles, { modelPath, runtime: only }: ModelOptions): Promise<LoadedModel> {
  const folder = modelPath ?? findInstalled(files.place, files.file)
  if (folder === null) throw missing(files, `The ${files.title} is not installed`, { searched: files.place })
  const [runtime, tokenize, vectors, bytes] = await Promise.all([
    loadRuntime(only),
    readWords(files, folder),
    readVectors(files, folder),
    readChecked(files, `The ${files.title}`, join(folder, files.file), files.sha256),
  ])
  const fail = (cause: unknown) => failed(files, cause)
  const network = await runtime.open(bytes).catch(fail)
  return {
    network: {
      run: (tokens, output) => network.run(toFeeds(tokens, vectors), output).catch(fail),
      release: network.release,
    },
    tokenize,
  }
}

function toFeeds({ input_ids, attention_mask, token_type_ids, rows }: TokenRows, vectors: WordVectors | null): Feeds {
  const dims = [rows, input_ids.length / rows]
  const whole = (data: BigInt64Array) => ({ type: 'int64', data, dims })
  const words =
    vectors === null
      ? { input_ids: whole(input_ids) }
      : { word_vectors: { type: 'float32', data: vectors(input_ids), dims: [...dims, VECTOR_WIDTH] } }
  return { ...words, attention_mask: whole(attention_mask), token_type_ids: whole(token_type_ids) }
}

/** A shared file: next to the weights, otherwise in the package. */
function sharedFile(folder: string, file: string): string {
  const beside = join(folder, file)
  return existsSync(beside) ? beside : join(findInstalled(SHARED, file) ?? folder, file)
}

function readWords(files: ModelFiles, folder: string): Promise<WordPieces> {
  const path = sharedFile(folder, 'tokenizer.json')
  return readWordPieces(path).catch((cause: unknown) => {
    const tokenizer = `The tokenizer.json of the ${files.title}`
    if (!(cause instanceof WrongTokenizer)) throw missing(files, `${tokenizer} cannot be read`, { path }, cause)
    throw missing(files, `${tokenizer} ${cause.message}`, { path, ...cause.hashes })
  })
}

async function readVectors(files: ModelFiles, folder: string): Promise<WordVectors | null> {
  if (files.vectors === undefined) return null
  const title = `The table of words of the ${files.title}`
  const { own } = files.vectors
  const [shared, moved] = await Promise.all([
    readOnce(sharedFile(folder, 'vectors.bin'), (path) => readChecked(files, title, path, VECTORS_SHA256)),
    own === undefined ? undefined : readChecked(files, title, join(folder, own.file), own.sha256),
  ])
  return wordVectors(shared, moved)
}

/** Tables in use. Models that are loaded at the same time share a copy. */
const tables = new Map<string, Promise<Uint8Array>>()

function readOnce(path: string, read: (path: string) => Promise<Uint8Array>): Promise<Uint8Array> {
  const known = tables.get(path)
  if (known) return known
  const reading = read(path)
  tables.set(path, reading)
  reading.catch(() => tables.delete(path))
  return reading
}

async function readChecked(files: ModelFiles, title: string, path: string, expected: string): Promise<Uint8Array> {
  const bytes = await readWhole(path).catch((cause: unknown) => {
    throw missing(files, `${title} cannot be read`, { path }, cause)
  })
  const found = sha256(bytes)
  if (found === expected) return bytes
  const problem = `${title} is damaged or was replaced: its SHA-256 is wrong`
  throw missing(files, problem, { path, sha256: found, expected })
}

function missing(
  { advice = 'Install nokosu again.' }: ModelFiles,
  problem: string,
  details: Record<string, unknown>,
  cause?: unknown,
): MemoryError {
  const where = details.path === undefined ? '' : ` at ${details.path}`
  return new MemoryError('MISSING_DEPENDENCY', `${problem}${where}. ${advice}`, { details, cause })
}

function failed({ title, failure }: ModelFiles, cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const options = { cause, retryable: failure !== undefined }
  throw new MemoryError(failure ?? 'PROVIDER_ERROR', `The ${title} failed: ${reason}`, options)
}
