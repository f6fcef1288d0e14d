import type { Page } from '../../model/page.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../../model/records.ts'
import type { Collection, Documents } from '../documents.ts'
import { type ChangeQuery, type EventQuery, type InjectionQuery, idsAsked, type SessionQuery } from '../record-query.ts'
import { pageOf, positionIn, type Sorting } from '../reference/page-of.ts'
import { CHANGES, EVENTS, INJECTIONS, SESSIONS } from '../reference/sortings.ts'
import { type Item, toItem } from './attributes.ts'
import type { Connection } from './connection.ts'
import { documentPlace, documentTable, toDocument } from './document-items.ts'
import { keyIs } from './item-conditions.ts'
import { locate } from './locate.ts'
import { agentPlace, foreignChange, orderOf, projectPlace, recordOf } from './record-items.ts'
import type { TableName } from './schema.ts'

interface IndexList {
  index: string
  attribute: string
  value: string
}

/** The part of an index list that a page can need: after the position, and one more than the page. */
function readIndex(
  connection: Connection,
  table: TableName,
  { index, attribute, value }: IndexList,
  { behind, forward, limit }: { behind: string | null; forward: boolean; limit: number },
): Promise<Item[]> {
  const range = behind === null ? undefined : ([forward ? '#r > :r' : '#r < :r', 'order', behind] as const)
  const query = { IndexName: index, ...keyIs(attribute, value, range), ScanIndexForward: forward }
  return connection.query(table, query, limit + 1)
}

/** A page of several lists merged, without duplicates; `lists: null` is the whole table. */
async function readPage<Record extends { id: string }>(
  connection: Connection,
  table: TableName,
  sorting: Sorting<Record>,
  lists: readonly (IndexList | { id: string })[] | null,
  page: { after: string | null; limit: number },
): Promise<Page<Record>> {
  const position = positionIn(sorting, page.after)
  const behind = position && orderOf(position)
  const forward = sorting.direction === 'up'
  const read = (list: IndexList | { id: string }) =>
    'id' in list
      ? connection.get(table, [{ id: list.id }])
      : readIndex(connection, table, list, { behind, forward, limit: page.limit })
  const found = lists === null ? await connection.scan(table) : (await Promise.all(lists.map(read))).flat()
  const records = new Map(found.map((item) => recordOf<Record>(item)).map((record) => [record.id, record]))
  return pageOf([...records.values()], sorting, page)
}

export async function readChanges(connection: Connection, { memory, ...page }: ChangeQuery): Promise<Page<Change>> {
  const position = positionIn(CHANGES, page.after)
  if (memory !== null && typeof memory !== 'string') {
    const whole = { after: null, limit: Infinity }
    const histories = await Promise.all(memory.map((each) => readChanges(connection, { memory: each, ...whole })))
    return pageOf(
      histories.flatMap(({ items }) => items),
      CHANGES,
      page,
    )
  }
  if (memory !== null) {
    const version = position === null ? 0 : Number(position[1])
    const query = keyIs('memory', memory, ['#r > :r', 'version', version])
    const found = await connection.query('agent-memory-changes', query, page.limit + 1)
    const changes =
      found.length > 0 || position !== null
        ? found.map((item) => recordOf<Change>(item))
        : await beginning(connection, memory)
    return pageOf(changes, CHANGES, page)
  }
  // A scan is ordered by key hash, which is stable.
  const start = position && toItem({ memory: String(position[0]), version: Number(position[1]) })
  const found = await connection.scan('agent-memory-changes', start ? { ExclusiveStartKey: start } : {}, page.limit + 1)
  const changes = found.map((item) => recordOf<Change>(item))
  const last = changes[page.limit - 1]
  const next =
    changes.length > page.limit && last ? pageOf([last, last], CHANGES, { after: null, limit: 1 }).next : null
  return { items: changes.slice(0, page.limit), next }
}

/** The first history entry of a memory that another program wrote and that has not been changed here. */
async function beginning(connection: Connection, memory: string): Promise<Change[]> {
  const stored = (await locate(connection, [memory])).get(memory)
  return stored?.revision === null ? [foreignChange(stored.row.memory, undefined)] : []
}

export function readSessions(connection: Connection, { any, ...page }: SessionQuery): Promise<Page<Session>> {
  const lists =
    any?.map((selector) => {
      if ('id' in selector) return selector
      const value = 'agent' in selector ? agentPlace(selector.agent) : projectPlace(selector.project)
      return { index: 'place-index', attribute: 'place', value }
    }) ?? null
  return readPage(connection, 'agent-sessions', SESSIONS, lists, page)
}

export async function readInjections(
  connection: Connection,
  { session, memory, ...page }: InjectionQuery,
): Promise<Page<Injection>> {
  const bySession = idsAsked(session)?.map((value) => ({
    index: 'session-index',
    attribute: 'session',
    value,
  }))
  const byMemory = { index: 'memory-index', attribute: 'memory', value: memory ?? '' }
  if (bySession && memory !== null) {
    const all = { behind: null, forward: true, limit: Infinity }
    const found = await Promise.all(bySession.map((list) => readIndex(connection, 'agent-injections', list, all)))
    const shown = found.flat().map((item) => recordOf<Injection>(item))
    return pageOf(
      shown.filter((each) => each.memory === memory),
      INJECTIONS,
      page,
    )
  }
  const lists = bySession ?? (memory !== null ? [byMemory] : null)
  return readPage(connection, 'agent-injections', INJECTIONS, lists, page)
}

export function readEvents(connection: Connection, { any, ...page }: EventQuery): Promise<Page<WorkflowEvent>> {
  const lists =
    any?.map((selector) =>
      'session' in selector
        ? { index: 'session-index', attribute: 'session', value: selector.session }
        : { index: 'project-index', attribute: 'project', value: selector.project },
    ) ?? null
  return readPage(connection, 'agent-events', EVENTS, lists, page)
}

export async function readDocuments<Name extends Collection>(
  connection: Connection,
  collection: Name,
  keys?: readonly string[],
): Promise<Documents[Name][]> {
  const table = documentTable(collection)
  const found = keys
    ? await connection.get(
        table,
        [...new Set(keys)].map((key) => documentPlace(collection, key)),
      )
    : table === 'agent-personalities'
      ? await connection.scan(table)
      : await connection.query(table, keyIs('collection', collection))
  const keyOf = (item: Item) => item.agentName?.S ?? item.key!.S!
  return found
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .flatMap((item) => (toDocument(collection, item) as Documents[Name] | null) ?? [])
}
