import { join } from 'node:path'
import { MemoryError } from '../model/errors.ts'
import { loadRuntime, type Network, type RuntimeName } from './runtime.ts'
import { findInstalled, readWhole, sha256 } from './runtime-files.ts'
import { readWordPieces, type WordPieces, WrongTokenizer } from './word-pieces.ts'

/** A model of this package that answers with logits: where it lies, and which file it has to be. */
export interface ClassifierFiles {
  /** For messages: `relation model`. */
  title: string
  /** Below the package's root, with `tokenizer.json` beside the weights. */
  place: string
  file: string
  sha256: string
}

export interface ClassifierOptions {
  /** Folder with the weights and `tokenizer.json`. Default: the package's own. */
  modelPath?: string
  /** Default: chosen by what this machine has. */
  runtime?: RuntimeName
}

export interface Classifier {
  network: Network
  tokenize: WordPieces
}

/** A classifier that is loaded by its first use. */
export interface LazyClassifier {
  use<T>(work: (classifier: Classifier) => Promise<T>): Promise<T>
  /** Frees what was loaded, after the work under way has ended. A later use loads again. */
  close(): Promise<void>
}

/** What is loaded in this process, and how many use it: engines beside each other share one copy. */
const shared = new Map<string, { loading: Promise<Classifier>; users: number }>()

export function lazyClassifier(files: ClassifierFiles, options: ClassifierOptions = {}): LazyClassifier {
  const key = JSON.stringify([files.place, options.modelPath, options.runtime])
  let loading: Promise<Classifier> | null = null
  const underWay = new Set<Promise<unknown>>()

  function load(): Promise<Classifier> {
    if (loading) return loading
    const entry = shared.get(key) ?? { loading: loadClassifier(files, options), users: 0 }
    shared.set(key, entry)
    entry.users++
    loading = entry.loading
    entry.loading.catch(() => {
      // The next call tries again: the file may be there by then.
      loading = null
      if (shared.get(key) === entry) shared.delete(key)
    })
    return loading
  }

  /** The last one that leaves frees it. */
  async function leave(loaded: Classifier): Promise<void> {
    const entry = shared.get(key)
    if (!entry || --entry.users > 0) return
    shared.delete(key)
    await loaded.network.release()
  }

  return {
    async use(work) {
      const done = load().then(work)
      underWay.add(done)
      return done.finally(() => underWay.delete(done)).catch((error: unknown) => fail(files, error))
    },
    async close() {
      const closing = loading
      loading = null
      const [loaded] = await Promise.allSettled([closing, ...underWay])
      // A load that failed was reported to those who waited for it, and left nothing to free.
      if (loaded.status === 'fulfilled' && loaded.value) await leave(loaded.value)
    },
  }
}

/** Loads runtime, tokenizer and verified weights. */
async function loadClassifier(
  files: ClassifierFiles,
  { modelPath, runtime: only }: ClassifierOptions,
): Promise<Classifier> {
  const folder = modelPath ?? findInstalled(files.place, files.file)
  if (folder === null) throw missing(`The ${files.title} is not installed`, { searched: files.place })
  const [runtime, tokenize, bytes] = await Promise.all([
    loadRuntime(only),
    readWords(files, folder),
    readWeights(files, folder),
  ])
  return { network: await runtime.open(bytes), tokenize }
}

function readWords({ title }: ClassifierFiles, folder: string): Promise<WordPieces> {
  const path = join(folder, 'tokenizer.json')
  return readWordPieces(path).catch((cause: unknown) => {
    const tokenizer = `The tokenizer of the ${title}`
    if (!(cause instanceof WrongTokenizer)) throw missing(`${tokenizer} cannot be read`, { path }, cause)
    throw missing(`${tokenizer} ${cause.message}`, { path, ...cause.hashes })
  })
}

async function readWeights({ title, file, sha256: expected }: ClassifierFiles, folder: string): Promise<Uint8Array> {
  const path = join(folder, file)
  const bytes = await readWhole(path).catch((cause: unknown) => {
    throw missing(`The ${title} cannot be read`, { path }, cause)
  })
  const found = sha256(bytes)
  if (found === expected) return bytes
  throw missing(`The ${title} is damaged or another one: its SHA-256 is wrong`, { path, sha256: found, expected })
}

function missing(problem: string, details: Record<string, unknown>, cause?: unknown): MemoryError {
  return new MemoryError('MISSING_DEPENDENCY', `${problem}. Install nokosu again.`, { details, cause })
}

function fail({ title }: ClassifierFiles, cause: unknown): never {
  if (MemoryError.is(cause)) throw cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  throw new MemoryError('PROVIDER_ERROR', `The ${title} failed: ${reason}`, { cause, retryable: false })
}
