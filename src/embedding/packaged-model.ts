import { join } from 'node:path'
import { type ErrorCode, MemoryError } from '../model/errors.ts'
import { loadRuntime, type Network, type RuntimeName } from './runtime.ts'
import { findInstalled, readWhole, sha256 } from './runtime-files.ts'
import { readWordPieces, type WordPieces, WrongTokenizer } from './word-pieces.ts'

/** A bundled model: its location and expected checksum. */
export interface ModelFiles {
  /** For messages: `relation model`. */
  title: string
  /** Relative to the package's root, next to its `tokenizer.json`. */
  place: string
  file: string
  sha256: string
  /** What to do if it is missing. Default: reinstall the package. */
  advice?: string
  /** The error code of a failed run, if retrying may help. Default: PROVIDER_ERROR, not retryable. */
  failure?: ErrorCode
}

export interface ModelOptions {
  /** Folder with the weights and `tokenizer.json`. Default: the package's own. */
  modelPath?: string
  /** Default: depends on the machine. */
  runtime?: RuntimeName
}

export interface LoadedModel {
  network: Network
  tokenize: WordPieces
}

/** A model that is loaded on first use. */
export interface LazyModel {
  use<T>(work: (model: LoadedModel) => Promise<T>): Promise<T>
  /** Unloads it once running work has ended. A later use loads it again. */
  close(): Promise<void>
}

/** What is loaded in this process, with its number of users: engines share one copy. */
const shared = new Map<string, { loading: Promise<LoadedModel>; users: number }>()

export function lazyModel(files: ModelFiles, options: ModelOptions = {}): LazyModel {
  const key = JSON.stringify([files.place, options.modelPath, options.runtime])
  let loading: Promise<LoadedModel> | null = null
  const underWay = new Set<Promise<unknown>>()

  function load(): Promise<LoadedModel> {
    if (loading) return loading
    const entry = shared.get(key) ?? { loading: loadModel(files, options), users: 0 }
    shared.set(key, entry)
    entry.users++
    loading = entry.loading
    entry.loading.catch(() => {
      // The next call retries: the file may exist by then.
      loading = null
      if (shared.get(key) === entry) shared.delete(key)
    })
    return loading
  }

  /** The last user unloads it. */
  async function leave(loaded: LoadedModel): Promise<void> {
    const entry = shared.get(key)
    if (!entry || --entry.users > 0) return
    shared.delete(key)
    await loaded.network.release()
  }

  return {
    async use(work) {
      const done = load().then(work)
      underWay.add(done)
      return done.finally(() => underWay.delete(done))
    },
    async close() {
      const closing = loading
      loading = null
      const [loaded] = await Promise.allSettled([closing, ...underWay])
      // A failed load was reported to its callers, and left nothing to unload.
      if (loaded.status === 'fulfilled' && loaded.value) await leave(loaded.value)
    },
  }
}

async function loadModel(files: ModelFiles, { modelPath, runtime: only }: ModelOptions): Promise<LoadedModel> {
  const folder = modelPath ?? findInstalled(files.place, files.file)
  if (folder === null) throw missing(files, `The ${files.title} is not installed`, { searched: files.place })
  const [runtime, tokenize, bytes] = await Promise.all([
    loadRuntime(only),
    readWords(files, folder),
    readWeights(files, folder),
  ])
  const fail = (cause: unknown) => failed(files, cause)
  const network = await runtime.open(bytes).catch(fail)
  return { network: { ...network, run: (...given) => network.run(...given).catch(fail) }, tokenize }
}

function readWords(files: ModelFiles, folder: string): Promise<WordPieces> {
  const path = join(folder, 'tokenizer.json')
  return readWordPieces(path).catch((cause: unknown) => {
    const tokenizer = `The tokenizer.json of the ${files.title}`
    if (!(cause instanceof WrongTokenizer)) throw missing(files, `${tokenizer} cannot be read`, { path }, cause)
    throw missing(files, `${tokenizer} ${cause.message}`, { path, ...cause.hashes })
  })
}

async function readWeights(files: ModelFiles, folder: string): Promise<Uint8Array> {
  const path = join(folder, files.file)
  const bytes = await readWhole(path).catch((cause: unknown) => {
    throw missing(files, `The ${files.title} cannot be read`, { path }, cause)
  })
  const [found, expected] = [sha256(bytes), files.sha256]
  if (found === expected) return bytes
  const problem = `The ${files.title} is damaged or another one: its SHA-256 is wrong`
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
