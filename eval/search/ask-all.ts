import { hashText } from '../../src/embedding/cached-embedder.ts'
import type { EmbeddingProvider } from '../../src/embedding/provider.ts'
import { newRow } from '../../src/engine/write.ts'
import { laterFields, type Memory } from '../../src/model/memory.ts'
import type { SearchMode } from '../../src/model/schema.ts'
import type { Ranking } from '../../src/recall/ranking.ts'
import { search } from '../../src/recall/search.ts'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { embeddedText } from '../../src/text/embedded-text.ts'
import type { Ask, Collection, Item } from './collection.ts'

const PROJECT = 'eval'
const AGENT = 'eval-agent'
/** When everything was written and, unless a question says otherwise, is asked. */
const NOW = '2026-06-15T12:00:00.000Z'
const PART = 500

/** What was found for a question. */
export interface Answer {
  ask: Ask
  /** Keys with their scores, the best first. */
  found: { key: string; score: number; semantic: number | null; keyword: number }[]
  ms: number
}

export interface Filled {
  collection: Collection
  storage: Storage
  model: EmbeddingProvider
  keyOf: ReadonlyMap<string, string>
  close(): Promise<void>
}

export async function fill(collection: Collection, model: EmbeddingProvider): Promise<Filled> {
  const storage = sqliteStorage({ path: ':memory:' })
  await storage.initialize(model)
  const keyOf = new Map<string, string>()
  for (let start = 0; start < collection.items.length; start += PART) {
    const memories = collection.items.slice(start, start + PART).map((item, i) => toMemory(item, start + i))
    const vectors = await model.embed(memories.map(embeddedText))
    await storage.commit({
      key: `fill ${start}`,
      at: NOW,
      by: 'eval',
      writes: memories.map((memory, i) => {
        keyOf.set(memory.id, collection.items[start + i]!.key)
        return { kind: 'insert', row: newRow(memory, { hash: hashText(embeddedText(memory)), vector: vectors[i]! }) }
      }),
    })
  }
  return { collection, storage, model, keyOf, close: () => storage.shutdown() }
}

export interface Way {
  mode: SearchMode
  ranking: Ranking
  limit?: number
}

/** Asks every question at threshold 0: a higher one only cuts the list. */
export async function askAll(filled: Filled, { mode, ranking, limit = 50 }: Way): Promise<Answer[]> {
  const { collection, storage, model, keyOf } = filled
  const embed = async (text: string) => (await model.embed([text]))[0]!
  const calibrate = (cosine: number, terseness: number, documents: number) =>
    model.calibrate?.(cosine, terseness, documents) ?? cosine
  const attempt = <T>(work: () => Promise<T>) => work()
  const scopes = [
    { layer: 'agent' as const, owner: AGENT, projects: [PROJECT] },
    { layer: 'project' as const, owner: PROJECT, projects: [null] },
  ]
  const answers: Answer[] = []
  for (const ask of collection.asks) {
    const now = new Date(ask.now ?? NOW)
    const started = performance.now()
    const { results } = await search(
      { storage, embed, calibrate, now, attempt, ranking },
      {
        scopes,
        where: {},
        query: ask.query,
        mode,
        vector: null,
        limit,
        threshold: 0,
        order: 'relevance',
        explain: true,
      },
    )
    const ms = performance.now() - started
    const found = results.map(({ memory, score, explanation }) => ({
      key: keyOf.get(memory.id)!,
      score,
      semantic: explanation!.semantic,
      keyword: explanation!.keyword,
    }))
    answers.push({ ask, found, ms })
  }
  return answers
}

function toMemory(item: Item, number: number): Memory {
  const layer = item.layer ?? 'project'
  return {
    id: `01EVAL${String(number).padStart(20, '0')}`,
    content: item.content,
    layer,
    identifiers: layer === 'agent' ? { agentId: AGENT, projectId: PROJECT } : { projectId: PROJECT },
    category: 'learning',
    service: item.service ?? null,
    source: 'manual',
    tags: item.tags ?? [],
    metadata: {},
    anchor: null,
    importance: 50,
    confidence: 0.7,
    active: true,
    ...laterFields(),
    tier: 0,
    trust: 'operator',
    thread: item.thread ?? null,
    occurredAt: item.occurredAt ?? null,
    session: null,
    expiresAt: null,
    lastRecalledAt: null,
    recallCount: 0,
    createdAt: NOW,
    updatedAt: NOW,
    version: 1,
  }
}
