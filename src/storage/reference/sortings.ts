import type { Change, Injection, Session, WorkflowEvent } from '../../model/records.ts'
import type { MemoryOrder } from '../memory-query.ts'
import type { Row } from './data.ts'
import type { Sorting } from './page-of.ts'

const time = ({ memory }: Row) => [memory.createdAt, memory.id]

export const MEMORY_SORTINGS: Record<MemoryOrder, Sorting<Row>> = {
  newest: { name: 'newest', by: time, directions: ['down', 'down'] },
  oldest: { name: 'oldest', by: time, directions: ['up', 'up'] },
  confidence: {
    name: 'confidence',
    by: (row) => [row.memory.confidence, ...time(row)],
    directions: ['down', 'down', 'down'],
  },
  importance: {
    name: 'importance',
    by: (row) => [row.memory.importance, ...time(row)],
    directions: ['down', 'down', 'down'],
  },
  updated: { name: 'updated', by: ({ memory }) => [memory.updatedAt, memory.id], directions: ['down', 'down'] },
  fading: { name: 'fading', by: ({ memory, visibleUntil }) => [visibleUntil, memory.id], directions: ['up', 'up'] },
}

export const CHANGES: Sorting<Change> = {
  name: 'changes',
  by: ({ memory, version }) => [memory, version],
  directions: ['up', 'up'],
}

export const SESSIONS: Sorting<Session> = {
  name: 'sessions',
  by: ({ startedAt, id }) => [startedAt, id],
  directions: ['down', 'down'],
}

export const INJECTIONS: Sorting<Injection> = {
  name: 'injections',
  by: ({ at, position, id }) => [at, position, id],
  directions: ['up', 'up', 'up'],
}

export const EVENTS: Sorting<WorkflowEvent> = {
  name: 'events',
  by: ({ at, id }) => [at, id],
  directions: ['down', 'down'],
}
