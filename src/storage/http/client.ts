import { ERROR_CODES, MemoryError } from '../../model/errors.ts'
import { DEFAULT_RETRY, withRetry } from '../../model/retry.ts'
import type { Capabilities } from '../capabilities.ts'

export type Call = <Value>(method: 'GET' | 'POST', path: string, body: object | null, ms: number) => Promise<Value>

/** Asks the server once. Whoever uses the storage tries again, with the same commit key. */
export function connectTo({ url, token }: { url: string; token?: string }): Call {
  const base = readAddress(url)
  const headers = {
    accept: 'application/json',
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  }
  return async <Value>(method: 'GET' | 'POST', path: string, body: object | null, ms: number) => {
    let response: Response
    let text: string
    try {
      response = await fetch(`${base}/api/storage${path}`, {
        method,
        headers: body === null ? headers : { ...headers, 'content-type': 'application/json' },
        body: body === null ? null : JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(ms),
      })
      text = await response.text()
    } catch (error) {
      throw unreachable(base, error as Error, ms)
    }
    const answer = parse(text)
    if (response.ok && answer !== null && 'value' in answer) return answer.value as Value
    throw toFailure(base, response.status, answer)
  }
}

/** Milliseconds for the first answer of a server, which costs it nothing. */
const OPENING_MS = 10_000

/** What a server says of itself and of the token. */
export interface AboutServer {
  capabilities: Capabilities
  /** null: an older one, which does not say. */
  version: string | null
  caller: { name: string; scope: string } | null
}

export async function askAbout(url: string, call: Call, ms = OPENING_MS): Promise<AboutServer> {
  // A server that is starting refuses at once, and is asked again; for one that is silent nobody waits twice.
  const about = await withRetry(DEFAULT_RETRY, () =>
    call<Partial<AboutServer> | null>('GET', '', null, Math.min(ms, OPENING_MS)).catch((error: MemoryError) => {
      if (isSilence(error)) return error
      throw error
    }),
  )
  if (about instanceof MemoryError) throw about
  const { capabilities, version = null, caller = null } = about ?? {}
  if (typeof capabilities?.maxBytes !== 'number') throw toFailure(readAddress(url), 200, null)
  return { capabilities, version, caller }
}

/** Whether nothing came within the bound. */
export function isSilence(error: unknown): boolean {
  return MemoryError.is(error) && (error.cause as Error | undefined)?.name === 'TimeoutError'
}

function readAddress(url: string): string {
  const problem = (why: string) =>
    new MemoryError('CONFIGURATION_ERROR', `Cannot open the store: ${why}.`, { details: { key: 'db' } })
  if (!URL.canParse(url)) throw problem(`'${url}' is not an address`)
  const { protocol, username, password, search, hash, host, pathname } = new URL(url)
  // A URL is shown in messages and kept in files: no place for a secret.
  if (username || password) throw problem(`the address of ${host} holds a password; set NOKOSU_TOKEN instead`)
  if (search || hash) throw problem('the address of a server ends with its path')
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}

function parse(text: string): { value?: unknown; error?: unknown } | null {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null ? answer : null
  } catch {
    return null
  }
}

function unreachable(base: string, error: Error, ms: number): MemoryError {
  const { code, message = error.message } = (error.cause ?? {}) as Partial<NodeJS.ErrnoException>
  const late = error.name === 'TimeoutError'
  const why = late ? `did not answer within ${ms / 1000} s` : `cannot be reached (${code ?? message})`
  return new MemoryError('PROVIDER_ERROR', `The server at ${base} ${why}.`, { details: { url: base }, cause: error })
}

/** The server's own error, whatever it is; or that something else answers there. */
function toFailure(base: string, status: number, answer: { error?: unknown } | null): MemoryError {
  const { code, message, details, retryable } = (answer?.error ?? {}) as Partial<ReturnType<MemoryError['toJSON']>>
  if (code !== undefined && Object.hasOwn(ERROR_CODES, code) && typeof message === 'string') {
    const own = code === 'UNAUTHORIZED' ? { hint: HOW_TO_GET_A_TOKEN } : {}
    return new MemoryError(code, message, {
      details: { ...own, ...details },
      ...(retryable === undefined ? {} : { retryable }),
    })
  }
  return new MemoryError('PROVIDER_ERROR', `What answers at ${base} (status ${status}) is not a Nokosu server.`, {
    details: { url: base, status },
    // A proxy says so while the server behind it starts.
    retryable: status >= 500 || status === 429,
  })
}

const HOW_TO_GET_A_TOKEN =
  'Set NOKOSU_TOKEN to a token of scope write without --project or --agent: nokosu token create, on the server.'
