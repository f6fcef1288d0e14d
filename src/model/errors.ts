/** Every code a caller can meet, with how it travels: HTTP status, process exit code, and whether trying again can help. */
export const ERROR_CODES = {
  INVALID_INPUT: { status: 400, exit: 2, retryable: false },
  INVALID_LAYER: { status: 400, exit: 2, retryable: false },
  MISSING_IDENTIFIER: { status: 400, exit: 2, retryable: false },
  CONTENT_TOO_LONG: { status: 413, exit: 2, retryable: false },
  QUERY_TOO_LONG: { status: 413, exit: 2, retryable: false },
  CONFIGURATION_ERROR: { status: 500, exit: 3, retryable: false },
  MISSING_DEPENDENCY: { status: 500, exit: 3, retryable: false },
  MEMORY_NOT_FOUND: { status: 404, exit: 4, retryable: false },
  CONFLICT: { status: 409, exit: 5, retryable: false },
  UNAUTHORIZED: { status: 401, exit: 6, retryable: false },
  UNSUPPORTED: { status: 501, exit: 7, retryable: false },
  RATE_LIMITED: { status: 429, exit: 8, retryable: true },
  EMBEDDING_FAILED: { status: 502, exit: 8, retryable: true },
  PROVIDER_ERROR: { status: 503, exit: 8, retryable: true },
} as const satisfies Record<string, { status: number; exit: number; retryable: boolean }>

export type ErrorCode = keyof typeof ERROR_CODES

export interface MemoryErrorOptions {
  /** The operation that failed, such as `add` or `search`. */
  operation?: string
  /** Facts a program can act on: the field, the limit, the identifier that is missing. Never memory content. */
  details?: Record<string, unknown>
  /** Overrides the code's default, for a PROVIDER_ERROR that no retry can mend (a full disk, a corrupt file). */
  retryable?: boolean
  cause?: unknown
}

/** The one error type that crosses Nokosu's boundaries. */
export class MemoryError extends Error {
  override readonly name = 'MemoryError'
  readonly code: ErrorCode
  readonly operation: string | null
  readonly details: Record<string, unknown>
  readonly retryable: boolean

  constructor(code: ErrorCode, message: string, options: MemoryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.operation = options.operation ?? null
    this.details = options.details ?? {}
    this.retryable = options.retryable ?? ERROR_CODES[code].retryable
  }

  /** Works across package copies, where `instanceof` does not. */
  static is(value: unknown): value is MemoryError {
    return value instanceof Error && value.name === 'MemoryError' && 'code' in value && 'retryable' in value
  }

  /** The same error, naming the operation it happened in. */
  during(operation: string): MemoryError {
    if (this.operation !== null) return this
    const { code, message, details, retryable, cause } = this
    return new MemoryError(code, message, { operation, details, retryable, cause })
  }

  toJSON(): { code: ErrorCode; message: string; details: Record<string, unknown>; retryable: boolean } {
    return { code: this.code, message: this.message, details: this.details, retryable: this.retryable }
  }
}

/** What a caller gave cannot be used. `field` is its name as the caller knows it. */
export function invalidInput(field: string, message: string, more: Record<string, unknown> = {}): MemoryError {
  return new MemoryError('INVALID_INPUT', message, { details: { field, ...more } })
}

/** A setting cannot be used: an option of the library, or a key of the configuration. */
export function wrongSetting(key: string, message: string, more: Record<string, unknown> = {}): MemoryError {
  return new MemoryError('CONFIGURATION_ERROR', message, { details: { key, ...more } })
}
