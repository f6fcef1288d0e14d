import { createHash } from 'node:crypto'
import { visibleUntil } from '../../lifecycle/decay.ts'
import { laterFields, type Memory, memorySchema } from '../../model/memory.ts'
import { jsonOr } from '../../text/json.ts'
import { memoryTokens } from '../../text/tokens.ts'
import type { Row } from '../reference/data.ts'
import type { VectorModel } from '../storage.ts'
import { bytesOf, type Item, numberOf, type PlainItem, textOf, toItem } from './attributes.ts'
import { type Place, partitionOf, placeOf } from './place.ts'
import { plainContent, readPlainItem } from './plain-item.ts'
import { readTime } from './read-time.ts'
import { countedOf } from './scope-key.ts'
import { isSound } from './sound-memory.ts'

export interface StoredRow {
  row: Row
  /** 16-bit floats, as stored. */
  vector: Uint8Array | null
  place: Place
  /** Incremented by every write of the item; null if the item is not in our format, or has the words of another program. */
  revision: number | null
  /** If `revision` is null: the values that must be unchanged when we write it. */
  theirs?: Partial<Pick<Item, 'revision' | 'content'>>
  /** As the figures count it, if another program has put its words into an item of ours. */
  counted?: Row
  /** Other programs' attributes of the item, which are preserved. */
  besides?: Item
}

/**
 * A memory as an item. The published attributes are plain; the rest is JSON, because DynamoDB numbers differ from
 * JSON's. `place.createdAt` may be a time within the memory's millisecond (see `TakenPlaces`), or the time as another
 * program wrote it.
 */
export function toMemoryItem({ row, vector, place, revision }: StoredRow): PlainItem {
  const { memory, visibleUntil, tokens, embedding } = row
  const { id, content, source, createdAt: _, version, identifiers, pinned, useCount, lastUsedAt, ...rest } = memory
  const { agentId, projectId } = identifiers
  return {
    ...place,
    id,
    content,
    source,
    version,
    layer: memory.layer,
    ...(agentId === undefined ? {} : { agentName: agentId }),
    ...(projectId === undefined ? {} : { projectId }),
    record: JSON.stringify({ ...rest, identifiers }),
    // The previous release refuses a record with fields that it does not know, and keeps other attributes.
    ...(pinned || useCount > 0 || lastUsedAt !== null
      ? { later: JSON.stringify({ pinned, useCount, lastUsedAt }) }
      : {}),
    visibleUntil,
    tokens: JSON.stringify(tokens),
    revision: revision ?? 1,
    contentHash: contentHash(content, revision ?? 1),
    ...(embedding && vector ? { textKey: textKey(embedding), vector } : {}),
    ...(memory.expiresAt === null ? {} : { ttl: Math.ceil(Date.parse(memory.expiresAt) / 1000) }),
  }
}

/** Tells the words of another program from ours. The previous release keeps the attribute, but raises the revision. */
export function contentHash(content: string, revision: number): string {
  return `${revision} ${createHash('sha256').update(content).digest('base64url').slice(0, 22)}`
}

export function textKey({ model, hash }: { model: string; hash: string }): string {
  return `${model}#${hash}`
}

/** The memory as the figures count it; null for an item of another program. */
export function countedRow({ row, revision, counted }: StoredRow): Row | null {
  return revision === null ? (counted ?? null) : row
}

/** The memories among these items. Two may have one id: see `distinctRows`. */
export function readItems(items: readonly Item[], model: VectorModel | null): StoredRow[] {
  return items.flatMap((item) => fromMemoryItem(item, model) ?? [])
}

/** null if the item cannot be read as a memory. Vectors of `model` have its length. */
export function fromMemoryItem(item: Item, model: VectorModel | null): StoredRow | null {
  const place = placeOf(item)
  const besides = besidesOf(item)
  const own = readOwnItem(item, place, model)
  const isTheirs = own !== null && hasTheirWords(item, own)
  if (own && !isTheirs) return { ...own, ...besides }
  const row = own ? rewritten(own) : readPlainItem(item, place)
  if (!row) return null
  const theirs = { ...(item.revision && { revision: item.revision }), ...(item.content && { content: item.content }) }
  return { row, vector: null, place, revision: null, theirs, ...(own && { counted: own.row }), ...besides }
}

function hasTheirWords(item: Item, { row, revision }: StoredRow): boolean {
  const known = textOf(item, 'contentHash')
  return known?.startsWith(`${revision} `) === true && known !== contentHash(row.memory.content, revision!)
}

/** Our memory with the words of another program, as its next version, which the guard has not checked. */
function rewritten({ row }: StoredRow): Row | null {
  const { flags: _, ...metadata } = row.memory.metadata
  const content = plainContent(row.memory.content)
  const version = row.memory.version + 1
  const read = memorySchema.safeParse({ ...row.memory, content, metadata, version, trust: 'flagged' })
  if (!read.success) return null
  return { memory: read.data, visibleUntil: visibleUntil(read.data), tokens: memoryTokens(read.data), embedding: null }
}

/** The attributes that `toMemoryItem` may write. */
const OWN = new Set(
  [
    ['agentProjectKey', 'createdAt', 'id', 'content', 'source', 'version', 'layer', 'agentName', 'projectId'],
    ['record', 'later', 'visibleUntil', 'tokens', 'revision', 'contentHash', 'textKey', 'vector', 'ttl'],
  ].flat(),
)

function besidesOf(item: Item): Pick<StoredRow, 'besides'> {
  const others = Object.entries(item).filter(([name]) => !OWN.has(name))
  return others.length === 0 ? {} : { besides: Object.fromEntries(others) }
}

/** The foreign attributes after a change: plain fields that changed are updated, the rest is preserved. */
export function besidesAfter({ besides, row }: StoredRow, after: Memory): Pick<StoredRow, 'besides'> {
  if (!besides) return {}
  const changed = PUBLIC.filter((name) => besides[name] && String(row.memory[name]) !== String(after[name]))
  return { besides: { ...besides, ...toItem(Object.fromEntries(changed.map((name) => [name, after[name]]))) } }
}

/** The fields that `readPlainItem` reads and that have no attribute of our own. */
const PUBLIC = ['category', 'service', 'tags', 'importance', 'confidence', 'active', 'expiresAt', 'updatedAt'] as const

/** Reads the format of `toMemoryItem`; null if anything differs. */
function readOwnItem(item: Item, place: Place, model: VectorModel | null): StoredRow | null {
  const revision = numberOf(item, 'revision')
  const record = jsonOr(textOf(item, 'record') ?? '', null)
  const tokens = jsonOr(textOf(item, 'tokens') ?? '', null)
  const until = textOf(item, 'visibleUntil')
  if (!Number.isInteger(revision) || until === undefined || !Array.isArray(tokens)) return null
  const memory = {
    id: textOf(item, 'id'),
    content: textOf(item, 'content'),
    source: textOf(item, 'source'),
    createdAt: readTime(place.createdAt),
    version: numberOf(item, 'version'),
    ...laterFields(),
    ...(record as object | null),
    ...(jsonOr(textOf(item, 'later') ?? '', null) as object | null),
  }
  if (!isSound(memory, until, tokens) || countedOf(memory).partition !== partitionOf(place)) return null
  const bytes = bytesOf(item, 'vector')
  const embedding = bytes ? embeddingOf(textOf(item, 'textKey'), bytes, model) : null
  const row = { memory, visibleUntil: until, tokens, embedding }
  return { row, vector: (embedding && bytes) ?? null, place, revision: revision! }
}

function embeddingOf(key: string | undefined, bytes: Uint8Array, model: VectorModel | null): Row['embedding'] {
  const cut = key?.lastIndexOf('#') ?? -1
  if (key === undefined || cut < 0 || bytes.byteLength % 2 !== 0) return null
  const embedding = { model: key.slice(0, cut), hash: key.slice(cut + 1) }
  const isWhole = embedding.model !== model?.name || bytes.byteLength === model.dimensions * 2
  return isWhole ? embedding : null
}
