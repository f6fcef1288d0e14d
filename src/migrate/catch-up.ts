import { hashText } from '../embedding/cached-embedder.ts'
import { changedRow, newRow } from '../engine/write.ts'
import type { Memory } from '../model/memory.ts'
import { itemsOf, type Page } from '../model/page.ts'
import type { Change, Injection } from '../model/records.ts'
import type { Embedding, Write } from '../storage/commit.ts'
import { marksOf } from '../storage/decide.ts'
import type { StoredMemory } from '../storage/memory-query.ts'
import type { Storage } from '../storage/storage.ts'
import { embeddedText } from '../text/embedded-text.ts'
import { canonicalText } from './kinds.ts'
import type { Reading } from './survey.ts'
import type { Target } from './target.ts'

export interface Move extends Reading {
  source: Storage
  target: Target
  vectors: boolean
}

/** `busy`: it was written to while it was read, so the next round looks again. `apart`: the two stores diverged. */
export type CaughtUp = 'done' | 'busy' | 'apart'

const PAGE = 500

/** A memory's vector, with the text it was made from. */
export function embeddingOf({ memory, vector }: StoredMemory): Embedding | null {
  return vector && { hash: hashText(embeddedText(memory)), vector }
}

/** Equal except for recall counts. */
export function sameButRecalls(a: Memory, b: Memory): boolean {
  const recalls = { recallCount: 0, lastRecalledAt: null }
  return canonicalText({ ...a, ...recalls }) === canonicalText({ ...b, ...recalls })
}

/**
 * Updates an already copied memory to its state in the source by repeating the changes: each version with its
 * time and author, each showing with its count. History and counters end up as if all writes had gone to the target.
 */
export async function catchUp(move: Move, id: string): Promise<CaughtUp> {
  const { source, target } = move
  const before = await only(move, source, id)
  const there = await only(move, target.storage, id)
  if (there === null) return 'done'
  const history = await all<Change>(move, (page) => source.changes({ memory: id, ...page }))
  const shown = await missingInjections(move, id)
  const now = await only(move, source, id)
  if (stampOf(before) !== stampOf(now)) return 'busy'
  const base = history.find(({ version }) => version === there.memory.version)?.after
  if (base && !sameButRecalls(base, there.memory)) return 'apart'
  const pending = history.filter(({ version }) => version > there.memory.version)
  if (pending.some(({ version }, i) => version !== there.memory.version + 1 + i)) return 'apart'
  const replay = new Replay(move, there, now, shown)
  for (const change of pending) await replay.apply(change)
  return (await replay.end()) ? 'done' : 'apart'
}

class Replay {
  readonly #move: Move
  /** The source's current state; null: deleted. */
  readonly #now: StoredMemory | null
  /** Showings missing in the target, oldest first. */
  #shown: Injection[]
  #memory: Memory | null
  #embedded: boolean
  #recalls: number

  constructor(move: Move, there: StoredMemory, now: StoredMemory | null, shown: Injection[]) {
    this.#move = move
    this.#now = now
    this.#shown = shown
    this.#memory = there.memory
    this.#embedded = there.vector !== null
    this.#recalls = there.memory.recallCount
  }

  async apply(change: Change): Promise<void> {
    if (change.after && this.#memory) await this.#recallUpTo(change.after)
    const { at, by } = change
    await this.#move.target.write([...marksOf(change), this.#toWrite(change)], { at, by })
    this.#memory = change.after
    if (change.after && change.operation === 'create') this.#recalls = change.after.recallCount
  }

  /** Whether everything that could be copied is there. */
  async end(): Promise<boolean> {
    if (this.#now === null || this.#memory === null) return true
    const { memory } = this.#now
    const isCounted = await this.#recallUpTo(memory)
    const embedding = this.#move.vectors && !this.#embedded ? embeddingOf(this.#now) : null
    if (embedding) {
      await this.#move.target.write([{ kind: 'embed', id: memory.id, version: memory.version, embedding }])
    }
    return isCounted
  }

  #toWrite({ memory: id, version, operation, after }: Change): Write {
    if (after === null) return { kind: 'delete', id, version: version - 1 }
    const isText = (other: Memory | null) => other !== null && embeddedText(other) === embeddedText(after)
    const isKept = isText(this.#memory)
    const current = this.#move.vectors && this.#now && isText(this.#now.memory) ? embeddingOf(this.#now) : null
    if (operation === 'create') {
      this.#embedded = current !== null
      return { kind: 'insert', row: newRow(after, current) }
    }
    if (isKept) return { kind: 'update', row: changedRow(after) }
    this.#embedded = current !== null
    return { kind: 'update', row: { ...changedRow(after), embedding: current } }
  }

  /** Counts the latest showings up to this state, which are those that the target has not counted yet. */
  async #recallUpTo({ recallCount, lastRecalledAt }: Memory): Promise<boolean> {
    const wanted = recallCount - this.#recalls
    if (wanted <= 0 || lastRecalledAt === null) return wanted <= 0
    const counted = this.#shown.filter(({ at }) => at <= lastRecalledAt).slice(-wanted)
    const isNew = new Set(counted)
    this.#shown = this.#shown.filter((each) => !isNew.has(each))
    await this.#move.target.write(counted.map((injection) => ({ kind: 'injection', injection, recall: true })))
    this.#recalls += counted.length
    return counted.length === wanted
  }
}

async function only({ attempt }: Reading, storage: Storage, id: string): Promise<StoredMemory | null> {
  return (await attempt(() => storage.get([id])))[0] ?? null
}

function stampOf(stored: StoredMemory | null): string {
  return stored === null ? '' : `${stored.memory.version} ${stored.memory.recallCount}`
}

/** All records of one memory, which are few. */
function all<Item>(
  { attempt, signal }: Reading,
  read: (page: { after: string | null; limit: number }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items = itemsOf((after) => {
    signal.throwIfAborted()
    return attempt(() => read({ after, limit: PAGE }))
  })
  return Array.fromAsync(items)
}

async function missingInjections(move: Move, memory: string): Promise<Injection[]> {
  const query = { session: null, memory }
  const theirs = await all<Injection>(move, (page) => move.target.storage.injections({ ...query, ...page }))
  const known = new Set(theirs.map(({ id }) => id))
  const own = await all<Injection>(move, (page) => move.source.injections({ ...query, ...page }))
  return own.filter(({ id }) => !known.has(id))
}

/** Whether the target deleted the memory after this version. */
export async function wasDeletedSince(move: Move, { id, version }: Memory): Promise<boolean> {
  const history = await all<Change>(move, (page) => move.target.storage.changes({ memory: id, ...page }))
  const last = history.at(-1)
  return last?.operation === 'delete' && last.version > version
}
