import { type ErrorCode, MemoryError } from '../../model/errors.ts'

/**
 * Conflicts: the server rolled this transaction back in favour of another. 23505: another transaction inserted the same
 * key first.
 */
const COLLISIONS = ['40001', '40P01', '23505']

/** PostgreSQL error codes that a user can act on. */
const MEANINGS: Record<string, { retryable: boolean; code?: ErrorCode; say: string }> = {
  '40001': { retryable: true, say: 'Another transaction changed the same rows.' },
  '40P01': { retryable: true, say: 'Two transactions waited for each other.' },
  '55P03': { retryable: true, say: 'Another transaction holds a lock.' },
  '57014': { retryable: true, say: 'The server cancelled the statement: it took too long.' },
  '57P01': { retryable: true, say: 'The server is shutting down.' },
  '57P02': { retryable: true, say: 'The server is restarting after a crash.' },
  '57P03': { retryable: true, say: 'The server is starting up.' },
  '53300': { retryable: true, say: 'The server has no connection left.' },
  '53100': { retryable: false, say: `The server's disk is full: nothing was written.` },
  '28P01': { retryable: false, say: 'The password is wrong.' },
  '28000': { retryable: false, say: 'The server does not let this user in.' },
  '3D000': { retryable: false, say: 'The database does not exist: create it first.' },
  '42501': { retryable: false, say: 'The user may not do this: see the grants in docs/postgres.md.' },
  '42704': {
    retryable: false,
    code: 'CONFIGURATION_ERROR',
    say: `The type vector is not found: name the schema that pgvector is in behind your own, such as search_path=s1,public.`,
  },
  '25006': { retryable: false, say: 'The server is a read-only replica.' },
}

/** A pooler such as PgBouncer uses one code, 08P01, for every refusal; the message has the details. */
const REFUSALS: readonly { words: RegExp; retryable: boolean; say: string }[] = [
  {
    words: /unsupported startup parameter/i,
    retryable: false,
    say: 'The pooler takes no settings in the address: leave ?options= out, and set search_path with ALTER ROLE.',
  },
  { words: /does not exist|no such database/i, retryable: false, say: MEANINGS['3D000']!.say },
  { words: /authentication failed|no such user|permission denied/i, retryable: false, say: MEANINGS['28000']!.say },
  {
    words: /no more connections|query_wait_timeout|too many/i,
    retryable: true,
    say: 'The pooler has no connection left.',
  },
]

/** The connection could not be established. */
const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT']
const CUT = ['ECONNRESET', 'EPIPE', 'ECONNABORTED']
/** Messages of `pg` without a code, when a connection cannot be opened or is lost. */
const SILENT_MESSAGE = /timeout exceeded|timeout expired|read timeout|connection timeout/i
const CUT_MESSAGE = /connection terminated|connection error|not queryable|socket hang up|client was closed/i

export function isSilence(error: unknown): boolean {
  return MemoryError.is(error) && SILENT_MESSAGE.test((error.cause as Error | undefined)?.message ?? '')
}

/** Whether the same transaction may succeed if retried at once. */
export function isCollision(error: unknown): boolean {
  const code = MemoryError.is(error) ? error.details.sqlState : (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && COLLISIONS.includes(code)
}

/** Translates server and network errors into Nokosu's own; `server` names the server for people. */
export function translateError(error: unknown, server: string): Error {
  if (MemoryError.is(error)) return error
  const { code, message = String(error) } = error as { code?: unknown; message?: string }
  const away = typeof code === 'string' ? ofNetwork(code) : ofMessage(message)
  if (away !== null) {
    const details = { server, ...(typeof code === 'string' ? { network: code } : {}) }
    return new MemoryError('PROVIDER_ERROR', `${server} ${away}`, { retryable: true, details, cause: error })
  }
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return ofState(code, server, error)
  // A value that Nokosu never wrote.
  if (error instanceof SyntaxError || error instanceof RangeError) {
    return new MemoryError('PROVIDER_ERROR', 'A row of the store is damaged.', { retryable: false, cause: error })
  }
  return error instanceof Error ? error : new Error(message)
}

const WHAT_TO_DO = 'Check that it runs, and the address in --db or NOKOSU_DB.'

function ofNetwork(code: string): string | null {
  if (UNREACHABLE.includes(code)) return `cannot be reached (${code}). ${WHAT_TO_DO}`
  return CUT.includes(code) ? `cut the connection (${code}).` : null
}

function ofMessage(message: string): string | null {
  if (SILENT_MESSAGE.test(message)) return `did not answer in time. ${WHAT_TO_DO}`
  return CUT_MESSAGE.test(message) ? 'cut the connection.' : null
}

function ofState(sqlState: string, server: string, cause: unknown): MemoryError {
  const said = (cause as { message?: string }).message ?? ''
  const refusal = sqlState === '08P01' ? REFUSALS.find(({ words }) => words.test(said)) : undefined
  const meaning: (typeof MEANINGS)[string] | undefined = MEANINGS[sqlState] ?? refusal
  // Class 08 is the connection itself. The server's message may quote a row, so it stays in the cause.
  const retryable = meaning?.retryable ?? sqlState.startsWith('08')
  const message = meaning?.say ?? `PostgreSQL failed with ${sqlState}.`
  return new MemoryError(meaning?.code ?? 'PROVIDER_ERROR', message, {
    retryable,
    details: { sqlState, server },
    cause,
  })
}
