import { keysTakenBy } from '../model/once-keys.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../model/records.ts'
import type { ChangedRow, Commit, Embedding, NewRow, Write, WriteFailure } from './commit.ts'
import { type Collection, documentKey } from './documents.ts'

/** What a decision needs to know about a stored memory. */
export interface KnownMemory {
  version: number
  recallCount: number
  lastRecalledAt: string | null
}

/** A session, possibly known only by name. */
export type KnownSession = Omit<Session, 'startedAt'> & { startedAt: string | null }

/** The stored state of everything a commit touches: see {@link touchedBy}. */
export interface Known {
  memories: ReadonlyMap<string, KnownMemory>
  sessions: ReadonlyMap<string, KnownSession>
  once: Iterable<string>
  /** See {@link changeKey}. */
  changes: Iterable<string>
  injections: Iterable<string>
  events: Iterable<string>
  /** See {@link documentName}. */
  documents: Iterable<string>
}

/** A write to a memory, with its recall count from the store. */
export type MemoryWrite =
  | { kind: 'insert'; row: NewRow; imported: boolean }
  | { kind: 'update'; row: ChangedRow }
  | { kind: 'delete'; id: string }
  | { kind: 'embed'; id: string; embedding: Embedding }
  | { kind: 'recall'; id: string; recallCount: number; lastRecalledAt: string | null }

export type DocumentWrite = Extract<Write, { kind: 'put' | 'remove' }>

/** The result of a commit, ready to be written. If there are failures, nothing is written. */
export interface Decision {
  failures: { write: number; reason: WriteFailure }[]
  changed: number
  /** In order. */
  memories: MemoryWrite[]
  /** Once-keys, each with the memory that takes it. */
  once: Map<string, string>
  /** By {@link changeKey}. The commit's own entries overwrite existing ones. */
  history: Map<string, { change: Change; isOwn: boolean }>
  sessions: Map<string, Session>
  injections: Injection[]
  events: WorkflowEvent[]
  documents: DocumentWrite[]
  /** For commits that are remembered by their key. */
  note: string | null
}

/** Decides write by write, so that later writes see the effect of earlier ones. */
export function decide(commit: Commit, known: Known): Decision {
  const deciding = new Deciding(commit, known)
  for (const [write, each] of commit.writes.entries()) {
    const outcome = deciding.apply(each)
    if (typeof outcome === 'string') deciding.decision.failures.push({ write, reason: outcome })
    else if (outcome) deciding.decision.changed++
  }
  return deciding.decision
}

/** Joins several values into one key. */
export function keyOf(...parts: readonly (string | number)[]): string {
  return JSON.stringify(parts)
}

export function changeKey({ memory, version }: Pick<Change, 'memory' | 'version'>): string {
  return keyOf(memory, version)
}

/** A name for a document that is unique across collections. */
export function documentName(collection: Collection, key: string): string {
  return keyOf(collection, key)
}

/** Whether a write changes something, or why it fails. */
type Outcome = boolean | WriteFailure

class Deciding {
  readonly decision: Decision
  readonly #commit: Commit
  readonly #memories: Map<string, KnownMemory>
  readonly #sessions: Map<string, KnownSession>
  readonly #once: Set<string>
  readonly #changes: Set<string>
  readonly #injections: Set<string>
  readonly #events: Set<string>
  readonly #documents: Set<string>

  constructor(commit: Commit, known: Known) {
    this.#commit = commit
    this.#memories = new Map(known.memories)
    this.#sessions = new Map(known.sessions)
    this.#once = new Set(known.once)
    this.#changes = new Set(known.changes)
    this.#injections = new Set(known.injections)
    this.#events = new Set(known.events)
    this.#documents = new Set(known.documents)
    this.decision = {
      failures: [],
      changed: 0,
      memories: [],
      once: new Map(),
      history: new Map(),
      sessions: new Map(),
      injections: [],
      events: [],
      documents: [],
      note: commit.note ?? null,
    }
  }

  apply(write: Write): Outcome {
    switch (write.kind) {
      case 'insert':
        return this.#insert(write.row, write.once, write.imported === true)
      case 'update':
        return this.#update(write.row, write.once)
      case 'delete':
        return this.#delete(write.id, write.version)
      case 'embed':
        return this.#embed(write.id, write.version, write.embedding)
      case 'mark':
        return this.#mark(write.once, write.memory)
      case 'change':
        return this.#addOnce(this.#changes, changeKey(write.change), () =>
          this.decision.history.set(changeKey(write.change), { change: write.change, isOwn: false }),
        )
      case 'session':
        return this.#mergeSession(write.session)
      case 'injection':
        return this.#addOnce(this.#injections, write.injection.id, () => {
          this.decision.injections.push(write.injection)
          if (write.recall) this.#recall(write.injection)
        })
      case 'event':
        return this.#addOnce(this.#events, write.event.id, () => this.decision.events.push(write.event))
      case 'put':
        this.#documents.add(documentName(write.collection, documentKey(write.collection, write.document)))
        this.decision.documents.push(write)
        return true
      case 'remove': {
        const isThere = this.#documents.delete(documentName(write.collection, write.key))
        if (isThere) this.decision.documents.push(write)
        return isThere
      }
    }
  }

  #insert(row: NewRow, once: readonly string[] | undefined, imported: boolean): Outcome {
    const { memory } = row
    if (this.#memories.has(memory.id)) return 'exists'
    if (!this.#take(once, memory.id)) return 'once'
    this.#memories.set(memory.id, memory)
    this.decision.memories.push({ kind: 'insert', row, imported })
    if (!imported) this.#record('create', memory.id, memory.version, memory)
    return true
  }

  #update(row: ChangedRow, once: readonly string[] | undefined): Outcome {
    const stored = this.#memories.get(row.memory.id)
    if (!stored) return 'missing'
    if (stored.version !== row.memory.version - 1) return 'version'
    if (!this.#take(once, row.memory.id)) return 'once'
    const { recallCount, lastRecalledAt } = stored
    const memory = { ...row.memory, recallCount, lastRecalledAt }
    this.#memories.set(memory.id, memory)
    this.decision.memories.push({ kind: 'update', row: { ...row, memory } })
    this.#record('update', memory.id, memory.version, memory)
    return true
  }

  #delete(id: string, version: number | undefined): Outcome {
    const stored = this.#memories.get(id)
    if (!stored) return false
    if (version !== undefined && stored.version !== version) return 'version'
    this.#memories.delete(id)
    this.decision.memories.push({ kind: 'delete', id })
    this.#record('delete', id, stored.version + 1, null)
    return true
  }

  #embed(id: string, version: number, embedding: Embedding): Outcome {
    const stored = this.#memories.get(id)
    if (!stored) return 'missing'
    if (stored.version !== version) return 'version'
    this.decision.memories.push({ kind: 'embed', id, embedding })
    return true
  }

  #recall({ memory: id, at }: Injection): void {
    const stored = this.#memories.get(id)
    if (!stored) return
    const recallCount = stored.recallCount + 1
    const lastRecalledAt = stored.lastRecalledAt !== null && stored.lastRecalledAt > at ? stored.lastRecalledAt : at
    this.#memories.set(id, { version: stored.version, recallCount, lastRecalledAt })
    this.decision.memories.push({ kind: 'recall', id, recallCount, lastRecalledAt })
  }

  #mergeSession(said: Session): boolean {
    const known = this.#sessions.get(said.id)
    const merged = known ? mergeSessions(known, said) : said
    const names = Object.keys(merged) as (keyof Session)[]
    if (known && names.every((name) => merged[name] === known[name])) return false
    this.#sessions.set(said.id, merged)
    this.decision.sessions.set(said.id, merged)
    return true
  }

  /** False if one of the once-keys is taken. */
  #take(keys: readonly string[] | undefined, memory: string): boolean {
    if (keys?.some((key) => this.#once.has(key))) return false
    this.#mark(keys ?? [], memory)
    return true
  }

  #mark(keys: readonly string[], memory: string): boolean {
    const free = keys.filter((key) => this.#addOnce(this.#once, key, () => this.decision.once.set(key, memory)))
    return free.length > 0
  }

  #record(operation: Change['operation'], memory: string, version: number, after: Change['after']): void {
    const { at, by } = this.#commit
    const change: Change = { memory, version, operation, at, by, after }
    this.#changes.add(changeKey(change))
    this.decision.history.set(changeKey(change), { change, isOwn: true })
  }

  #addOnce(known: Set<string>, key: string, add: () => void): boolean {
    if (known.has(key)) return false
    known.add(key)
    add()
    return true
  }
}

/** The first value wins; the end of a session is set as a whole. */
function mergeSessions(known: KnownSession, said: Session): Session {
  const { endedAt, exitCode, outcome } = known.endedAt === null ? said : known
  return {
    id: known.id,
    agent: known.agent ?? said.agent,
    project: known.project ?? said.project,
    tier: known.tier ?? said.tier,
    role: known.role ?? said.role,
    startedAt: known.startedAt !== null && known.startedAt < said.startedAt ? known.startedAt : said.startedAt,
    endedAt,
    exitCode,
    outcome,
  }
}

/** What must be read to decide these writes. */
export function touchedBy(writes: readonly Write[]) {
  const touched = {
    memories: new Set<string>(),
    once: new Set<string>(),
    sessions: new Set<string>(),
    injections: new Set<string>(),
    events: new Set<string>(),
    changes: new Map<string, { memory: string; version: number }>(),
    documents: new Map<string, { collection: Collection; key: string }>(),
  }
  for (const write of writes) {
    if (write.kind === 'insert' || write.kind === 'update') touched.memories.add(write.row.memory.id)
    else if (write.kind === 'delete' || write.kind === 'embed') touched.memories.add(write.id)
    else if (write.kind === 'session') touched.sessions.add(write.session.id)
    else if (write.kind === 'event') touched.events.add(write.event.id)
    else if (write.kind === 'remove') touched.documents.set(documentName(write.collection, write.key), write)
    else if (write.kind === 'change') {
      const { memory, version } = write.change
      touched.changes.set(changeKey(write.change), { memory, version })
    } else if (write.kind === 'injection') {
      touched.injections.add(write.injection.id)
      if (write.recall) touched.memories.add(write.injection.memory)
    }
    if ('once' in write) for (const key of write.once ?? []) touched.once.add(key)
  }
  return touched
}

export type Touched = ReturnType<typeof touchedBy>

/** The once-keys of an imported change, so that capturing the session again changes nothing. */
export function marksOf(change: Change): Write[] {
  const once = keysTakenBy(change)
  return once.length === 0 ? [] : [{ kind: 'mark', memory: change.memory, once }]
}
