import type { AiSdkEmbeddingModel } from '../embedding/ai-sdk.ts'
import type { EmbeddingConfig } from '../embedding/open-embedding.ts'
import type { EmbeddingProvider } from '../embedding/provider.ts'
import type { PoisonModel } from '../guard/poison-model.ts'
import type { RelationModel } from '../lifecycle/relate/relation-model.ts'
import { MemoryError } from '../model/errors.ts'
import { decaySchema } from '../model/memory.ts'
import { type DirectoryEntry, keepDaysSchema } from '../model/records.ts'
import { DEFAULT_RETRY, type RetryPolicy } from '../model/retry.ts'
import { nearest } from '../model/suggest.ts'
import type { Logger } from '../observe/log.ts'
import type { Storage } from '../storage/storage.ts'
import { DEFAULT_SETTINGS, type MemorySettings } from './settings.ts'

export interface MemoryOptions {
  /** A store, or its URL: `sqlite:path`, `https://host` for a server's engine. Default: `.nokosu/memory.db` here. */
  storage?: Storage | string
  /** For a store by URL (`https://host`). Default: `NOKOSU_TOKEN`, or inside a run `NOKOSU_RUN_TOKEN`. */
  token?: string
  /** A provider, a configuration, or an embedding model of the AI SDK. Default: the bundled model. */
  embedding?: EmbeddingProvider | EmbeddingConfig | AiSdkEmbeddingModel
  /** Tells repeats from contradictions; null: by words only. Default: the bundled model. */
  relations?: RelationModel | null
  /** Recognizes notes that would mislead a later agent; null: by words only. Default: the bundled model, unless the embedding is `hashing`. */
  poisons?: PoisonModel | null
  /** Which project belongs to which team and org, in addition to the store's directory. */
  directory?: readonly DirectoryEntry[]
  retry?: Partial<RetryPolicy>
  /** What is kept and for how long. */
  memory?: Partial<MemorySettings>
  /** Tokens of a block of memories in a prompt. Default: 2,000. */
  budget?: number
  /** Aborts opening. */
  signal?: AbortSignal
  /** The author's name in the history. */
  actor?: string
  /** Opened by an agent inside its run: it writes and decides nothing as an operator. */
  insideRun?: boolean
  now?: () => Date
  log?: Logger
}

interface Option {
  /** Null if the value is valid; otherwise what it must be. */
  problem(value: unknown): string | null
  example: string
}

const EXAMPLES = {
  storage: "{ storage: 'sqlite:.nokosu/memory.db' }",
  embedding: "{ embedding: { kind: 'hashing' } }",
  memory: '{ memory: { maxKeep: 500 } }',
}

function option(isGood: (value: never) => boolean, must: string, example: string = EXAMPLES.storage): Option {
  return { problem: (value) => (isGood(value as never) ? null : must), example }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isModel = (value: unknown) => value === null || (isObject(value) && 'close' in value)

const isEmbedding = (value: unknown) =>
  isObject(value) &&
  ('embed' in value ||
    'doEmbed' in value ||
    ('kind' in value && ['local', 'http', 'hashing'].includes(`${value.kind}`)))

/** A block of settings: known names, each of the same type as its default. */
function block(defaults: object, example: string): Option {
  const known = new Map<string, unknown>(Object.entries(defaults))
  return {
    example,
    problem(value) {
      if (!isObject(value)) return 'must be an object'
      for (const [name, given] of Object.entries(value)) {
        if (!known.has(name)) return `has no field ${name}; its fields are ${[...known.keys()].join(', ')}`
        if (name === 'decay' && given !== undefined && !decaySchema.safeParse(given).success)
          return 'needs days of 1 or more, or false, for categories as decay'
        if (name === 'keepDays' && given !== undefined && !keepDaysSchema.safeParse(given).success)
          return 'needs days of 1 or more, or false, for sessions, events and showings as keepDays'
        const kind = typeof known.get(name)
        if (given !== undefined && (typeof given !== kind || (kind === 'number' && !((given as number) >= 0))))
          return `needs a ${kind === 'number' ? 'number of 0 or more' : kind} as ${name}`
      }
      return null
    },
  }
}

const OPTIONS: Record<keyof MemoryOptions, Option> = {
  storage: option((value) => typeof value === 'string' || isObject(value), 'must be a store or its URL'),
  token: option(
    (value) => typeof value === 'string',
    'must be a token',
    "{ storage: 'https://host', token: 'nks_...' }",
  ),
  embedding: option(
    isEmbedding,
    'must be a provider, an AI SDK model, or a configuration of kind local, http or hashing',
    EXAMPLES.embedding,
  ),
  relations: option(isModel, 'must be a relation model or null'),
  poisons: option(isModel, 'must be a poison model or null'),
  directory: option(Array.isArray, 'must be a list of entries'),
  retry: block(DEFAULT_RETRY, '{ retry: { retries: 1 } }'),
  memory: block(DEFAULT_SETTINGS, EXAMPLES.memory),
  budget: option((value) => typeof value === 'number' && value > 0, 'must be a number of tokens', '{ budget: 1000 }'),
  signal: option(
    (value: unknown) => value instanceof AbortSignal,
    'must be an AbortSignal',
    '{ signal: AbortSignal.timeout(5000) }',
  ),
  actor: option((value) => typeof value === 'string' && value !== '', 'must be a name', "{ actor: 'deploy-bot' }"),
  insideRun: option((value) => typeof value === 'boolean', 'must be true or false'),
  now: option((value) => typeof value === 'function', 'must be a function that returns a Date'),
  log: option((value) => isObject(value) && 'warn' in value, 'must be a logger such as pino()'),
}

/** Common names for options that have another name here. */
const MEANT: Record<string, keyof MemoryOptions> = {
  ...{ db: 'storage', database: 'storage', store: 'storage', url: 'storage', path: 'storage', file: 'storage' },
  ...{ embedder: 'embedding', embeddings: 'embedding', model: 'embedding', logger: 'log', settings: 'memory' },
}

/** Ignoring a wrong option would open the wrong store, or fail much later. */
export function checkOptions(options: MemoryOptions): void {
  if (!isObject(options)) throw refused(`openMemory() takes an object: openMemory(${EXAMPLES.storage}).`, {})
  for (const [name, value] of Object.entries(options)) {
    const known = Object.hasOwn(OPTIONS, name) ? OPTIONS[name as keyof MemoryOptions] : undefined
    if (known === undefined) throw unknownOption(name)
    const problem = value === undefined ? null : known.problem(value)
    if (problem !== null)
      throw refused(`Invalid ${name}: it ${problem}, as in openMemory(${known.example}).`, { field: name })
  }
  const { storage } = options
  if (typeof storage === 'object') requireStorage(storage)
}

/** A custom store must have a store's methods. */
export function requireStorage(storage: Storage): Storage {
  if (isObject(storage) && typeof storage.commit === 'function' && isObject(storage.capabilities)) return storage
  const has = (name: string) => isObject(storage) && typeof Reflect.get(storage, name) === 'function'
  const hint = ['add', 'search', 'list'].every(has)
    ? 'This is a memory provider: wrap it with fromProvider(provider) from nokosu/provider'
    : 'Give a store of nokosu/storage/*, or its URL'
  throw refused(`Invalid storage: it has no commit(). ${hint}.`, { field: 'storage' })
}

function unknownOption(name: string): MemoryError {
  const meant = MEANT[name] ?? (nearest(name, Object.keys(OPTIONS)) as keyof MemoryOptions | null) ?? undefined
  const hint = meant === undefined ? `Its options are ${Object.keys(OPTIONS).join(', ')}` : `Did you mean ${meant}`
  const example = OPTIONS[meant ?? 'storage'].example
  return refused(`openMemory() has no option ${name}. ${hint}: openMemory(${example}).`, {
    field: name,
    ...(meant === undefined ? {} : { meant }),
  })
}

function refused(message: string, details: Record<string, unknown>): MemoryError {
  return new MemoryError('INVALID_INPUT', message, { operation: 'openMemory', details })
}
