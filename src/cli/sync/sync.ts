import { posix } from 'node:path'
import type { OwnMemories } from '../../engine/nokosu.ts'
import { MemoryError } from '../../model/errors.ts'
import { LIMITS } from '../../model/limits.ts'
import type { Memory } from '../../model/memory.ts'
import { everyPage } from '../../model/page.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { fileName, fingerprint, toDocument, writeDocument } from '../../transfer/memory-document.ts'
import { type Action, type Preference, planSync, type Synced } from '../../transfer/plan-sync.ts'
import type { BadFile, DocumentFile, SyncFolder } from './folder.ts'

export interface SyncOptions {
  folder: SyncFolder
  /** Can see held memories, which do not count as deleted. */
  operator: Pick<OwnMemories, 'get'>
  project: string
  prefer: Preference | null
  dryRun: boolean
  /** Called before much is deleted on one side; throws to stop. */
  agree(deleted: number, side: 'store' | 'files'): Promise<void>
}

/** What was done, or would be. */
export interface SyncReport {
  actions: {
    action: Exclude<Action['kind'], 'same' | 'conflict'>
    file: string
    memory: string | null
    kept?: string
    /** What the guard made of it: held for review, or shown as unverified. */
    guard?: 'held' | 'marked'
  }[]
  /** Both sides, unchanged. Null: deleted there. */
  conflicts: { file: string; memory: string; inFile: string | null; inStore: string | null }[]
  /** Files that could not be read, with reasons. */
  bad: BadFile[]
  unchanged: number
}

type Done = SyncReport['actions'][number]

/** Deleting more than this many, and more than half, needs confirmation: a branch without the files looks the same. */
const FEW = 3

/** Synchronizes a project's memories with a folder, in both directions. */
export async function sync(engine: OwnMemories, options: SyncOptions): Promise<SyncReport> {
  const run = new SyncRun(engine, options)
  return run.run()
}

class SyncRun {
  readonly #engine: OwnMemories
  readonly #options: SyncOptions
  readonly #synced: Map<string, Synced>
  /** For each synced memory, the id in its file. */
  readonly #ids: Map<string, string>
  /** Memories whose change is already in the report. */
  readonly #told = new Set<string | null>()
  readonly #files: DocumentFile[]
  readonly #report: SyncReport
  #memories = new Map<string, Memory>()
  /** Not compared, by the id in the file: it is held for review, or its file is invalid. */
  #left = new Set<string>()

  constructor(engine: OwnMemories, options: SyncOptions) {
    this.#engine = engine
    this.#options = options
    this.#synced = options.folder.readState(options.project)
    this.#ids = new Map([...this.#synced].map(([id, { memory }]) => [memory, id]))
    const { files, bad } = options.folder.read(this.#synced)
    this.#files = files
    this.#report = { actions: [], conflicts: [], bad, unchanged: 0 }
  }

  async run(): Promise<SyncReport> {
    const { dryRun, folder, project } = this.#options
    await this.#load()
    const planned = this.#plan()
    this.#tellConflicts(planned)
    if (dryRun) return this.#tellPlan(planned)
    await this.#ask(planned)
    for (const action of planned) await this.#toStore(action)
    // Added memories may have corrected others, and the guard may have changed words.
    await this.#load()
    for (const action of this.#plan()) this.#toFiles(action)
    const paths = new Set([...this.#files.map(({ path }) => path), ...this.#report.bad.map(({ file }) => file)])
    for (const [id, { file, memory }] of this.#synced) {
      if (!paths.has(file) && !this.#memories.has(memory)) this.#synced.delete(id)
    }
    folder.writeState(project, this.#synced)
    return this.#report
  }

  async #load(): Promise<void> {
    this.#memories = new Map()
    const request = { layers: ['project' as const], sort: 'oldest' as const, limit: LIMITS.listLimit }
    for await (const { memories } of everyPage((from) => this.#engine.list({ ...request, ...from })))
      for (const memory of memories) this.#memories.set(memory.id, memory)
    const bad = new Set(this.#report.bad.map(({ file }) => file))
    this.#left = new Set([...this.#synced].flatMap(([id, { file }]) => (bad.has(file) ? id : [])))
    for (const [id, { memory }] of this.#synced) {
      if (this.#memories.has(memory)) continue
      const hidden = await this.#options.operator.get(memory)
      if (hidden?.trust !== 'quarantined') continue
      this.#left.add(id)
      // Its file received an id: it is written when the memory is accepted.
      const file = this.#files.find((each) => each.id === null && each.path === this.#synced.get(id)!.file)
      if (file !== undefined) file.id = id
    }
  }

  #plan(): Action[] {
    const memories = [...this.#memories.values()].map((memory) => ({ id: memory.id, document: toDocument(memory) }))
    const sides = { files: this.#files, memories, synced: this.#synced }
    const bad = new Set(this.#report.bad.map(({ file }) => file))
    return planSync(sides, this.#options.prefer).filter(
      ({ id, file }) => !(id !== null && this.#left.has(id)) && !(file !== null && bad.has(file.path)),
    )
  }

  #idOf(memory: Pick<Memory, 'id'>): string {
    return this.#ids.get(memory.id) ?? memory.id
  }

  #remember(id: string, synced: Synced): void {
    this.#synced.set(id, synced)
    this.#ids.set(synced.memory, id)
  }

  #pathOf({ id, file, memory }: Action): string {
    const known = file?.path ?? (id === null ? undefined : this.#synced.get(id)?.file)
    return known ?? fileName(memory!.document.content, memory!.id)
  }

  #tellConflicts(planned: readonly Action[]): void {
    for (const action of planned) {
      if (action.kind === 'same') this.#report.unchanged++
      if (action.kind !== 'conflict') continue
      const [inFile, inStore] = [action.file, action.memory].map((side) => side?.document.content ?? null)
      const memory = action.memory?.id ?? this.#synced.get(action.id!)?.memory ?? action.id!
      this.#report.conflicts.push({ file: this.#pathOf(action), memory, inFile: inFile!, inStore: inStore! })
    }
  }

  #tellPlan(planned: readonly Action[]): SyncReport {
    for (const action of planned) if (action.kind !== 'same' && action.kind !== 'conflict') this.#did(action)
    return this.#report
  }

  #did(
    action: Action,
    memory = action.memory?.id ?? null,
    more: { kept?: string | undefined; guard?: Done['guard'] | undefined } = {},
  ): void {
    this.#told.add(memory)
    const kind = action.kind as Done['action']
    this.#report.actions.push({ action: kind, file: this.#pathOf(action), memory, ...withoutUndefined(more) })
  }

  async #ask(planned: readonly Action[]): Promise<void> {
    for (const [kind, side] of [
      ['delete', 'store'],
      ['remove', 'files'],
    ] as const) {
      const count = planned.filter((action) => action.kind === kind).length
      if (count > FEW && count > this.#synced.size / 2) await this.#options.agree(count, side)
    }
  }

  async #toStore(action: Action): Promise<void> {
    const { kind, id, file, memory } = action
    if (kind !== 'add' && kind !== 'update' && kind !== 'delete') return
    try {
      if (kind === 'delete') {
        await this.#engine.delete(memory!.id, { version: this.#versionOf(memory!.id) })
        this.#synced.delete(id!)
        this.#did(action)
        return
      }
      const stored = kind === 'update' ? await this.#update(action) : await this.#add(file as DocumentFile)
      this.#did(action, stored.id, { guard: GUARD[stored.trust] })
      const key = id ?? stored.id
      ;(file as DocumentFile).id = key
      this.#remember(key, { memory: stored.id, file: file!.path, fingerprint: fingerprint(file!.document) })
      // A held memory is not listed: its secrets leave the file now.
      if (stored.trust === 'quarantined') this.#redact(key, stored, file as DocumentFile)
    } catch (error) {
      if (!MemoryError.is(error) || error.retryable) throw error
      this.#report.bad.push({ file: this.#pathOf(action), problem: error.message })
    }
  }

  #redact(key: string, { id, content }: Memory, file: DocumentFile): void {
    if (content === file.document.content) return
    const document = { ...file.document, content }
    this.#options.folder.write(file.path, writeDocument(document, { ...file, id: key, links: [] }))
    this.#remember(key, { memory: id, file: file.path, fingerprint: fingerprint(document) })
  }

  async #update({ file, memory }: Action): Promise<Memory> {
    const { pinned, ...fields } = file!.document
    const before = this.#memories.get(memory!.id)!
    const patch = before.pinned === pinned ? fields : { ...fields, pinned }
    return (await this.#engine.update(memory!.id, { ...patch, version: before.version })).memory
  }

  /** A correction still corrects, but a paraphrase becomes a memory of its own, because it has its own file. */
  async #add({ document }: DocumentFile): Promise<Memory> {
    const { pinned, ...fields } = document
    const said = { ...fields, source: 'manual' as const, tier: 0 as const }
    const [outcome] = await this.#engine.remember(said, { layer: 'project', source: 'manual', tier: 0, dryRun: true })
    const isKnown = outcome!.kind === 'reinforce' || outcome!.kind === 'duplicate'
    const known = isKnown && 'memory' in outcome! ? outcome.memory : null
    const hasFile = known !== null && this.#files.some(({ id }) => id === this.#idOf(known))
    // From an interrupted sync, or another person's file of the same memory.
    if (known?.content === document.content && known.layer === 'project' && !hasFile) return known
    const { memory } = await this.#engine.add({ ...said, layer: 'project' }, { exact: isKnown })
    return pinned ? (await this.#engine.update(memory.id, { pinned: true })).memory : memory
  }

  #versionOf(id: string): number {
    return this.#memories.get(id)!.version
  }

  #toFiles(action: Action): void {
    const { kind, id, file, memory, decided } = action
    const { folder } = this.#options
    if (kind === 'remove') {
      const kept = decided ? folder.keep(file!.path) : undefined
      if (!folder.remove(file!.path)) return
      this.#did(action, this.#synced.get(id!)?.memory ?? null, { kept })
      this.#synced.delete(id!)
      this.#files.splice(
        this.#files.findIndex(({ path }) => path === file!.path),
        1,
      )
    }
    if ((kind !== 'write' && kind !== 'same') || memory === null) return
    const path = this.#pathOf(action)
    const text = this.#textOf(id!, memory.id, path, file as DocumentFile | null)
    const kept = kind === 'write' && decided ? folder.keep(path) : undefined
    const wrote = folder.write(path, text)
    if (wrote === 'changed') {
      this.#report.bad.push({ file: path, problem: 'it changed during the sync; run the sync again' })
      return
    }
    const isNews = kind === 'write' && !this.#told.has(memory.id)
    if (wrote === 'written' && isNews) this.#did(action, memory.id, { kept })
    this.#remember(id!, { memory: memory.id, file: path, fingerprint: fingerprint(memory.document) })
  }

  #textOf(id: string, memoryId: string, path: string, file: DocumentFile | null): string {
    const memory = this.#memories.get(memoryId)!
    const links = memory.links.flatMap((link) => {
      const other = this.#memories.get(link.memory)
      if (other === undefined) return []
      const target = this.#synced.get(this.#idOf(other))?.file ?? fileName(other.content, other.id)
      const label = other.content
        .slice(0, 60)
        .replace(/[[\]\\]/g, ' ')
        .trim()
      return `${LINK_WORDS[link.relation]} [${label}](${posix.relative(posix.dirname(path), target)})`
    })
    const created = file?.created ?? memory.createdAt
    return writeDocument(toDocument(memory), { id, created, links: links.sort(), extra: file?.extra ?? {} })
  }
}

const GUARD: Partial<Record<Memory['trust'], 'held' | 'marked'>> = { quarantined: 'held', flagged: 'marked' }

const LINK_WORDS = {
  contradicts: 'contradicts',
  contradictedBy: 'contradicted by',
  confirms: 'confirms',
  confirmedBy: 'confirmed by',
} as const
