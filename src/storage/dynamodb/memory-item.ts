import { laterFields, type Memory } from '../../model/memory.ts'
import { jsonOr } from '../../text/json.ts'
import type { Row } from '../reference/data.ts'
import type { VectorModel } from '../storage.ts'
import { bytesOf, type Item, numberOf, type PlainItem, textOf, toItem } from './attributes.ts'
import { type Place, partitionOf, placeOf } from './place.ts'
import { readPlainItem } from './plain-item.ts'
import { readTime } from './read-time.ts'
import { countedOf } from './scope-key.ts'
import { isSound } from './sound-memory.ts'

export interface StoredRow {
  row: Row
  /** 16-bit floats, as stored. */
  vector: Uint8Array | null
  place: Place
  /** Incremented by every write of the item; null if the item is not in our format. */
  revision: number | null
  /** For an item that is not in our format: the values that must be unchanged when we write it. */
  theirs?: Partial<Pick<Item, 'revision' | 'content'>>
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
    ...(embedding && vector ? { textKey: textKey(embedding), vector } : {}),
    ...(memory.expiresAt === null ? {} : { ttl: Math.ceil(Date.parse(memory.expiresAt) / 1000) }),
  }
}

export function textKey({ model, hash }: { model: string; hash: string }): string {
  return `${model}#${hash}`
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
  if (own) return { ...own, ...besides }
  const row = readPlainItem(item, place)
  if (!row) return null
  const theirs = { ...(item.revision && { revision: item.revision }), ...(item.content && { content: item.content }) }
  return { row, vector: null, place, revision: null, theirs, ...besides }
}

/** The attributes that `toMemoryItem` may write. */
const OWN = new Set(
  [
    ['agentProjectKey', 'createdAt', 'id', 'content', 'source', 'version', 'layer', 'agentName', 'projectId'],
    ['record', 'later', 'visibleUntil', 'tokens', 'revision', 'textKey', 'vector', 'ttl'],
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
