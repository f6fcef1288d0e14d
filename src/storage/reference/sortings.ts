import type { Change, Injection, Session, WorkflowEvent } from '../../model/records.ts'
import type { MemoryOrder } from '../memory-query.ts'
import type { Row } from './data.ts'
import type { Sorting } from './page-of.ts'

const time = ({ memory }: Row) => [memory.createdAt, memory.id]
const TIME = ['string', 'string'] as const
const NUMBER_AND_TIME = ['number', ...TIME] as const

export const MEMORY_SORTINGS: Record<MemoryOrder, Sorting<Row>> = {
  newest: { name: 'newest', by: time, types: TIME, direction: 'down' },
  oldest: { name: 'oldest', by: time, types: TIME, direction: 'up' },
  confidence: {
    name: 'confidence',
    by: (row) => [row.memory.confidence, ...time(row)],
    types: NUMBER_AND_TIME,
    direction: 'down',
  },
  importance: {
    name: 'importance',
    by: (row) => [row.memory.importance, ...time(row)],
    types: NUMBER_AND_TIME,
    direction: 'down',
  },
  updated: { name: 'updated', by: ({ memory }) => [memory.updatedAt, memory.id], types: TIME, direction: 'down' },
  fading: { name: 'fading', by: ({ memory, visibleUntil }) => [visibleUntil, memory.id], types: TIME, direction: 'up' },
}

export const CHANGES: Sorting<Change> = {
  name: 'changes',
  by: ({ memory, version }) => [memory, version],
  types: ['string', 'number'],
  direction: 'up',
}

export const SESSIONS: Sorting<Session> = {
  name: 'sessions',
  by: ({ startedAt, id }) => [startedAt, id],
  types: TIME,
  direction: 'down',
}

export const INJECTIONS: Sorting<Injection> = {
  name: 'injections',
  by: ({ at, position, id }) => [at, position, id],
  types: ['string', 'number', 'string'],
  direction: 'up',
}

export const EVENTS: Sorting<WorkflowEvent> = {
  name: 'events',
  by: ({ at, id }) => [at, id],
  types: TIME,
  direction: 'down',
}
