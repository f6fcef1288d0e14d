import type { Memory } from '../../model/memory.ts'
import type { Change, Session } from '../../model/records.ts'
import type { ChangedRow, Commit, CommitResult, Embedding, NewRow, Write, WriteFailure } from '../commit.ts'
import { documentKey } from '../documents.ts'
import { keyOf, type ReferenceData, type Row } from './data.ts'

/** Applies all writes, or none when one of them fails. Nothing here waits, so no other commit comes in between. */
export function applyCommit(data: ReferenceData, commit: Commit, model: string): CommitResult {
  const before = data.commits.get(commit.key)
  if (before !== undefined) return { applied: true, repeated: true, ...before }
  const applying = new Applying(data, commit, model)
  const outcomes = commit.writes.map((write) => applying.write(structuredClone(write)))
  const failures = outcomes.flatMap((reason, write) => (typeof reason === 'string' ? [{ write, reason }] : []))
  if (failures.length > 0) {
    applying.undo()
    return { applied: false, failures }
  }
  const answer = { changed: outcomes.filter((outcome) => outcome === true).length, note: commit.note ?? null }
  data.commits.set(commit.key, answer)
  return { applied: true, repeated: false, ...answer }
}

/** Whether a write changed something, or why it could not be applied. */
type WriteOutcome = boolean | WriteFailure

/** One commit on its way. It remembers how to take back what it did. */
class Applying {
  private readonly undoing: (() => void)[] = []
  private readonly data: ReferenceData
  private readonly commit: Commit
  private readonly model: string

  constructor(data: ReferenceData, commit: Commit, model: string) {
    this.data = data
    this.commit = commit
    this.model = model
  }

  undo(): void {
    for (const step of this.undoing.reverse()) step()
  }

  write(write: Write): WriteOutcome {
    const { data } = this
    switch (write.kind) {
      case 'insert':
        return this.insert(write.row, write.once, write.imported === true)
      case 'update':
        return this.update(write.row, write.once)
      case 'delete':
        return this.remove(write.id, write.version)
      case 'embed':
        return this.embed(write.id, write.version, write.embedding)
      case 'mark':
        return write.once.filter((key) => this.addOnce(data.once, key, write.memory)).length > 0
      case 'change':
        return this.addOnce(data.changes, changeKey(write.change), write.change)
      case 'session':
        return this.mergeSession(write.session)
      case 'injection': {
        const { injection, recall } = write
        const added = this.addOnce(data.injections, injection.id, injection)
        if (added && recall) this.recall(injection.memory, injection.at)
        return added
      }
      case 'event':
        return this.addOnce(data.events, write.event.id, write.event)
      case 'put': {
        const { collection, document } = write
        const key = documentKey(collection, document)
        this.set(data.documents, keyOf(collection, key), { collection, key, document })
        return true
      }
      case 'remove': {
        const key = keyOf(write.collection, write.key)
        return data.documents.has(key) && this.set(data.documents, key, undefined)
      }
    }
  }

  private insert(row: NewRow, once: readonly string[] | undefined, imported: boolean): WriteOutcome {
    const { memory, visibleUntil, tokens, embedding } = row
    if (this.data.memories.has(memory.id)) return 'exists'
    if (!this.take(once, memory.id)) return 'once'
    this.set(this.data.memories, memory.id, { memory, visibleUntil, tokens, embedding: this.keep(embedding) })
    if (!imported) this.record('create', memory.id, memory.version, memory)
    return true
  }

  private update(row: ChangedRow, once: readonly string[] | undefined): WriteOutcome {
    const { visibleUntil, tokens } = row
    const { id, version } = row.memory
    const stored = this.data.memories.get(id)
    if (!stored) return 'missing'
    if (stored.memory.version !== version - 1) return 'version'
    if (!this.take(once, id)) return 'once'
    const { recallCount, lastRecalledAt } = stored.memory
    const memory = { ...row.memory, recallCount, lastRecalledAt }
    const embedding = row.embedding === undefined ? stored.embedding : this.keep(row.embedding)
    this.set(this.data.memories, id, { memory, visibleUntil, tokens, embedding })
    this.record('update', id, version, memory)
    return true
  }

  private remove(id: string, version: number | undefined): WriteOutcome {
    const stored = this.data.memories.get(id)
    if (!stored) return false
    if (version !== undefined && stored.memory.version !== version) return 'version'
    this.set(this.data.memories, id, undefined)
    this.record('delete', id, stored.memory.version + 1, null)
    return true
  }

  private embed(id: string, version: number, embedding: Embedding): WriteOutcome {
    const stored = this.data.memories.get(id)
    if (!stored) return 'missing'
    if (stored.memory.version !== version) return 'version'
    return this.set(this.data.memories, id, { ...stored, embedding: this.keep(embedding) })
  }

  private recall(id: string, at: string): void {
    const stored = this.data.memories.get(id)
    if (!stored) return
    const recallCount = stored.memory.recallCount + 1
    const before = stored.memory.lastRecalledAt
    const lastRecalledAt = before !== null && before > at ? before : at
    this.set(this.data.memories, id, { ...stored, memory: { ...stored.memory, recallCount, lastRecalledAt } })
  }

  private mergeSession(said: Session): boolean {
    const known = this.data.sessions.get(said.id)
    if (!known) return this.set(this.data.sessions, said.id, said)
    const { endedAt, exitCode, outcome } = known.endedAt === null ? said : known
    const merged: Session = {
      id: known.id,
      agent: known.agent ?? said.agent,
      project: known.project ?? said.project,
      tier: known.tier ?? said.tier,
      role: known.role ?? said.role,
      startedAt: [known.startedAt, said.startedAt].sort()[0]!,
      endedAt,
      exitCode,
      outcome,
    }
    const same = JSON.stringify(merged) === JSON.stringify({ ...merged, ...known })
    return !same && this.set(this.data.sessions, said.id, merged)
  }

  /** False when somebody has one of the once-keys. */
  private take(once: readonly string[] | undefined, memory: string): boolean {
    if (once?.some((key) => this.data.once.has(key))) return false
    for (const key of once ?? []) this.addOnce(this.data.once, key, memory)
    return true
  }

  private keep(embedding: Embedding | null): Row['embedding'] {
    if (embedding === null) return null
    const { hash, vector } = embedding
    this.addOnce(this.data.vectors, keyOf(this.model, hash), vector)
    return { model: this.model, hash }
  }

  private record(operation: Change['operation'], memory: string, version: number, after: Memory | null): void {
    const { at, by } = this.commit
    const change: Change = { memory, version, operation, at, by, after }
    this.set(this.data.changes, changeKey(change), change)
  }

  private addOnce<Value>(map: Map<string, Value>, key: string, value: Value): boolean {
    return !map.has(key) && this.set(map, key, value)
  }

  /** Changes one entry (`undefined` takes it out), and remembers what it was. */
  private set<Value>(map: Map<string, Value>, key: string, value: Value | undefined): true {
    const before = map.get(key)
    this.undoing.push(() => put(map, key, before))
    put(map, key, value)
    return true
  }
}

function put<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}

function changeKey({ memory, version }: Change): string {
  return keyOf(memory, version)
}
