import { isDeepStrictEqual } from 'node:util'
import { hashText } from '../embedding/cached-embedder.ts'
import { invalidInput, MemoryError } from '../model/errors.ts'
import { scopeOf } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import { parseInput } from '../model/parse.ts'
import type { Embedding, Write } from '../storage/commit.ts'
import { marksOf } from '../storage/decide.ts'
import { documentKey } from '../storage/documents.ts'
import type { Storage } from '../storage/storage.ts'
import { embeddedText } from '../text/embedded-text.ts'
import { FORMAT, READ_VERSIONS, recordSchema, type TransferRecord } from './record.ts'

export interface ImportReport {
  /** What was new, by kind. */
  added: Record<
    'memories' | 'changes' | 'sessions' | 'directory' | 'tokens' | 'personalities' | 'injections' | 'events',
    number
  >
  /** New memories that still need a vector of the store's model, which `reembed` makes. Until then only their words find them. */
  withoutVector: number
  /** New memories held for review, and those shown to agents as unverified. */
  held: number
  marked: number
  /** Memories that already existed and were left unchanged. */
  existing: number
  /** Those that differ from the file. */
  differing: { line: number; id: string }[]
  /** Unreadable lines, with reasons. The others are imported. */
  bad: { line: number; reason: string }[]
}

export interface ImportOptions {
  /** Trusts what the file says about trust. Only for an operator's own file: otherwise a file can lower trust, but not raise it. */
  keepTrust?: boolean
  onProgress?: (lines: number) => void
}

export interface ImportTarget {
  storage: Storage
  model: { name: string; dimensions: number }
  attempt<T>(work: () => Promise<T>): Promise<T>
  /** Redacts what the guard would refuse. */
  clean(record: TransferRecord): Promise<TransferRecord>
  /** Why a line is bad, without quoting secrets. */
  tell(reason: string, line: string): string
  /** What the store keeps besides the memory itself. */
  toRow(memory: Memory, embedding: Embedding | null): Extract<Write, { kind: 'insert' }>['row']
  /** Commits the writes in batches and returns how many changed something. */
  write(writes: readonly Write[]): Promise<number>
}

const BATCH = 500
const BAD_LINE: ReadonlySet<string> = new Set([
  'INVALID_INPUT',
  'INVALID_LAYER',
  'MISSING_IDENTIFIER',
  'CONTENT_TOO_LONG',
  'UNAUTHORIZED',
])
/** More problems than this are only counted. */
const MOST_REPORTED = 1000

type Kind = TransferRecord['type']
type Taken = { line: number; record: TransferRecord }

const KINDS: Record<Kind, keyof ImportReport['added']> = {
  directory: 'directory',
  token: 'tokens',
  session: 'sessions',
  memory: 'memories',
  change: 'changes',
  personality: 'personalities',
  injection: 'injections',
  event: 'events',
}

/**
 * Adds what the store does not have. It never overwrites, so running it again changes nothing, and repeating it
 * completes an interrupted import.
 */
export async function importLines(
  target: ImportTarget,
  lines: AsyncIterable<string>,
  { onProgress }: ImportOptions = {},
): Promise<ImportReport> {
  if (typeof lines?.[Symbol.asyncIterator] !== 'function') {
    throw invalidInput('lines', 'Invalid lines: must be a stream of lines.')
  }
  const report: ImportReport = {
    added: {
      memories: 0,
      changes: 0,
      sessions: 0,
      directory: 0,
      tokens: 0,
      personalities: 0,
      injections: 0,
      events: 0,
    },
    withoutVector: 0,
    held: 0,
    marked: 0,
    existing: 0,
    differing: [],
    bad: [],
  }
  let batch: Taken[] = []
  let number = 0
  const flush = async () => {
    // Memories before records that refer to them.
    for (const kind of Object.keys(KINDS) as Kind[]) {
      const own = batch.filter(({ record }) => record.type === kind)
      if (own.length > 0) report.added[KINDS[kind]] += await add(target, kind, own, report)
    }
    batch = []
    onProgress?.(number)
  }
  for await (const line of lines) {
    number++
    if (line.trim() === '') continue
    try {
      const value: unknown = parseJson(line)
      if (isHeader(value)) continue
      const record = await target.clean(parseInput(recordSchema, value, 'import'))
      checkMemory(target.storage, record)
      batch.push({ line: number, record })
    } catch (error) {
      // The line is bad; any other error is a fault of the store or of the whole file.
      if (!MemoryError.is(error) || !BAD_LINE.has(error.code)) throw error
      if (report.bad.length < MOST_REPORTED) report.bad.push({ line: number, reason: target.tell(error.message, line) })
    }
    if (batch.length >= BATCH) await flush()
  }
  await flush()
  return report
}

function checkMemory({ capabilities }: Storage, record: TransferRecord): void {
  if (record.type !== 'memory') return
  const { layer, identifiers, content } = record.memory
  scopeOf(layer, identifiers)
  if (content.length <= capabilities.maxContentLength) return
  const { maxContentLength: maxLength } = capabilities
  throw new MemoryError('CONTENT_TOO_LONG', `The content is longer than ${maxLength} characters.`, {
    details: { maxLength },
  })
}

async function add(target: ImportTarget, kind: Kind, taken: readonly Taken[], report: ImportReport): Promise<number> {
  switch (kind) {
    case 'memory':
      return target.write(await newMemories(target, taken, report))
    case 'session':
      return target.write(await newSessions(target, taken))
    case 'directory':
    case 'token':
    case 'personality':
      return target.write(await newDocuments(target, kind, taken))
    default:
      return countMain(target, taken)
  }
}

/** The store ignores it by itself if it already exists. */
function toWrites(record: TransferRecord): Write[] {
  switch (record.type) {
    case 'change':
      return [{ kind: 'change', change: record.change }, ...marksOf(record.change)]
    case 'injection':
      return [{ kind: 'injection', injection: record.injection, recall: false }]
    case 'event':
      return [{ kind: 'event', event: record.event }]
    default:
      throw new TypeError(`${record.type} is written another way`)
  }
}

/** Counts the records, not the markers that come with them. */
async function countMain(target: ImportTarget, taken: readonly Taken[]): Promise<number> {
  const writes = taken.flatMap(({ record }) => toWrites(record))
  const added = await target.write(writes.filter(({ kind }) => kind !== 'mark'))
  await target.write(writes.filter(({ kind }) => kind === 'mark'))
  return added
}

async function newMemories(
  { storage, attempt, toRow, model }: ImportTarget,
  taken: readonly Taken[],
  report: ImportReport,
): Promise<Write[]> {
  const own = taken.flatMap(({ line, record }) => (record.type === 'memory' ? [{ line, record }] : []))
  const stored = new Map(
    (await attempt(() => storage.get(own.map(({ record }) => record.memory.id)))).map(({ memory }) => [
      memory.id,
      memory,
    ]),
  )
  const writes: Write[] = []
  for (const { line, record } of own) {
    const { memory } = record
    const present = stored.get(memory.id)
    if (!present) {
      const embedding = decodeEmbedding(record, model)
      if (embedding === null) report.withoutVector++
      if (memory.trust === 'quarantined') report.held++
      if (memory.trust === 'flagged') report.marked++
      writes.push({ kind: 'insert', row: toRow(memory, embedding), imported: true })
      stored.set(memory.id, memory)
      continue
    }
    report.existing++
    if (
      !isDeepStrictEqual(present, { ...memory, trust: present.trust, metadata: asMarked(memory, present) }) &&
      report.differing.length < MOST_REPORTED
    ) {
      report.differing.push({ line, id: memory.id })
    }
  }
  return writes
}

/** Trust and pins are up to the store: a file cannot differ in them. */
function asMarked({ metadata: { flags: _, ...metadata } }: Memory, present: Memory): Memory['metadata'] {
  const { flags } = present.metadata
  return flags === undefined ? metadata : { ...metadata, flags }
}

async function newSessions({ storage, attempt }: ImportTarget, taken: readonly Taken[]): Promise<Write[]> {
  const sessions = taken.flatMap(({ record }) => (record.type === 'session' ? [record.session] : []))
  const any = sessions.map(({ id }) => ({ id }))
  const known = new Set(
    (await attempt(() => storage.sessions({ any, after: null, limit: any.length }))).items.map(({ id }) => id),
  )
  return sessions.filter(({ id }) => !known.has(id)).map((session) => ({ kind: 'session', session }))
}

async function newDocuments(
  { storage, attempt }: ImportTarget,
  kind: 'directory' | 'personality' | 'token',
  taken: readonly Taken[],
): Promise<Write[]> {
  const puts = taken.flatMap(({ record }): Extract<Write, { kind: 'put' }>[] => {
    if (record.type === 'directory') return [{ kind: 'put', collection: 'directory', document: record.entry }]
    if (record.type === 'token') return [{ kind: 'put', collection: 'token', document: record.token }]
    if (record.type === 'personality') return [{ kind: 'put', collection: 'personality', document: record.personality }]
    return []
  })
  const keyOf = ({ collection, document }: Extract<Write, { kind: 'put' }>) =>
    documentKey(collection, document as never)
  const found = await attempt(() => storage.documents(kind, puts.map(keyOf)))
  const known = new Set(found.map((document) => documentKey(kind, document)))
  return puts.filter((put) => !known.has(keyOf(put)))
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
  if (nokosu === FORMAT.nokosu && READ_VERSIONS.includes(version)) return true
  throw new MemoryError(
    'UNSUPPORTED',
    `The export has version ${String(version)}; this Nokosu reads up to ${FORMAT.version}. Upgrade Nokosu to import it.`,
    { retryable: false },
  )
}

/** A vector of another model or size, or without unit length, cannot be used: `nokosu reembed` makes a new one. */
function decodeEmbedding(
  { memory, embedding }: Extract<TransferRecord, { type: 'memory' }>,
  model: ImportTarget['model'],
): Embedding | null {
  if (!embedding || embedding.model !== model.name) return null
  const bytes = new Uint8Array(Buffer.from(embedding.vector, 'base64'))
  if (bytes.byteLength !== 4 * model.dimensions) return null
  const vector = new Float32Array(bytes.buffer)
  const length = vector.reduce((sum, value) => sum + value * value, 0)
  return Math.abs(length - 1) < 0.01 ? { hash: hashText(embeddedText(memory)), vector } : null
}
