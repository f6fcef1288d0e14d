import { createHash } from 'node:crypto'
import type { Page } from '../model/page.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../model/records.ts'
import { type Collection, type Documents, documentKey } from '../storage/documents.ts'
import type { StoredMemory } from '../storage/memory-query.ts'
import type { Storage } from '../storage/storage.ts'
import { encodeFloat16 } from '../vector/float16.ts'

export const KINDS = [
  ...(['directory', 'personalities', 'tokens', 'sessions', 'memories', 'vectors'] as const),
  ...(['history', 'injections', 'events'] as const),
]
export type Kind = (typeof KINDS)[number]

/** A comparable fact: its key, and a 128-bit digest of its content. */
export interface Fact {
  kind: Kind
  key: string
  digest: bigint
}

/** The records of one list of the contract, read page by page. A memory and its vector come as one record, but are two facts. */
export interface Walk<Item> {
  kinds: readonly Kind[]
  read(storage: Storage, page: { after: string | null; limit: number }): Promise<Page<Item>>
  facts(item: Item): Fact[]
}

/** Keys in alphabetical order: backends may keep an object's fields in different orders. */
function canonical(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The same for equal content, whichever backend it was read from. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, canonical)
}

function digestOf(kind: Kind, key: string, content: string | Uint8Array): bigint {
  const hash = createHash('sha256').update(`${kind}\n${key}\n`).update(content).digest('hex')
  return BigInt(`0x${hash.slice(0, 32)}`)
}

function factOf(kind: Kind, key: string, value: unknown): Fact {
  return { kind, key, digest: digestOf(kind, key, canonicalText(value)) }
}

export const SESSIONS: Walk<Session> = {
  kinds: ['sessions'],
  read: (storage, page) => storage.sessions({ any: null, ...page }),
  facts: (session) => [factOf('sessions', session.id, session)],
}

export function memories(vectors: boolean): Walk<StoredMemory> {
  return {
    kinds: vectors ? ['memories', 'vectors'] : ['memories'],
    read: (storage, page) =>
      storage.memories({ scopes: null, where: {}, order: 'oldest', count: false, vectors, ...page }),
    facts({ memory, vector }) {
      const fact = factOf('memories', memory.id, memory)
      if (!vectors || vector === null) return [fact]
      // As vectors are stored.
      const digest = digestOf('vectors', memory.id, encodeFloat16(vector))
      return [fact, { kind: 'vectors', key: memory.id, digest }]
    },
  }
}

export const HISTORY: Walk<Change> = {
  kinds: ['history'],
  read: (storage, page) => storage.changes({ memory: null, ...page }),
  facts: (change) => [factOf('history', `${change.version} ${change.memory}`, change)],
}

export const INJECTIONS: Walk<Injection> = {
  kinds: ['injections'],
  read: (storage, page) => storage.injections({ session: null, memory: null, ...page }),
  facts: (injection) => [factOf('injections', injection.id, injection)],
}

export const EVENTS: Walk<WorkflowEvent> = {
  kinds: ['events'],
  read: (storage, page) => storage.events({ any: null, ...page }),
  facts: (event) => [factOf('events', event.id, event)],
}

export const COLLECTION_KINDS = {
  directory: 'directory',
  personality: 'personalities',
  token: 'tokens',
} as const satisfies Record<Collection, Kind>

/** The contract returns a collection whole, because it is small. */
export function documents<Name extends Collection>(collection: Name): Walk<Documents[Name]> {
  const kind = COLLECTION_KINDS[collection]
  return {
    kinds: [kind],
    read: async (storage) => ({ items: await storage.documents(collection), next: null }),
    facts: (document) => [factOf(kind, documentKey(collection, document), document)],
  }
}
