import { randomUUID } from 'node:crypto'
import { hashText } from '../../src/embedding/cached-embedder.ts'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { visibleUntil } from '../../src/lifecycle/decay.ts'
import type { ScopeSelector } from '../../src/model/layer.ts'
import { laterFields, type Memory } from '../../src/model/memory.ts'
import type { CommitResult, Write } from '../../src/storage/commit.ts'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { memoryTokens, tokenize } from '../../src/text/tokens.ts'
import { dot } from '../../src/vector/dot.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
let made = 0

/** ULID-like ids in creation order. */
function nextId(): string {
  const tail = Array.from({ length: 13 }, () => ALPHABET[Math.floor(Math.random() * 32)]).join('')
  return `01${String(made++).padStart(11, '0')}${tail}`
}

export function projectScope(projectId: string): ScopeSelector {
  return { layer: 'project', owner: projectId, projects: [null] }
}

export interface DirectStore {
  readonly storage: Storage
  commit(writes: readonly Write[], by?: string): Promise<CommitResult>
  /** Adds memories to a project; returns them. */
  add(contents: readonly string[], projectId: string, fields?: Partial<Memory>): Promise<Memory[]>
  update(id: string, fields: Partial<Memory>): Promise<Memory>
  remove(ids: readonly string[]): Promise<void>
  get(id: string): Promise<Memory | null>
  list(): Promise<Memory[]>
  /** Embeds every memory without a vector of this model; returns how many. */
  embedAll(): Promise<number>
  /** The nearest visible memories of a project with their cosines, best first. */
  nearest(text: string, projectId: string, limit: number): Promise<[id: string, cosine: number][]>
  searchTokens(text: string, scope: ScopeSelector): Promise<string[]>
}

/** A SQLite store without an engine: derived fields are computed here in the simplest way. */
export async function openDirect(path: string, { dimensions = 384, by = 'test' } = {}): Promise<DirectStore> {
  const embedding = hashingEmbedding({ dimensions })
  const storage = sqliteStorage({ path })
  await storage.initialize({ name: embedding.name, dimensions })
  const vectorOf = async (text: string) => (await embedding.embed([text]))[0]!
  const embed = async (content: string) => ({ hash: hashText(content), vector: await vectorOf(content) })
  const rowOf = async (memory: Memory) => ({
    memory,
    visibleUntil: visibleUntil(memory),
    tokens: memoryTokens(memory),
    embedding: await embed(memory.content),
  })
  const now = () => new Date().toISOString()
  const store: DirectStore = {
    storage,
    async commit(writes, author = by) {
      const result = await storage.commit({ key: randomUUID(), at: now(), by: author, writes })
      return result
    },
    async add(contents, projectId, fields = {}) {
      const at = now()
      const memories = contents.map((content) => ({ ...blankMemory(projectId, at), id: nextId(), content, ...fields }))
      const writes = await Promise.all(
        memories.map(async (memory) => ({ kind: 'insert' as const, row: await rowOf(memory) })),
      )
      expectApplied(await store.commit(writes))
      return memories
    },
    async update(id, fields) {
      for (;;) {
        const before = await store.get(id)
        if (!before) throw new Error(`there is no memory ${id}`)
        const memory = { ...before, ...fields, updatedAt: now(), decayedWeeks: 0, version: before.version + 1 }
        const result = await store.commit([{ kind: 'update', row: await rowOf(memory) }])
        if (result.applied) return memory
        if (result.failures[0]!.reason !== 'version') throw new Error(`there is no memory ${id}`)
      }
    },
    async remove(ids) {
      expectApplied(await store.commit(ids.map((id) => ({ kind: 'delete', id }))))
    },
    async get(id) {
      return (await storage.get([id]))[0]?.memory ?? null
    },
    async list() {
      const query = { scopes: null, where: {}, order: 'newest', limit: 10_000, after: null } as const
      return (await storage.memories({ ...query, count: false, vectors: false })).items.map((item) => item.memory)
    },
    async embedAll() {
      const query = { scopes: null, where: { embedded: false }, order: 'oldest', limit: 1000, after: null } as const
      const { items } = await storage.memories({ ...query, count: false, vectors: false })
      const writes = await Promise.all(
        items.map(async ({ memory: { id, version, content } }) => {
          return { kind: 'embed' as const, id, version, embedding: await embed(content) }
        }),
      )
      expectApplied(await store.commit(writes))
      return writes.length
    },
    async nearest(text, projectId, limit) {
      const vector = await vectorOf(text)
      const query = { scopes: [projectScope(projectId)], where: { visibleAt: now() }, vector, tokens: [], limit }
      const { candidates } = (await storage.search([query]))[0]!
      return candidates
        .map(({ memory, vector: own }): [string, number] => [memory.id, dot(vector, own!)])
        .sort((a, b) => b[1] - a[1])
    },
    async searchTokens(text, scope) {
      const tokens = [...new Set(tokenize(text))]
      const query = { scopes: [scope], where: { visibleAt: now() }, vector: null, tokens, limit: 100 }
      return (await storage.search([query]))[0]!.candidates.map(({ memory }) => memory.id)
    },
  }
  return store
}

function expectApplied(result: CommitResult): void {
  if (!result.applied) throw new Error(`not applied: ${JSON.stringify(result.failures)}`)
}

function blankMemory(projectId: string, at: string): Omit<Memory, 'id' | 'content'> {
  return {
    layer: 'project',
    identifiers: { projectId },
    category: 'decision',
    service: null,
    source: 'manual',
    tags: [],
    metadata: {},
    anchor: null,
    importance: 50,
    confidence: 0.7,
    active: true,
    ...laterFields(),
    tier: 1,
    trust: 'agent',
    session: null,
    expiresAt: null,
    lastRecalledAt: null,
    recallCount: 0,
    createdAt: at,
    updatedAt: at,
    version: 1,
  }
}
