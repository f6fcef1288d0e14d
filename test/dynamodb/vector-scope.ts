import { onTestFinished } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import type { VectorsOptions } from '../../src/storage/dynamodb/connection.ts'
import { dynamodbStorage } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import type { SearchQuery } from '../../src/storage/search-query.ts'
import { place } from './local-tables.ts'
import { startVectorServer } from './vector-server.ts'

const SHOP = { projectId: 'shop' }
const SCOPES = [{ layer: 'project' as const, owner: SHOP.projectId, projects: [null] }]
export const WORDS = [
  'deploy',
  'queue',
  'cache',
  'token',
  'pager',
  'disk',
  'backup',
  'port',
  'proxy',
  'cron',
  'region',
  'lock',
]
const embedding = hashingEmbedding()
export const fact = (content: string) => ({ exact: true, content, layer: 'project' as const, identifiers: SHOP })

export async function scope(more: Partial<VectorsOptions> = {}) {
  const { options } = await place()
  const server = await startVectorServer()
  onTestFinished(() => server.close())
  const vectors = { bucket: server.bucket, endpoint: server.endpoint, from: 10, behind: 4, ...more }
  const open = async ({
    cache = false,
    plain = false,
    endpoint = options.endpoint,
    set = {},
    model = embedding,
  }: {
    cache?: string | false
    plain?: boolean
    endpoint?: string
    set?: Partial<VectorsOptions>
    model?: typeof embedding
  } = {}) => {
    const storage = dynamodbStorage({
      ...options,
      cache,
      endpoint,
      ...(plain ? {} : { vectors: { ...vectors, ...set } }),
    })
    const memory = await openMemory({ storage, embedding: model, relations: null })
    let isOpen = true
    const close = async () => {
      if (isOpen) await memory.shutdown()
      isOpen = false
    }
    onTestFinished(close)
    /** What is found by vector alone, best first. */
    const scored = async (words: string, query: Partial<SearchQuery> = {}) => {
      const [vector] = await model.embed([words])
      const asked = { scopes: SCOPES, where: {}, vector: vector!, tokens: [], limit: 8, ...query }
      const [found] = await storage.search([asked])
      return found!.candidates
        .map(({ memory: { content }, vector: own }) => {
          const score = own!.reduce((sum, value, i) => sum + value * vector![i]!, 0)
          return [content, score.toFixed(4)] as const
        })
        .sort(([a, x], [b, y]) => Number(y) - Number(x) || (a < b ? -1 : 1))
    }
    const near = async (words: string, query: Partial<SearchQuery> = {}) =>
      (await scored(words, query)).map(([content]) => content)
    /** Equal scores may stand for each other, so of a few only the scores are compared. */
    const answer = async (words: string, query: Partial<SearchQuery>) => ({
      all: await scored(words, { ...query, limit: 1000 }),
      few: (await scored(words, { ...query, limit: 2 })).map(([, score]) => score),
    })
    return { memory, shop: memory.as(SHOP), near, answer, close }
  }
  /** Everything in the indexes, by text hash. */
  const indexed = () => [...server.indexes.values()].flatMap(({ vectors: all }) => [...all.values()])
  return { options, server, vectors, open, indexed }
}

export const COUNT = 40
export const text = (i: number) => `${WORDS[i % 12]} ${WORDS[(i * 5 + 1) % 12]} number${i}`

export async function filled(more: Partial<VectorsOptions> = {}) {
  const all = await scope(more)
  const writer = await all.open({ plain: true })
  const { memories: added } = await writer.memory.bulkAdd(Array.from({ length: COUNT }, (_, i) => fact(text(i))))
  return { ...all, writer, added }
}

/** Until what was begun beside the searches has ended. */
export async function settled({ near, close }: { near(words: string): Promise<string[]>; close(): Promise<void> }) {
  await near('settle')
  await close()
}
