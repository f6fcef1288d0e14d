import { type Memory, SOURCES, type Source } from '../../model/memory.ts'
import { memoryTokens } from '../../text/tokens.ts'
import type { Row } from '../reference/data.ts'
import { bytesOf, type Item, numberOf, type PlainItem, textOf } from './attributes.ts'

/** Where an item lies. */
export type Place = {
  agentProjectKey: string
  createdAt: string
}

export interface StoredRow {
  row: Row
  /** 16-bit floats, as stored. */
  vector: Uint8Array | null
  place: Place
  /** Grows with every write of the item; null: written by somebody else's helper, in plain attributes. */
  revision: number | null
}

/** Later than any real time. */
const ALWAYS = '9999-12-31T23:59:59.999Z'

/**
 * A memory as an item. The published attributes are plain; the rest is JSON, because DynamoDB's numbers are not JSON's.
 * `place.createdAt` may be an instant within the memory's millisecond: see `TakenPlaces`.
 */
export function toMemoryItem({ row, vector, place, revision }: StoredRow): PlainItem {
  const { memory, visibleUntil, tokens, embedding } = row
  const { id, content, source, createdAt: _, version, identifiers, ...rest } = memory
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

export function fromMemoryItem(item: Item): StoredRow {
  const place = { agentProjectKey: textOf(item, 'agentProjectKey')!, createdAt: textOf(item, 'createdAt')! }
  const revision = numberOf(item, 'revision') ?? null
  const record = textOf(item, 'record')
  const memory = record === undefined ? fromPlain(item, place) : fromRecord(item, place, record)
  const tokens = textOf(item, 'tokens')
  const key = textOf(item, 'textKey')
  const bytes = bytesOf(item, 'vector')
  const cut = key?.lastIndexOf('#') ?? -1
  const embedding = key && bytes ? { model: key.slice(0, cut), hash: key.slice(cut + 1) } : null
  return {
    row: {
      memory,
      visibleUntil: textOf(item, 'visibleUntil') ?? ALWAYS,
      tokens: tokens === undefined ? memoryTokens(memory) : (JSON.parse(tokens) as string[]),
      embedding,
    },
    vector: (embedding && bytes) ?? null,
    place,
    revision,
  }
}

type Rest = Omit<Memory, 'id' | 'content' | 'source' | 'createdAt' | 'version'>

function fromRecord(item: Item, place: Place, record: string): Memory {
  return {
    id: textOf(item, 'id')!,
    content: textOf(item, 'content')!,
    source: textOf(item, 'source') as Source,
    createdAt: millisecond(place.createdAt),
    version: numberOf(item, 'version')!,
    ...(JSON.parse(record) as Rest),
  }
}

/** An item as the published helpers write it: who, where and what. */
function fromPlain(item: Item, place: Place): Memory {
  const cut = place.agentProjectKey.indexOf('#')
  const agentId = textOf(item, 'agentName') ?? place.agentProjectKey.slice(0, cut)
  const projectId = textOf(item, 'projectId') ?? place.agentProjectKey.slice(cut + 1)
  const createdAt = millisecond(place.createdAt)
  const source = SOURCES.find((each) => each === textOf(item, 'source')) ?? 'extraction'
  return {
    id: textOf(item, 'id') ?? `${place.agentProjectKey}#${place.createdAt}`.slice(0, 128),
    content: textOf(item, 'content') ?? '',
    layer: 'agent',
    identifiers: { agentId, ...(projectId === '' ? {} : { projectId }) },
    category: 'learning',
    service: null,
    source,
    tags: [],
    metadata: {},
    anchor: null,
    importance: 50,
    confidence: 0.7,
    active: true,
    decayedWeeks: 0,
    tier: source === 'manual' ? 0 : 1,
    // Nobody here has judged these words.
    trust: 'flagged',
    links: [],
    thread: null,
    occurredAt: null,
    session: null,
    expiresAt: null,
    lastRecalledAt: null,
    recallCount: 0,
    createdAt,
    updatedAt: createdAt,
    version: 1,
  }
}

/** The time of a sort key as records have it. */
function millisecond(sortKey: string): string {
  if (/\.\d{3}\d*Z$/.test(sortKey)) return sortKey.replace(/(\.\d{3})\d*Z$/, '$1Z')
  const time = Date.parse(sortKey)
  return Number.isNaN(time) ? '1970-01-01T00:00:00.000Z' : new Date(time).toISOString()
}
