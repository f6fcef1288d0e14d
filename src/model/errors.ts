/** Every error code, with its HTTP status, process exit code, and whether a retry can help. */
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
  /** Facts that a program can act on: the field, the limit, the missing identifier. Never memory content. */
  details?: Record<string, unknown>
  /** Overrides the code's default, for a PROVIDER_ERROR that no retry can fix (a full disk, a corrupt file). */
  retryable?: boolean
  cause?: unknown
}

/** The only error type that leaves Nokosu's public API. */
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

  /** The same error, with the name of the operation it happened in. */
  during(operation: string): MemoryError {
    if (this.operation !== null) return this
    const { code, message, details, retryable, cause } = this
    return new MemoryError(code, message, { operation, details, retryable, cause })
  }

  toJSON(): { code: ErrorCode; message: string; details: Record<string, unknown>; retryable: boolean } {
    return { code: this.code, message: this.message, details: this.details, retryable: this.retryable }
  }
}

/** The caller's input is invalid. `field` is its name as the caller knows it. */
export function invalidInput(field: string, message: string, more: Record<string, unknown> = {}): MemoryError {
  return new MemoryError('INVALID_INPUT', message, { details: { field, ...more } })
}

/** A setting is invalid: a library option, or a configuration key. */
export function wrongSetting(key: string, message: string, more: Record<string, unknown> = {}): MemoryError {
  return new MemoryError('CONFIGURATION_ERROR', message, { details: { key, ...more } })
}
