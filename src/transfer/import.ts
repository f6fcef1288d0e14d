import { isDeepStrictEqual } from 'node:util'
import { hashText } from '../embedding/cached-embedder.ts'
import type { Nokosu } from '../engine/open-memory.ts'
import { MemoryError } from '../model/errors.ts'
import { scopeOf } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import { parseInput } from '../model/parse.ts'
import type { Change } from '../model/records.ts'
import type { Embedding, Injection, WorkflowRecord, Write } from '../storage/storage.ts'
import { FORMAT, recordSchema, type TransferRecord } from './record.ts'

export interface ImportReport {
  /** What was new, by kind. */
  added: Record<'memories' | 'changes' | 'sessions' | 'directory' | 'personalities' | 'injections' | 'events', number>
  /** Memories that were there already, and are left as they are. */
  existing: number
  /** Those of them that differ from the file. */
  differing: { line: number; id: string }[]
  /** Lines that could not be read, and why. The others are imported. */
  bad: { line: number; reason: string }[]
}

export interface ImportOptions {
  onProgress?: (lines: number) => void
  signal?: AbortSignal
}

const BATCH = 500
const BAD_LINE: ReadonlySet<string> = new Set([
  'INVALID_INPUT',
  'INVALID_LAYER',
  'MISSING_IDENTIFIER',
  'CONTENT_TOO_LONG',
])
/** A list of complaints that nobody reads to its end. */
const MOST_REPORTED = 1000

/**
 * Adds what the store does not have. It never overwrites, so running it again changes nothing, and a run that was interrupted is
 * finished by the next one.
 */
export async function importStore(
  engine: Nokosu,
  lines: AsyncIterable<string>,
  { onProgress, signal }: ImportOptions = {},
): Promise<ImportReport> {
  const { storage } = engine
  const schema = recordSchema(engine.capabilities.maxContentLength)
  const report: ImportReport = {
    added: { memories: 0, changes: 0, sessions: 0, directory: 0, personalities: 0, injections: 0, events: 0 },
    existing: 0,
    differing: [],
    bad: [],
  }
  let memories: { line: number; memory: Memory; embedding: Embedding | null }[] = []
  let changes: Change<Memory>[] = []
  let injections: Injection[] = []
  let events: WorkflowRecord[] = []
  let number = 0

  async function flush(): Promise<void> {
    await flushMemories(engine, memories, report)
    memories = []
    if (changes.length > 0) report.added.changes += await storage.putChanges(changes)
    changes = []
    if (injections.length > 0) report.added.injections += await storage.putInjections(injections)
    injections = []
    if (events.length > 0) report.added.events += await storage.putEvents(events)
    events = []
    onProgress?.(number)
  }

  async function take(record: TransferRecord): Promise<void> {
    if (record.type === 'memory') {
      scopeOf(record.memory.layer, record.memory.identifiers)
      memories.push({ line: number, memory: record.memory, embedding: decodeEmbedding(record, engine) })
    } else if (record.type === 'change') changes.push(record.change)
    else if (record.type === 'injection') injections.push(record.injection)
    else if (record.type === 'event') events.push(record.event)
    else if (record.type === 'personality') {
      if (await storage.getPersonality(record.personality.agentName)) return
      await storage.putPersonality(record.personality)
      report.added.personalities++
    } else if (record.type === 'session') {
      if (await storage.getSession(record.session.id)) return
      await storage.putSession(record.session)
      report.added.sessions++
    } else {
      if (await storage.getDirectoryEntry(record.entry.layer, record.entry.id)) return
      await storage.putDirectoryEntry(record.entry)
      report.added.directory++
    }
  }

  for await (const line of lines) {
    signal?.throwIfAborted()
    number++
    if (line.trim() === '') continue
    try {
      const value: unknown = parseJson(line)
      if (isHeader(value)) continue
      await take(parseInput(schema, value, 'import'))
    } catch (error) {
      // The line is bad; anything else is a fault of the store or of the whole file.
      if (!MemoryError.is(error) || !BAD_LINE.has(error.code)) throw error
      if (report.bad.length < MOST_REPORTED) report.bad.push({ line: number, reason: error.message })
    }
    if ([memories, changes, injections, events].some((batch) => batch.length >= BATCH)) await flush()
  }
  await flush()
  return report
}

async function flushMemories(
  { storage }: Nokosu,
  batch: readonly { line: number; memory: Memory; embedding: Embedding | null }[],
  report: ImportReport,
): Promise<void> {
  if (batch.length === 0) return
  const stored = new Map((await storage.get(batch.map(({ memory }) => memory.id))).map((memory) => [memory.id, memory]))
  const writes: Write[] = []
  for (const { line, memory, embedding } of batch) {
    const present = stored.get(memory.id)
    if (!present) {
      writes.push({ kind: 'insert', memory, embedding, imported: true })
      stored.set(memory.id, memory)
      continue
    }
    report.existing++
    if (!isDeepStrictEqual(present, memory) && report.differing.length < MOST_REPORTED) {
      report.differing.push({ line, id: memory.id })
    }
  }
  if (writes.length > 0) await storage.commit(writes, 'import')
  report.added.memories += writes.length
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new MemoryError('INVALID_INPUT', 'Not JSON: the line is damaged or cut off.', { cause: error })
  }
}

function isHeader(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('nokosu' in value)) return false
  const { nokosu, version } = value as { nokosu: unknown; version: unknown }
  if (nokosu === FORMAT.nokosu && version === FORMAT.version) return true
  throw new MemoryError(
    'UNSUPPORTED',
    `The export has version ${String(version)}; this Nokosu reads ${FORMAT.version}. Upgrade Nokosu to import it.`,
    {
      retryable: false,
    },
  )
}

/** A vector of another model or size is of no use here: the memory is embedded anew by `nokosu reembed`. */
function decodeEmbedding(
  { memory, embedding }: Extract<TransferRecord, { type: 'memory' }>,
  { embedding: provider }: Nokosu,
): Embedding | null {
  if (!embedding || embedding.model !== provider.name) return null
  const bytes = new Uint8Array(Buffer.from(embedding.vector, 'base64'))
  if (bytes.byteLength !== 4 * provider.dimensions) return null
  const vector = new Float32Array(bytes.buffer)
  return vector.every(Number.isFinite) ? { model: embedding.model, hash: hashText(memory.content), vector } : null
}
