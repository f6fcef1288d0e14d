import { laterFields } from '../../model/memory.ts'
import type { Page } from '../../model/page.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../../model/records.ts'
import type { ChangeQuery, EventQuery, InjectionQuery, SessionQuery } from '../record-query.ts'
import { type Order, toPage } from '../sql/orders.ts'
import {
  eventConditions,
  eventOrder,
  injectionOrder,
  type RecordTable,
  selectPage,
  sessionConditions,
  sessionOrder,
} from '../sql/records.ts'
import { join, type Sql, sql } from '../sql/sql.ts'
import type { Queries } from './client.ts'
import { ask, POSTGRES } from './dialect.ts'

export const SELECT_SESSION = `s.key AS id, s.agent, s.project, s.tier, s.role, s.started_at AS "startedAt",
  s.ended_at AS "endedAt", s.exit_code::float8 AS "exitCode", s.outcome`

const SESSIONS: RecordTable = {
  select: SELECT_SESSION,
  from: 'sessions s',
  where: 's.started_at IS NOT NULL',
  order: sessionOrder('s.started_at'),
}
const EVENTS: RecordTable = {
  select: 'e.id, e.at, e.type, e.session, e.identifiers, e.data',
  from: 'events e',
  where: 'true',
  order: eventOrder('e.id'),
}
const INJECTIONS: RecordTable = {
  select: 'i.id, i.session, i.memory, i.position::float8 AS position, i.tokens::float8 AS tokens, i.format, i.at',
  from: 'injections i',
  where: 'true',
  order: injectionOrder('i.id'),
}
const byVersion = (name: string): RecordTable => ({
  select: 'c.memory, c.version, c.operation, c.at, c.by, c.after',
  from: 'changes c',
  where: 'true',
  order: {
    name,
    columns: [
      { sql: 'c.memory', key: 'memory', type: 'string' },
      { sql: 'c.version', key: 'version', type: 'number' },
    ],
    direction: 'ASC',
  } satisfies Order,
})
const CHANGES = byVersion('changes')
const HISTORY = byVersion('history')

type Paging = { after: string | null; limit: number }

async function readPage<Row extends object>(
  queries: Queries,
  table: RecordTable,
  any: readonly Sql[] | null,
  page: Paging,
): Promise<Page<Row>> {
  const rows = await ask<Row>(queries, selectPage(table, any, page))
  return toPage(table.order, rows, page.limit, (row) => row)
}

/** By memory and version, also for the whole store: a sequence would not follow commit order. */
export async function listChanges(queries: Queries, { memory, ...page }: ChangeQuery): Promise<Page<Change>> {
  const { items, next } = await (typeof memory === 'string'
    ? readPage<Change>(queries, HISTORY, [sql`c.memory = ${memory}`], page)
    : readPage<Change>(queries, CHANGES, memory && [POSTGRES.among('c.memory', memory)], page))
  return {
    items: items.map((change) => ({ ...change, after: change.after && { ...laterFields(), ...change.after } })),
    next,
  }
}

export function listSessions(queries: Queries, { any, ...page }: SessionQuery): Promise<Page<Session>> {
  return readPage(queries, SESSIONS, sessionConditions(POSTGRES, any), page)
}

const ofSessions = (session: string | readonly string[]) =>
  typeof session === 'string' ? sql`i.session = ${session}` : POSTGRES.among('i.session', session)

export function listInjections(
  queries: Queries,
  { session, memory, ...page }: InjectionQuery,
): Promise<Page<Injection>> {
  const conditions = [
    ...(session === null ? [] : [ofSessions(session)]),
    ...(memory === null ? [] : [sql`i.memory = ${memory}`]),
  ]
  return readPage(queries, INJECTIONS, conditions.length === 0 ? null : [join(conditions, ' AND ')], page)
}

export function listEvents(queries: Queries, { any, ...page }: EventQuery): Promise<Page<WorkflowEvent>> {
  return readPage(
    queries,
    EVENTS,
    eventConditions(any, (session) => sql`e.session = ${session}`),
    page,
  )
}
