import type { EmbeddingProvider } from '../../src/embedding/provider.ts'
import { hideHeld } from '../../src/engine/hide-held.ts'
import type { Nokosu } from '../../src/engine/nokosu.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { DEFAULTS } from '../../src/model/limits.ts'
import type { NewMemory, SearchMode } from '../../src/model/schema.ts'
import type { Ranking } from '../../src/recall/ranking.ts'
import { search } from '../../src/recall/search.ts'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Ask, Collection, Item } from './collection.ts'

const PROJECT = 'eval'
const AGENT = 'eval-agent'
/** The time of all memories and, by default, of the questions. */
const NOW = '2026-06-15T12:00:00.000Z'
const PART = 500
/** The default number of search results. */
const LIMIT = DEFAULTS.searchLimit

/** The results for a question. */
export interface Answer {
  ask: Ask
  /** Keys with their scores, best first. A memory with merged repeats has several keys. */
  found: { keys: readonly string[]; score: number }[]
  ms: number
}

export interface Filled {
  collection: Collection
  model: EmbeddingProvider
  memory: Nokosu
  storage: Storage
  keysOf: ReadonlyMap<string, readonly string[]>
  /** Items that search cannot find: held for review, or refused. */
  withheld: string[]
  /** Items that became part of another memory. */
  merged: string[]
  /** Sets the time of the store. */
  setNow(now: string): void
  close(): Promise<void>
}

/** Stores a collection as an agent's program does: through the guard and admission, with all defaults. */
export async function fill(collection: Collection, model: EmbeddingProvider): Promise<Filled> {
  let now = NOW
  const storage = sqliteStorage({ path: ':memory:' })
  const memory = await openMemory({
    storage,
    embedding: { ...model, close: async () => {} },
    now: () => new Date(now),
  })
  const own = memory.as({ agentId: AGENT, projectId: PROJECT })
  const keysOf = new Map<string, string[]>()
  const filled: Filled = {
    ...{ collection, model, memory, storage, keysOf, withheld: [], merged: [] },
    setNow: (time) => {
      now = time
    },
    close: () => memory.shutdown(),
  }
  for (let start = 0; start < collection.items.length; start += PART) {
    const part = collection.items.slice(start, start + PART)
    const { outcomes } = await own.bulkAdd(part.map(toMemory), { exact: collection.exact ?? false })
    for (const [i, outcome] of outcomes.entries()) {
      const { key } = part[i]!
      const stored = 'memory' in outcome ? outcome.memory : null
      if (stored === null || stored.trust === 'quarantined') filled.withheld.push(key)
      else {
        if (outcome.kind !== 'insert' && outcome.kind !== 'contradict') filled.merged.push(key)
        keysOf.set(stored.id, [...(keysOf.get(stored.id) ?? []), key])
      }
    }
  }
  return filled
}

export interface Way {
  mode: SearchMode
  /** The search to use, for ablations. Default: the engine's own. */
  ranking?: Ranking
  limit?: number
}

/** Asks every question at threshold 0: a higher one only cuts the list. */
export async function askAll(filled: Filled, { mode, ranking, limit = LIMIT }: Way): Promise<Answer[]> {
  const { collection, memory, keysOf } = filled
  const own = memory.as({ agentId: AGENT, projectId: PROJECT })
  const answers: Answer[] = []
  for (const ask of collection.asks) {
    filled.setNow(ask.now ?? NOW)
    const started = performance.now()
    const { results } =
      ranking === undefined
        ? await own.search({ query: ask.query, mode, limit, threshold: 0, order: 'relevance' })
        : await searchWith(ranking, filled, ask, { mode, limit })
    const ms = performance.now() - started
    const found = results.map(({ memory: { id }, score }) => ({ keys: keysOf.get(id) ?? [], score }))
    answers.push({ ask, found, ms })
  }
  filled.setNow(NOW)
  return answers
}

/** Search with other weights, which the engine has no option for. */
function searchWith(
  ranking: Ranking,
  { storage, model }: Filled,
  ask: Ask,
  { mode, limit }: Required<Omit<Way, 'ranking'>>,
) {
  const scopes = [
    { layer: 'agent' as const, owner: AGENT, projects: [PROJECT] },
    { layer: 'project' as const, owner: PROJECT, projects: [null] },
  ]
  return search(
    {
      // As in the engine: what the guard held takes no place.
      storage: hideHeld(storage),
      embed: async (text) => (await model.embed([text]))[0]!,
      calibrate: (cosine, terseness, documents) => model.calibrate?.(cosine, terseness, documents) ?? cosine,
      now: new Date(ask.now ?? NOW),
      attempt: (work) => work(),
      ranking,
    },
    {
      scopes,
      where: {},
      query: ask.query,
      mode,
      vector: null,
      limit,
      threshold: 0,
      order: 'relevance',
      explain: false,
    },
  )
}

function toMemory({
  content,
  service = null,
  tags = [],
  thread = null,
  occurredAt = null,
  layer = 'project',
}: Item): NewMemory {
  return { content, service, tags, thread, occurredAt, layer, identifiers: { agentId: AGENT, projectId: PROJECT } }
}
