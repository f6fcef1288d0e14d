import { ERROR_CODES, MemoryError, wrongSetting } from '../../model/errors.ts'
import type { Identifiers } from '../../model/layer.ts'
import type { Capabilities } from '../../model/provider.ts'
import { DEFAULT_RETRY, withRetry } from '../../model/retry.ts'
import { jsonOr } from '../../text/json.ts'
import type { MemorySettings } from '../settings.ts'

interface Asking {
  /** Maximum milliseconds. */
  ms: number
  body?: object
  signal?: AbortSignal | null
}

export interface AboutServer {
  version: string
  caller: { name: string; scope: string; identifiers: Identifiers }
  capabilities: Capabilities
  settings: MemorySettings
  model: { name: string; dimensions: number }
}

/** For the first answer of a server, which is cheap for it. */
const OPENING_MS = 10_000
/** For the next request to a server that was just silent: all attempts of one call end soon. */
const SILENT_MS = 2000

/** A server at an address. It is asked once; the caller decides whether to retry. */
export class ServerClient {
  readonly #base: string
  readonly #token: string | undefined
  #silent = false

  constructor(url: string, token: string | undefined) {
    this.#base = readAddress(url)
    this.#token = token
  }

  async about(): Promise<AboutServer> {
    // A server that is starting refuses immediately, and is retried; a silent one is not waited for twice.
    const about = await withRetry(DEFAULT_RETRY, () =>
      this.ask<AboutServer>('', { ms: OPENING_MS }).catch((error: MemoryError) => {
        if (isSilence(error)) return error
        throw error
      }),
    )
    if (about instanceof MemoryError) throw about
    if (typeof about?.capabilities?.maxContentLength !== 'number') throw toFailure(this.#base, 200, null)
    return about
  }

  async ask<Value>(path: string, asking: Asking): Promise<Value> {
    const response = await this.#fetch(path, asking)
    const answer = parse(await this.#reading(response.text(), asking))
    if (response.ok && answer !== null && 'value' in answer) return answer.value as Value
    throw toFailure(this.#base, response.status, answer)
  }

  /** The lines of an answer as they arrive. The last one says that it is complete, or what went wrong. */
  async *lines(path: string, asking: Asking): AsyncGenerator<string> {
    const response = await this.#fetch(path, asking)
    if (!response.ok) throw toFailure(this.#base, response.status, parse(await response.text()))
    const decoder = new TextDecoder()
    const reader = response.body!.getReader()
    let rest = ''
    try {
      for (;;) {
        const { done, value } = await this.#reading(reader.read(), asking)
        if (done) break
        const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
        rest = lines.pop()!
        yield* lines
      }
    } finally {
      await reader.cancel().catch(() => {})
    }
    const end = parse(rest)
    if (end === null || !('end' in end)) throw toFailure(this.#base, end === null ? 502 : 200, end)
  }

  async #fetch(path: string, asking: Asking): Promise<Response> {
    const { ms, body, signal } = asking
    const late = AbortSignal.timeout(this.#silent ? Math.min(ms, SILENT_MS) : ms)
    const sent = fetch(`${this.#base}/api/engine${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(this.#token ? { authorization: `Bearer ${this.#token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : toJson(body),
      redirect: 'error',
      signal: signal ? AbortSignal.any([late, signal]) : late,
    })
    return this.#reading(sent, asking)
  }

  async #reading<Value>(work: Promise<Value>, { ms, signal }: Asking): Promise<Value> {
    try {
      const value = await work
      this.#silent = false
      return value
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      this.#silent = (error as Error).name === 'TimeoutError'
      throw unreachable(this.#base, error as Error, ms)
    }
  }
}

function toJson(body: object): string {
  try {
    return JSON.stringify(body)
  } catch (error) {
    throw new MemoryError('INVALID_INPUT', `Invalid input: it is not JSON (${(error as Error).message}).`)
  }
}

function isSilence(error: MemoryError): boolean {
  return (error.cause as Error | undefined)?.name === 'TimeoutError'
}

function readAddress(url: string): string {
  const problem = (why: string) => wrongSetting('db', `Cannot open the store: ${why}.`)
  if (!URL.canParse(url)) throw problem(`'${url}' is not an address`)
  const { protocol, username, password, search, hash, host, pathname } = new URL(url)
  // A URL appears in messages and files, so it must not contain a secret.
  if (username || password) throw problem(`the address of ${host} contains a password; set NOKOSU_TOKEN instead`)
  if (search || hash) throw problem('the address of a server must end with its path, without ? or #')
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}

function parse(text: string): { value?: unknown; end?: unknown; error?: unknown } | null {
  const answer = jsonOr(text, null)
  return typeof answer === 'object' ? answer : null
}

function unreachable(base: string, error: Error, ms: number): MemoryError {
  const { code, message = error.message } = (error.cause ?? {}) as Partial<NodeJS.ErrnoException>
  const late = error.name === 'TimeoutError'
  const why = late ? `did not answer within ${ms / 1000} s` : `cannot be reached (${code ?? message})`
  return new MemoryError('PROVIDER_ERROR', `The server at ${base} ${why}.`, { details: { url: base }, cause: error })
}

/** The server's own error, or that something else answers there. */
function toFailure(base: string, status: number, answer: { error?: unknown } | null): MemoryError {
  const given = (answer?.error ?? {}) as Partial<ReturnType<MemoryError['toJSON']>>
  const { code, message, details, retryable } = given
  if (code !== undefined && Object.hasOwn(ERROR_CODES, code) && typeof message === 'string') {
    const own = status === 401 ? { hint: HOW_TO_GET_A_TOKEN } : {}
    return new MemoryError(code, message, {
      details: { ...own, ...details },
      ...(retryable === undefined ? {} : { retryable }),
    })
  }
  return new MemoryError('PROVIDER_ERROR', `The service at ${base} (status ${status}) is not a Nokosu server.`, {
    details: { url: base, status },
    // Returned by a proxy while the server behind it starts.
    retryable: status >= 500 || status === 429,
  })
}

const HOW_TO_GET_A_TOKEN =
  'Set NOKOSU_TOKEN to a token of scope write: nokosu token create --project NAME --scope write --name HOST, on the server.'
