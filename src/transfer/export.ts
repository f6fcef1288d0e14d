import type { ScopeSelector } from '../model/layer.ts'
import { itemsOf } from '../model/page.ts'
import { AUDIT, type Change, type Injection, type Session } from '../model/records.ts'
import type { MemoryPage } from '../storage/memory-query.ts'
import type { EventSelector, SessionSelector } from '../storage/record-query.ts'
import type { Storage } from '../storage/storage.ts'
import { FORMAT, type TransferRecord } from './record.ts'

export interface ExportOptions {
  /** Vectors make the file larger and the import faster. Default: true. */
  vectors?: boolean
  /** Include access tokens, with the hashes of their secrets, so that they work after a restore, and the audit log. Whole store only. Default: false. */
  tokens?: boolean
  onProgress?: (done: number, total: number) => void
}

/** What to export: the whole store, or what one reader may see. */
export interface Selection {
  /** null: the whole store. */
  scopes: readonly ScopeSelector[] | null
  sessions: readonly SessionSelector[] | null
  events: readonly EventSelector[] | null
  agent: string | null
}

export interface ExportSource {
  storage: Storage
  model: string
  now: Date
  attempt<T>(work: () => Promise<T>): Promise<T>
}

const PART = 500

/** The selection as lines of JSON, a part at a time, without line breaks. */
export async function* exportLines(
  source: ExportSource,
  selection: Selection,
  { vectors = true, tokens = false, onProgress }: ExportOptions = {},
): AsyncGenerator<string> {
  const total = selection.scopes === null ? await countAll(source) : null
  yield JSON.stringify({
    ...FORMAT,
    exportedAt: source.now.toISOString(),
    ...(total === null ? {} : { memories: total }),
  })
  let done = 0
  for await (const record of records(source, selection, { vectors, tokens })) {
    if (record.type === 'memory') onProgress?.(++done, Math.max(done, total ?? 0))
    yield JSON.stringify(record)
  }
}

async function* records(
  { storage, model, attempt }: ExportSource,
  { scopes, sessions, events, agent }: Selection,
  { vectors, tokens }: { vectors: boolean; tokens: boolean },
): AsyncGenerator<TransferRecord> {
  const whole = scopes === null
  if (whole) {
    for (const entry of await attempt(() => storage.documents('directory'))) yield { type: 'directory', entry }
  }
  if (tokens) for (const token of await attempt(() => storage.documents('token'))) yield { type: 'token', token }
  const agents = whole ? undefined : agent === null ? [] : [agent]
  for (const personality of await attempt(() => storage.documents('personality', agents))) {
    yield { type: 'personality', personality }
  }
  const sessionIds: string[] = []
  if (sessions === null || sessions.length > 0) {
    const read = (after: string | null) => attempt(() => storage.sessions({ any: sessions, after, limit: PART }))
    for await (const session of itemsOf<Session>(read)) {
      if (!whole) sessionIds.push(session.id)
      yield { type: 'session', session }
    }
  }
  const exported = new Set<string>()
  for await (const { memory, vector } of eachMemory({ storage, attempt }, scopes, vectors)) {
    if (!whole) exported.add(memory.id)
    const embedding = vector && { model, vector: encodeVector(vector) }
    yield { type: 'memory', memory, ...(embedding ? { embedding } : {}) }
  }
  for (const memory of whole ? [null] : exported) {
    const read = (after: string | null) => attempt(() => storage.changes({ memory, after, limit: PART }))
    for await (const change of itemsOf<Change>(read)) yield { type: 'change', change }
  }
  for (const session of whole ? [null] : sessionIds) {
    const read = (after: string | null) =>
      attempt(() => storage.injections({ session, memory: null, after, limit: PART }))
    for await (const injection of itemsOf<Injection>(read)) {
      if (whole || exported.has(injection.memory)) yield { type: 'injection', injection }
    }
  }
  if (events === null || events.length > 0) {
    const read = (after: string | null) => attempt(() => storage.events({ any: events, after, limit: PART }))
    for await (const event of itemsOf(read)) {
      // The audit log is for a complete backup, whoever claims its project.
      if (event.type !== AUDIT.type || tokens) yield { type: 'event', event }
    }
  }
}

function eachMemory(
  { storage, attempt }: Pick<ExportSource, 'storage' | 'attempt'>,
  scopes: Selection['scopes'],
  vectors: boolean,
) {
  return itemsOf<MemoryPage['items'][number]>((after) =>
    attempt(() => storage.memories({ scopes, where: {}, order: 'oldest', limit: PART, after, count: false, vectors })),
  )
}

/** Counts only what the reader sees: the store's own figures include held memories. */
async function countAll({ storage, attempt }: ExportSource): Promise<number | null> {
  const first = { where: {}, order: 'oldest', limit: 1, after: null, count: true, vectors: false } as const
  return (await attempt(() => storage.memories({ ...first, scopes: null }))).totalCount
}

function encodeVector(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}
