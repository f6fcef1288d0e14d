import type { Capabilities } from '../capabilities.ts'
import type { Commit, CommitResult } from '../commit.ts'
import type { Collection, Documents } from '../documents.ts'
import { notInitialized, refuseOversized, shutDown } from '../handle.ts'
import type { SearchQuery } from '../search-query.ts'
import type { Storage, VectorModel } from '../storage.ts'
import { askAbout, type Call, connectTo, isSilence } from './client.ts'
import { ANSWERS, packCommit, packQuery } from './wire.ts'

export interface HttpStorageOptions {
  /** Of a `nokosu serve`, such as `https://memory.example.com:4816`. */
  url: string
  /** A token of scope write that is bound to nothing. Not needed where the server asks for none. */
  token?: string
  /** Milliseconds that one call may take. Default: 10,000, and 30,000 for a commit. */
  timeoutMs?: number
}

const TIMEOUT_MS = 10_000
/** A commit may carry megabytes over a slow line. */
const COMMIT_MS = 30_000
/** A purge reads and rewrites the whole store. */
const PURGE_MS = 600_000
/** For whoever asks a server again that was silent just now: all tries of one call end soon. */
const SILENT_MS = 2000
/** Bytes of one commit: what a server takes in one request, with room for vectors in base64. */
const MOST_BYTES = 8_000_000

type Method = Exclude<keyof Storage, 'name' | 'capabilities' | 'shutdown' | 'follow'>

/** The store of a server. The engine over it is the same as over any other; the vectors are made here. */
export async function httpStorage(options: HttpStorageOptions): Promise<Storage> {
  const call = connectTo(options)
  const { capabilities } = await askAbout(options.url, call, options.timeoutMs)
  const maxBytes = Math.min(capabilities.maxBytes, MOST_BYTES)
  return new HttpStorage({ ...capabilities, maxBytes }, call, options.timeoutMs)
}

class HttpStorage implements Storage {
  readonly name = 'http'
  readonly capabilities: Capabilities
  readonly #call: Call
  readonly #timeoutMs: number | undefined
  readonly #underWay = new Set<Promise<unknown>>()
  #model: VectorModel | null = null
  #closed = false
  #silent = false

  constructor(capabilities: Capabilities, call: Call, timeoutMs: number | undefined) {
    this.capabilities = capabilities
    this.#call = call
    this.#timeoutMs = timeoutMs
  }

  async initialize(model: VectorModel): Promise<void> {
    const { name, dimensions } = model
    await this.#ask('initialize', [], TIMEOUT_MS, { name, dimensions })
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
    refuseOversized(commit, this.capabilities)
    return this.#ask('commit', [packCommit(commit)], COMMIT_MS)
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

  async #ask<Value>(method: Method, args: readonly unknown[], ms = TIMEOUT_MS, model = this.#model): Promise<Value> {
    if (this.#closed) throw shutDown()
    if (model === null) throw notInitialized()
    const most = Math.min(method === 'purge' ? ms : (this.#timeoutMs ?? ms), this.#silent ? SILENT_MS : Infinity)
    const asking = this.#call<Value>('POST', `/${method}`, { model, args }, most)
    this.#underWay.add(asking)
    try {
      const answer = await asking
      this.#silent = false
      return answer
    } catch (error) {
      this.#silent = isSilence(error)
      throw error
    } finally {
      this.#underWay.delete(asking)
    }
  }
}
