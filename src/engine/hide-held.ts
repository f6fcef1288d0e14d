import { isRetracted } from '../lifecycle/decisions.ts'
import { LIMITS } from '../model/limits.ts'
import { type JsonValue, type Memory, TRUSTS } from '../model/memory.ts'
import { itemsOf } from '../model/page.ts'
import type { Change, WorkflowEvent } from '../model/records.ts'
import type { Conditions } from '../storage/conditions.ts'
import { withMethods } from '../storage/handle.ts'
import type { MemoryPage, MemoryQuery, StoredMemory } from '../storage/memory-query.ts'
import type { ChangeQuery, EventQuery, InjectionQuery } from '../storage/record-query.ts'
import type { Found, SearchQuery } from '../storage/search-query.ts'
import type { Storage } from '../storage/storage.ts'
import type { TallyQuery } from '../storage/tally.ts'

/**
 * The store without held memories, for callers who are not operators. Every operation reads through the store, so this is
 * enforced here, once, and not in each operation or surface.
 */
export function hideHeld(storage: Storage): Storage {
  const reads = {
    get: async (ids: readonly string[]) => unheld(await storage.get(ids)),
    async memories(query: MemoryQuery): Promise<MemoryPage> {
      const where = exceptHeld(query.where)
      if (where === null) return { items: [], next: null, totalCount: query.count ? 0 : null }
      const page = await storage.memories({ ...query, where })
      return { ...page, items: unheld(page.items) }
    },
    async search(queries: readonly SearchQuery[]): Promise<Found[]> {
      const wheres = queries.map(({ where }) => exceptHeld(where))
      const found = await storage.search(queries.map((query, i) => ({ ...query, where: wheres[i] ?? query.where })))
      return found.map((each, i) => ({ ...each, candidates: wheres[i] === null ? [] : unheld(each.candidates) }))
    },
    async changes(query: ChangeQuery) {
      const page = await storage.changes(query)
      const hidden = await heldNowOrLast(storage, page.items)
      const items = page.items.filter(({ memory, after }) => !hidden.has(memory) && !isHeld(after))
      return { ...page, items }
    },
    async injections(query: InjectionQuery) {
      const page = await storage.injections(query)
      const ids = [...new Set(page.items.map(({ memory }) => memory))]
      const hidden = heldAmong(ids.length === 0 ? [] : await storage.get(ids))
      return { ...page, items: page.items.filter(({ memory }) => !hidden.has(memory)) }
    },
    async events(query: EventQuery) {
      const page = await storage.events(query)
      const named = (event: WorkflowEvent) => [...outcomesOf(event), ...omittedIn(event)]
      const ids = [...new Set(page.items.flatMap((event) => named(event).flatMap(({ memory }) => memory ?? [])))]
      const hidden = heldAmong(ids.length === 0 ? [] : await storage.get(ids))
      return { ...page, items: page.items.flatMap((event) => withoutHeld(event, hidden) ?? []) }
    },
    tally: async (query: TallyQuery) => storage.tally({ ...query, withoutHeld: true }),
  }
  return withMethods(storage, reads)
}

/** Memories retracted by an operator are hidden like held ones. */
function isHeld(memory: Memory | null | undefined): boolean {
  return memory != null && (memory.trust === 'quarantined' || isRetracted(memory))
}

/** Rows of other programs are judged when they are read, so a condition alone does not exclude them. */
function unheld(rows: readonly StoredMemory[]): StoredMemory[] {
  return rows.filter(({ memory }) => !isHeld(memory))
}

function heldAmong(rows: readonly StoredMemory[]): Set<string> {
  return new Set(rows.flatMap(({ memory }) => (isHeld(memory) ? memory.id : [])))
}

/** null: only held memories were requested. Visible memories are not held. */
function exceptHeld(where: Conditions): Conditions | null {
  if (where.visibleAt !== undefined && where.trust === undefined) return where
  const trust = (where.trust ?? TRUSTS).filter((each) => each !== 'quarantined')
  return trust.length === 0 ? null : { ...where, trust }
}

/** Memories that are held, or were when they were deleted: even their existence is hidden. */
async function heldNowOrLast(storage: Storage, changes: readonly Change[]): Promise<Set<string>> {
  const ids = [...new Set(changes.map(({ memory }) => memory))]
  const rows = ids.length === 0 ? [] : await storage.get(ids)
  const hidden = heldAmong(rows)
  const there = new Set(rows.map(({ memory }) => memory.id))
  const gone = ids.filter((id) => !there.has(id))
  for (const memory of await lastStates(storage, gone)) if (isHeld(memory)) hidden.add(memory.id)
  return hidden
}

async function lastStates(storage: Storage, memory: readonly string[]): Promise<Memory[]> {
  if (memory.length === 0) return []
  const last = new Map<string, Memory>()
  for await (const { after } of itemsOf((after) => storage.changes({ memory, after, limit: LIMITS.pageLimit }))) {
    if (after !== null && after.version >= (last.get(after.id)?.version ?? 0)) last.set(after.id, after)
  }
  return [...last.values()]
}

type ToldOutcome = { kind?: unknown; memory?: string | null; held?: unknown; content?: unknown }

function outcomesOf({ data }: WorkflowEvent): ToldOutcome[] {
  return Array.isArray(data.outcomes) ? (data.outcomes as ToldOutcome[]) : []
}

function omittedIn({ data }: WorkflowEvent): { memory?: string | null }[] {
  return Array.isArray(data.omitted) ? (data.omitted as { memory?: string | null }[]) : []
}

/**
 * Without memories held then or now, and without the words of refusals and repeats, which may be held. null: nothing
 * else is left, and the event itself would reveal something held.
 */
function withoutHeld(event: WorkflowEvent, hidden: ReadonlySet<string>): WorkflowEvent | null {
  const isHidden = ({ memory }: { memory?: string | null }) => typeof memory === 'string' && hidden.has(memory)
  const { refusals, ...data } = event.data
  if (Array.isArray(data.omitted)) {
    const omitted = omittedIn(event).filter((each) => !isHidden(each))
    const omittedCount = Number(data.omittedCount) - (omittedIn(event).length - omitted.length)
    return { ...event, data: { ...data, omitted: omitted as JsonValue[], omittedCount } }
  }
  if (!Array.isArray(data.outcomes)) return event
  const told = outcomesOf(event)
    .filter((each) => each.held !== true && each.kind !== 'refuse' && !isHidden(each))
    .map(({ content, ...rest }) => (rest.kind === 'duplicate' || content === undefined ? rest : { content, ...rest }))
  if (told.length === 0) return null
  return {
    ...event,
    data: { ...data, outcomes: told as JsonValue[], ...(refusals === undefined ? {} : { refusals: [] }) },
  }
}
