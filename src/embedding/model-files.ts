import type { ErrorCode } from '../model/errors.ts'
import type { TokenRows } from './feed.ts'
import type { Network, RuntimeName } from './runtime.ts'
import type { WordPieces } from './word-pieces.ts'

/** A bundled model: its location and expected checksum. */
export interface ModelFiles {
  /** For messages: `relation model`. */
  title: string
  /** Relative to the package's root. */
  place: string
  file: string
  sha256: string
  /** For a model that uses the shared word vectors: the file with its own rows, and its checksum. */
  vectors?: { own?: { file: string; sha256: string } }
  /** What to do if it is missing. Default: reinstall the package. */
  advice?: string
  /** The error code of a failed run, if retrying may help. Default: PROVIDER_ERROR, not retryable. */
  failure?: ErrorCode
}

export interface ModelOptions {
  /** Folder with the weights. Shared files may also be there. Default: the package's own. */
  modelPath?: string
  /** Default: depends on the machine. */
  runtime?: RuntimeName
}

export interface LoadedModel {
  network: {
    /** The values of the named output for these rows. */
    run(tokens: TokenRows, output: string): ReturnType<Network['run']>
    release(): Promise<void>
  }
  tokenize: WordPieces
}
