import { visibleUntil } from '../../lifecycle/decay.ts'
import {
  ACTIVE_CONFIDENCE,
  clampConfidence,
  DEFAULT_CONFIDENCE,
  DEFAULT_IMPORTANCE,
  laterFields,
  type Memory,
  memorySchema,
} from '../../model/memory.ts'
import { memoryTokens } from '../../text/tokens.ts'
import type { Row } from '../reference/data.ts'
import { type Item, plainOf } from './attributes.ts'
import { idOfPlace, type Place } from './place.ts'
import { readTime } from './read-time.ts'
import { ownerOf } from './scope-key.ts'

/** The longest content a commit accepts. */
export const MOST_CONTENT = 16_384
/** Control characters that no commit accepts; some come from terminals. */
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g

/**
 * Reads an item that is not in our format, from the published helpers or any other program. Its place determines the
 * owner, and every valid attribute is kept. null if it is not a memory.
 */
export function readPlainItem(item: Item, place: Place): Row | null {
  const content = plainContent(plainOf(item.content))
  const createdAt = readTime(place.createdAt)
  const owner = ownerOf(place.agentProjectKey, { agentId: plainOf(item.agentName), projectId: plainOf(item.projectId) })
  const id = item.id === undefined ? idOfPlace(place) : plainOf(item.id)
  if (content === null || createdAt === null || owner === null) return null
  const confidence = clampConfidence(fieldOf(item, 'confidence', DEFAULT_CONFIDENCE))
  const source = fieldOf(item, 'source', 'extraction')
  const memory = {
    ...laterFields(),
    ...owner,
    id,
    content,
    category: fieldOf(item, 'category', 'learning'),
    service: fieldOf(item, 'service', null),
    source,
    tags: fieldOf(item, 'tags', []),
    metadata: {},
    anchor: null,
    importance: fieldOf(item, 'importance', DEFAULT_IMPORTANCE),
    confidence,
    active: fieldOf(item, 'active', true) && confidence >= ACTIVE_CONFIDENCE,
    tier: source === 'manual' ? 0 : 1,
    // The guard has not checked this text.
    trust: 'flagged',
    session: null,
    expiresAt: readTime(plainOf(item.expiresAt)) ?? readTime(plainOf(item.ttl)),
    lastRecalledAt: null,
    recallCount: 0,
    createdAt,
    updatedAt: readTime(plainOf(item.updatedAt)) ?? createdAt,
    version: fieldOf(item, 'version', 1),
  }
  const read = memorySchema.safeParse(memory)
  if (!read.success) return null
  return { memory: read.data, visibleUntil: visibleUntil(read.data), tokens: memoryTokens(read.data), embedding: null }
}

/** The text without control characters; null if it is not a text, or too long. */
export function plainContent(content: unknown): string | null {
  return typeof content === 'string' && content.length <= MOST_CONTENT ? content.replace(CONTROL, '') : null
}

type Field = 'confidence' | 'source' | 'category' | 'service' | 'tags' | 'importance' | 'active' | 'version'

/** Accepts numbers written as text. */
function fieldOf<Name extends Field>(item: Item, name: Name, otherwise: Memory[Name]): Memory[Name] {
  const value = plainOf(item[name])
  const number = typeof otherwise === 'number' && typeof value === 'string' ? Number.parseFloat(value) : value
  const read = memorySchema.shape[name].safeParse(number)
  return read.success ? (read.data as Memory[Name]) : otherwise
}
