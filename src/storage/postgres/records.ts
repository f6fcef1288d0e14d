import type { Page } from '../../model/page.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../../model/records.ts'
import type { ChangeQuery, EventQuery, InjectionQuery, SessionQuery } from '../record-query.ts'
import { decodePosition, encodePosition, toPage } from '../sqlite/position.ts'
import type { Queries } from './client.ts'
import { Values } from './values.ts'

/** By memory and version, also for the whole store: a sequence would not be in the order of commits. */
export async function listChanges(queries: Queries, { memory, after, limit }: ChangeQuery): Promise<Page<Change>> {
  const list = memory === null ? 'changes' : 'history'
  const position = decodePosition(list, ['string', 'number'], after)
  const values = new Values()
  const conditions = [
    ...(memory === null ? [] : [`memory = ${values.bind(memory)}`]),
    ...(position ? [`(memory, version) > (${position.map((part) => values.bind(part)).join(', ')})`] : []),
  ]
  const rows = await queries.query<Change>(
    `SELECT memory, version, operation, at, by, after FROM changes ${where(conditions)} ORDER BY memory, version LIMIT ${limit + 1}`,
    values.list,
  )
  return toPage(
    rows,
    limit,
    (row) => row,
    (row) => encodePosition(list, [row.memory, row.version]),
  )
}

export const SELECT_SESSION = `s.key AS id, s.agent, s.project, s.tier, s.role, s.started_at AS "startedAt",
  s.ended_at AS "endedAt", s.exit_code::float8 AS "exitCode", s.outcome`

export async function listSessions(queries: Queries, { any, after, limit }: SessionQuery): Promise<Page<Session>> {
  const position = decodePosition('sessions', ['string', 'string'], after)
  const values = new Values()
  const selectors = any?.map((selector) => {
    if ('id' in selector) return `s.key = ${values.bind(selector.id)}`
    if ('agent' in selector) return `(s.project IS NULL AND s.agent = ${values.bind(selector.agent)})`
    return `s.project = ${values.bind(selector.project)}`
  })
  const conditions = [
    's.started_at IS NOT NULL',
    ...anyOf(selectors),
    ...(position ? [`(s.started_at, s.key) < (${position.map((part) => values.bind(part)).join(', ')})`] : []),
  ]
  const rows = await queries.query<Session>(
    `SELECT ${SELECT_SESSION} FROM sessions s ${where(conditions)} ORDER BY s.started_at DESC, s.key DESC LIMIT ${limit + 1}`,
    values.list,
  )
  return toPage(
    rows,
    limit,
    (row) => row,
    ({ startedAt, id }) => encodePosition('sessions', [startedAt, id]),
  )
}

export async function listInjections(queries: Queries, query: InjectionQuery): Promise<Page<Injection>> {
  const { session, memory, after, limit } = query
  const position = decodePosition('injections', ['string', 'number', 'string'], after)
  const values = new Values()
  const conditions = [
    ...(session === null ? [] : [`session = ${values.bind(session)}`]),
    ...(memory === null ? [] : [`memory = ${values.bind(memory)}`]),
    ...(position ? [`(at, position, id) > (${position.map((part) => values.bind(part)).join(', ')})`] : []),
  ]
  const rows = await queries.query<Injection>(
    `SELECT id, session, memory, position::float8 AS position, tokens::float8 AS tokens, format, at
     FROM injections i ${where(conditions)} ORDER BY i.at, i.position, i.id LIMIT ${limit + 1}`,
    values.list,
  )
  return toPage(
    rows,
    limit,
    (row) => row,
    ({ at, position, id }) => encodePosition('injections', [at, position, id]),
  )
}

export async function listEvents(queries: Queries, { any, after, limit }: EventQuery): Promise<Page<WorkflowEvent>> {
  const position = decodePosition('events', ['string', 'string'], after)
  const values = new Values()
  const selectors = any?.map((selector) =>
    'session' in selector
      ? `session = ${values.bind(selector.session)}`
      : `identifiers ->> 'projectId' = ${values.bind(selector.project)}`,
  )
  const conditions = [
    ...anyOf(selectors),
    ...(position ? [`(at, id) < (${position.map((part) => values.bind(part)).join(', ')})`] : []),
  ]
  const rows = await queries.query<WorkflowEvent>(
    `SELECT id, at, type, session, identifiers, data FROM events ${where(conditions)} ORDER BY at DESC, id DESC LIMIT ${limit + 1}`,
    values.list,
  )
  return toPage(
    rows,
    limit,
    (row) => row,
    ({ at, id }) => encodePosition('events', [at, id]),
  )
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
}

/** No selector at all selects nothing. */
function anyOf(selectors: readonly string[] | undefined): string[] {
  if (selectors === undefined) return []
  return [selectors.length === 0 ? 'false' : `(${selectors.join(' OR ')})`]
}
