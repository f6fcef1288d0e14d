import { scopeOf } from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../../model/records.ts'
import type { ChangedRow, Commit, Embedding, NewRow, Write, WriteFailure } from '../commit.ts'
import { storedKey } from './keys.ts'
import { changeKey, type Held, type HeldSession, type State } from './load-state.ts'
import { scopeText } from './scopes.ts'

type WriteOf<Kind extends Write['kind']> = Extract<Write, { kind: Kind }>

/** A row of `memories` to be written. */
export interface RowToWrite {
  row: NewRow | ChangedRow
  scope: number
}

export interface Recall {
  memory: string
  count: number
  at: string | null
}

/** What a commit comes to, write by write in memory: everything that is left to do is to write it down. */
export class Decision {
  readonly failures: { write: number; reason: WriteFailure }[] = []
  changed = 0
  readonly inserts: RowToWrite[] = []
  readonly updates: RowToWrite[] = []
  readonly deletes: string[] = []
  readonly embeds: { id: string; hash: string }[] = []
  readonly embeddings = new Map<string, Float32Array>()
  readonly once = new Map<string, string>()
  /** Made by this commit: written over what is there. */
  readonly history = new Map<string, Change>()
  /** From elsewhere: left out where one is there. */
  readonly imported = new Map<string, Change>()
  readonly recalls = new Map<string, Recall>()
  readonly sessions = new Map<string, Session>()
  readonly injections: Injection[] = []
  readonly events: WorkflowEvent[] = []
  readonly documents: (WriteOf<'put'> | WriteOf<'remove'>)[] = []
  /** How much each counter moves, by its name and key. */
  readonly counts = new Map<string, number>()
  readonly #commit: Commit
  readonly #state: State
  readonly #model: number

  /** The state is changed along the way, so that a later write sees what an earlier one did. */
  constructor(commit: Commit, state: State, model: number) {
    this.#commit = commit
    this.#state = state
    this.#model = model
    for (const [write, each] of commit.writes.entries()) {
      const outcome = this.#apply(each)
      if (typeof outcome === 'string') this.failures.push({ write, reason: outcome })
      else if (outcome) this.changed++
    }
  }

  #apply(write: Write): boolean | WriteFailure {
    switch (write.kind) {
      case 'insert':
        return this.#insert(write)
      case 'update':
        return this.#update(write)
      case 'delete':
        return this.#delete(write)
      case 'embed':
        return this.#embed(write)
      case 'mark':
        return this.#mark(write.once, write.memory)
      case 'change':
        return this.#addOnce(this.#state.changes, changeKey(write.change), () =>
          this.imported.set(changeKey(write.change), write.change),
        )
      case 'session':
        return this.#mergeSession(write.session)
      case 'injection':
        return this.#addOnce(this.#state.injections, write.injection.id, () => {
          this.injections.push(write.injection)
          if (write.recall) this.#recall(write.injection)
        })
      case 'event':
        return this.#addOnce(this.#state.events, write.event.id, () => this.events.push(write.event))
      default:
        // Whether a document was there to remove is seen when it is removed.
        this.documents.push(write)
        return false
    }
  }

  #insert({ row, once, imported }: WriteOf<'insert'>): boolean | WriteFailure {
    const { memory, embedding } = row
    if (this.#state.memories.has(memory.id)) return 'exists'
    if (!this.#take(once, memory.id)) return 'once'
    const held = this.#holding(memory, this.#keep(embedding))
    this.#state.memories.set(memory.id, held)
    this.#count(held, 1)
    this.inserts.push({ row, scope: held.scope })
    if (!imported) this.#record('create', memory.id, memory.version, memory)
    return true
  }

  #update({ row, once }: WriteOf<'update'>): boolean | WriteFailure {
    const { memory, embedding } = row
    const stored = this.#state.memories.get(memory.id)
    if (!stored) return 'missing'
    if (stored.version !== memory.version - 1) return 'version'
    if (!this.#take(once, memory.id)) return 'once'
    const { recallCount, lastRecalledAt } = stored
    const after = { ...memory, recallCount, lastRecalledAt }
    const held = this.#holding(after, embedding === undefined ? stored.model : this.#keep(embedding))
    this.#count(stored, -1)
    this.#count(held, 1)
    this.#state.memories.set(memory.id, held)
    this.updates.push({ row, scope: held.scope })
    this.#record('update', memory.id, memory.version, after)
    return true
  }

  #delete({ id, version }: WriteOf<'delete'>): boolean | WriteFailure {
    const stored = this.#state.memories.get(id)
    if (!stored) return false
    if (version !== undefined && stored.version !== version) return 'version'
    this.#state.memories.delete(id)
    this.#count(stored, -1)
    this.deletes.push(id)
    this.#record('delete', id, stored.version + 1, null)
    return true
  }

  #embed({ id, version, embedding }: WriteOf<'embed'>): boolean | WriteFailure {
    const stored = this.#state.memories.get(id)
    if (!stored) return 'missing'
    if (stored.version !== version) return 'version'
    this.#count(stored, -1)
    stored.model = this.#keep(embedding)
    this.#count(stored, 1)
    this.embeds.push({ id, hash: embedding.hash })
    return true
  }

  #recall({ memory, at }: Injection): void {
    const stored = this.#state.memories.get(memory)
    if (!stored) return
    stored.recallCount++
    if (stored.lastRecalledAt === null || stored.lastRecalledAt < at) stored.lastRecalledAt = at
    this.recalls.set(memory, { memory, count: stored.recallCount, at: stored.lastRecalledAt })
  }

  #mergeSession(said: Session): boolean {
    const known = this.#state.sessions.get(said.id)!
    const { endedAt, exitCode, outcome } = known.endedAt === null ? said : known
    const merged: HeldSession & Session = {
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
    const names = Object.keys(merged) as (keyof Session)[]
    if (names.every((name) => merged[name] === known[name])) return false
    if (known.startedAt === null) this.#add('sessions', 0, 1)
    this.#state.sessions.set(said.id, merged)
    this.sessions.set(said.id, merged)
    return true
  }

  #holding(memory: Memory, model: number | null): Held {
    const { version, active, recallCount, lastRecalledAt } = memory
    const scope = this.#state.scopes.get(scopeText(scopeOf(memory.layer, memory.identifiers)))!
    return { version, scope, active, model, recallCount, lastRecalledAt }
  }

  #mark(keys: readonly string[], memory: string): boolean {
    const free = keys.filter((key) =>
      this.#addOnce(this.#state.once, storedKey(key), () => this.once.set(storedKey(key), memory)),
    )
    return free.length > 0
  }

  /** False when one of the once-keys is taken. */
  #take(keys: readonly string[] | undefined, memory: string): boolean {
    if (keys?.some((key) => this.#state.once.has(storedKey(key)))) return false
    this.#mark(keys ?? [], memory)
    return true
  }

  #keep(embedding: Embedding | null): number | null {
    if (embedding === null) return null
    this.embeddings.set(embedding.hash, embedding.vector)
    return this.#model
  }

  #record(operation: Change['operation'], memory: string, version: number, after: Memory | null): void {
    const { at, by } = this.#commit
    const change: Change = { memory, version, operation, at, by, after }
    this.#state.changes.add(changeKey(change))
    this.imported.delete(changeKey(change))
    this.history.set(changeKey(change), change)
  }

  #count({ scope, active, model }: Held, by: 1 | -1): void {
    this.#add('memories', scope, by)
    if (active) this.#add('active', scope, by)
    if (model !== null) this.#add('vectors', model, by)
  }

  #add(what: 'memories' | 'active' | 'vectors' | 'sessions', key: number, by: number): void {
    const name = `${what} ${key}`
    this.counts.set(name, (this.counts.get(name) ?? 0) + by)
  }

  #addOnce(known: Set<string>, key: string, add: () => void): boolean {
    if (known.has(key)) return false
    known.add(key)
    add()
    return true
  }
}
