import type { Memory } from '../../../src/model/memory.ts'
import { type BrokenBackend, broken, brokenWrites } from './broken-backend.ts'

/** Memories that are stored incorrectly. */
export function altered(title: string, alter: (memory: Memory) => Partial<Memory>): BrokenBackend {
  return brokenWrites(title, (write) => {
    if (!('row' in write)) return write
    const memory = { ...write.row.memory, ...alter(write.row.memory) }
    return { ...write, row: { ...write.row, memory } } as typeof write
  })
}

/** The value of a lost field. */
const LOST: Partial<Memory> = {
  category: 'learning',
  service: null,
  source: 'manual',
  tags: [],
  metadata: {},
  anchor: null,
  importance: 50,
  confidence: 0.7,
  active: true,
  decayedWeeks: 0,
  tier: 0,
  trust: 'agent',
  links: [],
  thread: null,
  occurredAt: null,
  session: null,
  expiresAt: null,
  lastRecalledAt: null,
  recallCount: 0,
  pinned: false,
  useCount: 0,
  lastUsedAt: null,
}

const SCOPE_NAMES = new Set(['agentId', 'taskId', 'sectionId', 'projectId', 'userId', 'companyId'])

export const FIELDS: BrokenBackend[] = [
  ...Object.entries(LOST).map(([name, value]) => altered(`a memory loses its ${name}`, () => ({ [name]: value }))),
  altered('identifiers besides the scope are lost', ({ identifiers }) => ({
    identifiers: Object.fromEntries(Object.entries(identifiers).filter(([name]) => SCOPE_NAMES.has(name))),
  })),
  altered('the time of creation is that of the last change', ({ updatedAt }) => ({ createdAt: updatedAt })),
  altered('content is trimmed', ({ content }) => ({ content: content.trim() })),
  altered('content is composed', ({ content }) => ({ content: content.normalize('NFC') })),
  altered('times lose their milliseconds', ({ createdAt }) => ({ createdAt: createdAt.replace(/\.\d+Z$/, '.000Z') })),
  altered('tags are sorted', ({ tags }) => ({ tags: tags.toSorted() })),
  altered('the importance is a whole number', ({ importance }) => ({ importance: Math.round(importance) })),
  altered('the confidence has one decimal', ({ confidence }) => ({ confidence: Math.round(confidence * 10) / 10 })),
  altered('a null in metadata is dropped', ({ metadata }) => ({
    metadata: JSON.parse(JSON.stringify(metadata).replaceAll('null,', '')) as Memory['metadata'],
  })),
  altered('an importance of 0 is none', ({ importance }) => ({ importance: importance || 50 })),
  brokenWrites('the data of an event are lost', (write) =>
    write.kind === 'event' ? { ...write, event: { ...write.event, data: {} } } : write,
  ),
  brokenWrites('an exit code of 0 is none', (write) =>
    write.kind === 'session'
      ? { ...write, session: { ...write.session, exitCode: write.session.exitCode || null } }
      : write,
  ),
  brokenWrites('a tier of 0 is none', (write) =>
    write.kind === 'session' ? { ...write, session: { ...write.session, tier: write.session.tier || null } } : write,
  ),
  brokenWrites('a position of 0 is lost', (write) =>
    write.kind === 'injection'
      ? { ...write, injection: { ...write.injection, position: write.injection.position || 1 } }
      : write,
  ),
  broken('a commit takes no write at all', ({ capabilities }) => ({ capabilities: { ...capabilities, maxWrites: 0 } })),
]
