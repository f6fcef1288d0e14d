import { MemoryError } from '../../model/errors.ts'
import type { Page } from '../../model/page.ts'
import type { Session, WorkflowEvent } from '../../model/records.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Write } from '../commit.ts'
import { keyOf } from '../decide.ts'
import type { Documents } from '../documents.ts'
import { notInitialized, refuseOversized, shutDown } from '../handle.ts'
import { type EventSelector, idsAsked, type SessionSelector } from '../record-query.ts'
import type { Storage, VectorModel } from '../storage.ts'
import { applyCommit } from './apply-commit.ts'
import { type ReferenceData, referenceData } from './data.ts'
import { find, vectorOf } from './find.ts'
import { inScopes, meets } from './meets.ts'
import { pageOf } from './page-of.ts'
import { CHANGES, EVENTS, INJECTIONS, MEMORY_SORTINGS, SESSIONS } from './sortings.ts'
import { tallyMemories } from './tally.ts'
import { countStats, prune, purge } from './upkeep.ts'

export interface ReferenceOptions {
  /** Data shared with other handles; by default its own. */
  shared?: ReferenceData
  /** Its capabilities. Calls beyond them fail, to catch an engine that ignores them. */
  mode?: Partial<Capabilities>
}

const EVERYTHING: Capabilities = {
  vectorSearch: true,
  keywordSearch: true,
  maxWrites: 1000,
  maxBytes: 64_000_000,
  maxContentLength: 16_384,
}

/** The reference implementation: all in memory, each method as simple as its contract. */
export function referenceStorage({ shared, mode }: ReferenceOptions = {}): Storage {
  const data = shared ?? referenceData()
  const capabilities = { ...EVERYTHING, ...mode }
  let model: VectorModel | null = null
  let open = true

  const refuseWhenShut = () => {
    if (!open) throw shutDown()
  }
  const current = (): string => {
    refuseWhenShut()
    if (model) return model.name
    throw notInitialized()
  }

  return {
    name: 'memory',
    capabilities,

    async initialize(wanted) {
      refuseWhenShut()
      model = { ...wanted }
    },
    async shutdown() {
      open = false
    },
    async ping() {
      current()
    },

    async commit(commit) {
      const name = current()
      refuseOversized(commit, capabilities, weigh)
      return applyCommit(data, commit, name)
    },
    async known(keys) {
      current()
      return new Set(keys.filter((key) => data.once.has(key)))
    },

    async get(ids) {
      const name = current()
      const rows = [...new Set(ids)].flatMap((id) => data.memories.get(id) ?? [])
      return structuredClone(rows.map((row) => ({ memory: row.memory, vector: vectorOf(data, row, name) })))
    },
    async memories({ scopes, where, order, limit, after, count, vectors }) {
      const name = current()
      const found = [...data.memories.values()].filter((row) => inScopes(row, scopes) && meets(row, where, name))
      const { items, next } = pageOf(found, MEMORY_SORTINGS[order], { after, limit })
      return structuredClone({
        items: items.map((row) => ({ memory: row.memory, vector: vectors ? vectorOf(data, row, name) : null })),
        next,
        totalCount: count ? found.length : null,
      })
    },
    async search(queries) {
      const name = current()
      for (const { vector, tokens } of queries) {
        if (vector && !capabilities.vectorSearch) throw beyond('search by vector')
        if (tokens.length > 0 && !capabilities.keywordSearch) throw beyond('search by token')
      }
      return structuredClone(queries.map((query) => find(data, query, name)))
    },
    async embeddings(hashes) {
      const name = current()
      const found = hashes.flatMap((hash) => {
        const vector = data.vectors.get(keyOf(name, hash))
        return vector ? [[hash, vector.slice()] as const] : []
      })
      return new Map(found)
    },

    async changes({ memory, ...page }) {
      current()
      const memories = idsAsked(memory)
      const found = [...data.changes.values()].filter((change) => memories?.includes(change.memory) !== false)
      return cloned(pageOf(found, CHANGES, page))
    },
    async sessions({ any, ...page }) {
      current()
      const found = [...data.sessions.values()].filter(
        (session) => any === null || any.some((selector) => isSession(session, selector)),
      )
      return cloned(pageOf(found, SESSIONS, page))
    },
    async injections({ session, memory, ...page }) {
      current()
      const sessions = idsAsked(session)
      const found = [...data.injections.values()].filter(
        (each) => sessions?.includes(each.session) !== false && (memory === null || each.memory === memory),
      )
      return cloned(pageOf(found, INJECTIONS, page))
    },
    async events({ any, ...page }) {
      current()
      const found = [...data.events.values()].filter(
        (event) => any === null || any.some((selector) => isEvent(event, selector)),
      )
      return cloned(pageOf(found, EVENTS, page))
    },
    async documents(collection, keys) {
      current()
      const found = [...data.documents.values()]
        .filter((each) => each.collection === collection && (keys === undefined || keys.includes(each.key)))
        .sort((a, b) => (a.key < b.key ? -1 : 1))
      return structuredClone(found.map(({ document }) => document as Documents[typeof collection]))
    },

    async stats() {
      current()
      return countStats(data)
    },
    async tally(query) {
      current()
      return tallyMemories(data, query)
    },
    async purge({ before, dryRun }) {
      current()
      return purge(data, before, dryRun)
    },
    async prune({ dryRun, ...before }) {
      current()
      return prune(data, before, dryRun)
    },
  }
}

function isSession(session: Session, selector: SessionSelector): boolean {
  if ('id' in selector) return session.id === selector.id
  if ('agent' in selector) return session.agent === selector.agent && session.project === null
  return session.project === selector.project
}

function isEvent(event: WorkflowEvent, selector: EventSelector): boolean {
  return 'session' in selector ? event.session === selector.session : event.identifiers.projectId === selector.project
}

/** Vectors are left out: the engine decides how much they weigh, and must not say less than this. */
function weigh(write: Write): number {
  const text = JSON.stringify(write, (_, value: unknown) => (value instanceof Float32Array ? null : value))
  return Buffer.byteLength(text)
}

function beyond(what: string): MemoryError {
  return new MemoryError('UNSUPPORTED', `This store does not take ${what}: its capabilities say so.`)
}

function cloned<Item>(page: Page<Item>): Page<Item> {
  return structuredClone(page)
}
