import { ERROR_CODES, MemoryError } from '../../model/errors.ts'
import { DEFAULT_RETRY, withRetry } from '../../model/retry.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Commit, CommitResult } from '../commit.ts'
import type { Collection, Documents } from '../documents.ts'
import type { SearchQuery } from '../search-query.ts'
import type { Storage, VectorModel } from '../storage.ts'
import { ANSWERS, packCommit, packQuery } from './wire.ts'

export interface HttpStorageOptions {
  /** Of a `nokosu serve`, such as `https://memory.example.com:4816`. */
  url: string
  /** A token of scope write that is bound to nothing. Not needed where the server asks for none. */
  token?: string
  /** Milliseconds that one call may take. Default: 30,000. */
  timeoutMs?: number
}

const TIMEOUT_MS = 30_000
/** For the first answer of a server, which costs it nothing. */
const OPENING_MS = 10_000
/** A purge reads and rewrites the whole store. */
const PURGE_MS = 600_000
/** Bytes of one commit: what a server takes in one request, with room for vectors in base64. */
const MOST_BYTES = 8_000_000

type Method = Exclude<keyof Storage, 'name' | 'capabilities' | 'shutdown'>

/** The store of a server. The engine over it is the same as over any other; the vectors are made here. */
export async function httpStorage(options: HttpStorageOptions): Promise<Storage> {
  const call = caller(options)
  const ms = Math.min(options.timeoutMs ?? OPENING_MS, OPENING_MS)
  // A server that is starting refuses at once, and is asked again; for one that is silent nobody waits twice.
  const about = await withRetry(DEFAULT_RETRY, () =>
    call<{ capabilities?: Capabilities } | null>('GET', '', null, ms).catch((error: MemoryError) => {
      if ((error.cause as Error | undefined)?.name === 'TimeoutError') return error
      throw error
    }),
  )
  if (about instanceof MemoryError) throw about
  if (typeof about?.capabilities?.maxBytes !== 'number') throw toFailure(readAddress(options.url), 200, null)
  const capabilities = { ...about.capabilities, maxBytes: Math.min(about.capabilities.maxBytes, MOST_BYTES) }
  return new HttpStorage(capabilities, call, options.timeoutMs ?? TIMEOUT_MS)
}

type Call = <Value>(method: 'GET' | 'POST', path: string, body: object | null, ms: number) => Promise<Value>

/** Asks the server once. Whoever uses the storage tries again, with the same commit key. */
function caller({ url, token }: HttpStorageOptions): Call {
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
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  const late = error.name === 'TimeoutError'
  const why = late ? `did not answer within ${ms / 1000} s` : `cannot be reached (${code ?? error.message})`
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

class HttpStorage implements Storage {
  readonly name = 'http'
  readonly capabilities: Capabilities
  readonly #call: Call
  readonly #timeoutMs: number
  readonly #underWay = new Set<Promise<unknown>>()
  #model: VectorModel | null = null
  #closed = false

  constructor(capabilities: Capabilities, call: Call, timeoutMs: number) {
    this.capabilities = capabilities
    this.#call = call
    this.#timeoutMs = timeoutMs
  }

  async initialize(model: VectorModel): Promise<void> {
    const { name, dimensions } = model
    await this.#ask('initialize', [], this.#timeoutMs, { name, dimensions })
    this.#model = { name, dimensions }
  }

  async shutdown(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#underWay)
  }

  async ping(): Promise<void> {
    await this.#ask('ping', [])
  }

  async commit(commit: Commit): Promise<CommitResult> {
    const { maxWrites, maxBytes } = this.capabilities
    const packed = packCommit(commit)
    const tooLarge = commit.writes.length > 1 && JSON.stringify(packed).length > 2 * maxBytes
    if (commit.writes.length > maxWrites || tooLarge) {
      const message = `A commit takes ${maxWrites} writes and ${maxBytes} bytes at most.`
      throw new MemoryError('UNSUPPORTED', message, { details: { maxWrites, maxBytes } })
    }
    return this.#ask('commit', [packed])
  }

  known = async (keys: readonly string[]) => ANSWERS.known.unpack(await this.#ask('known', [keys]))
  get = async (ids: readonly string[]) => ANSWERS.get.unpack(await this.#ask('get', [ids]))
  memories: Storage['memories'] = async (query) => ANSWERS.memories.unpack(await this.#ask('memories', [query]))
  search = async (queries: readonly SearchQuery[]) =>
    ANSWERS.search.unpack(await this.#ask('search', [queries.map(packQuery)]))
  embeddings = async (hashes: readonly string[]) => ANSWERS.embeddings.unpack(await this.#ask('embeddings', [hashes]))
  changes: Storage['changes'] = (query) => this.#ask('changes', [query])
  sessions: Storage['sessions'] = (query) => this.#ask('sessions', [query])
  injections: Storage['injections'] = (query) => this.#ask('injections', [query])
  events: Storage['events'] = (query) => this.#ask('events', [query])
  documents = <Name extends Collection>(collection: Name, keys?: readonly string[]): Promise<Documents[Name][]> =>
    this.#ask('documents', keys === undefined ? [collection] : [collection, keys])
  stats: Storage['stats'] = () => this.#ask('stats', [])
  tally: Storage['tally'] = (query) => this.#ask('tally', [query])
  purge: Storage['purge'] = (options) => this.#ask('purge', [options], PURGE_MS)

  async #ask<Value>(
    method: Method,
    args: readonly unknown[],
    ms = this.#timeoutMs,
    model = this.#model,
  ): Promise<Value> {
    if (this.#closed) throw unusable('The store was shut down.')
    if (model === null) throw unusable('The store was not initialized.')
    const asking = this.#call<Value>('POST', `/${method}`, { model, args }, ms)
    this.#underWay.add(asking)
    try {
      return await asking
    } finally {
      this.#underWay.delete(asking)
    }
  }
}

function unusable(why: string): MemoryError {
  return new MemoryError('PROVIDER_ERROR', why, { retryable: false })
}
