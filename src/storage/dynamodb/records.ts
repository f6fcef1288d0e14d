import type { Page } from '../../model/page.ts'
import type { Change, Injection, Session, WorkflowEvent } from '../../model/records.ts'
import type { Collection, Documents } from '../documents.ts'
import type { ChangeQuery, EventQuery, InjectionQuery, SessionQuery } from '../record-query.ts'
import { pageOf, positionIn, type Sorting } from '../reference/page-of.ts'
import { CHANGES, EVENTS, INJECTIONS, SESSIONS } from '../reference/sortings.ts'
import { type Item, toAttribute, toItem } from './attributes.ts'
import type { Connection } from './connection.ts'
import { documentPlace, documentTable, toDocument } from './document-items.ts'
import { locate } from './locate.ts'
import * as items from './record-items.ts'
import type { TableName } from './schema.ts'

interface IndexList {
  index: string
  attribute: string
  value: string
}

/** As much of an index list as a page can need: behind the position, and one more than the page. */
function readIndex(
  connection: Connection,
  table: TableName,
  { index, attribute, value }: IndexList,
  { behind, forward, limit }: { behind: string | null; forward: boolean; limit: number },
): Promise<Item[]> {
  return connection.query(
    table,
    {
      IndexName: index,
      KeyConditionExpression: `#a = :a${behind === null ? '' : ` AND #o ${forward ? '>' : '<'} :o`}`,
      ExpressionAttributeNames: { '#a': attribute, ...(behind === null ? {} : { '#o': 'order' }) },
      ExpressionAttributeValues: {
        ':a': toAttribute(value),
        ...(behind === null ? {} : { ':o': toAttribute(behind) }),
      },
      ScanIndexForward: forward,
    },
    limit + 1,
  )
}

/** A page of what several lists hold together, each record once; `lists: null` is the whole table. */
async function readPage<Record extends { id: string }>(
  connection: Connection,
  table: TableName,
  source: {
    sorting: Sorting<Record>
    parse: (item: Item) => Record
    orderAt: (position: readonly (string | number)[]) => string
    forward: boolean
  },
  lists: readonly (IndexList | { id: string })[] | null,
  page: { after: string | null; limit: number },
): Promise<Page<Record>> {
  const { sorting, parse, orderAt, forward } = source
  const position = positionIn(sorting, page.after)
  const behind = position === null ? null : orderAt(position)
  const read = (list: IndexList | { id: string }) =>
    'id' in list
      ? connection.get(table, [{ id: list.id }])
      : readIndex(connection, table, list, { behind, forward, limit: page.limit })
  const found = lists === null ? await connection.scan(table) : (await Promise.all(lists.map(read))).flat()
  const records = new Map(found.map(parse).map((record) => [record.id, record]))
  return pageOf([...records.values()], sorting, page)
}

export async function readChanges(connection: Connection, { memory, ...page }: ChangeQuery): Promise<Page<Change>> {
  const position = positionIn(CHANGES, page.after)
  if (memory !== null) {
    const found = await connection.query(
      'agent-memory-changes',
      {
        KeyConditionExpression: 'memory = :m AND version > :v',
        ExpressionAttributeValues: {
          ':m': toAttribute(memory),
          ':v': toAttribute(position === null ? 0 : Number(position[1])),
        },
      },
      page.limit + 1,
    )
    const changes =
      found.length > 0 || position !== null ? found.map(items.toChange) : await beginning(connection, memory)
    return pageOf(changes, CHANGES, page)
  }
  // The order of a scan is that of the hashes of keys: it stays the same.
  const start = position && toItem({ memory: String(position[0]), version: Number(position[1]) })
  const found = await connection.scan('agent-memory-changes', start ? { ExclusiveStartKey: start } : {}, page.limit + 1)
  const changes = found.map(items.toChange)
  const last = changes[page.limit - 1]
  const next =
    changes.length > page.limit && last ? pageOf([last, last], CHANGES, { after: null, limit: 1 }).next : null
  return { items: changes.slice(0, page.limit), next }
}

/** Of a memory that another program wrote and nobody has changed here. */
async function beginning(connection: Connection, memory: string): Promise<Change[]> {
  const stored = (await locate(connection, [memory])).get(memory)
  return stored?.revision === null ? [items.foreignChange(stored.row.memory)] : []
}

export function readSessions(connection: Connection, { any, ...page }: SessionQuery): Promise<Page<Session>> {
  const lists =
    any?.map((selector) => {
      if ('id' in selector) return selector
      const value = 'agent' in selector ? items.agentPlace(selector.agent) : items.projectPlace(selector.project)
      return { index: 'place-index', attribute: 'place', value }
    }) ?? null
  const orderAt = ([startedAt, id]: readonly (string | number)[]) => `${startedAt}#${id}`
  const source = { sorting: SESSIONS, parse: items.toSession, orderAt, forward: false }
  return readPage(connection, 'agent-sessions', source, lists, page)
}

export async function readInjections(
  connection: Connection,
  { session, memory, ...page }: InjectionQuery,
): Promise<Page<Injection>> {
  const orderAt = ([at, position, id]: readonly (string | number)[]) =>
    items.injectionOrder({ at: String(at), position: Number(position), id: String(id) })
  const sorting = INJECTIONS
  const source = { sorting, parse: items.toInjection, orderAt, forward: true }
  const bySession = { index: 'session-index', attribute: 'session', value: session ?? '' }
  const byMemory = { index: 'memory-index', attribute: 'memory', value: memory ?? '' }
  if (session !== null && memory !== null) {
    const all = await readIndex(connection, 'agent-injections', bySession, {
      behind: null,
      forward: true,
      limit: Infinity,
    })
    return pageOf(
      all.map(items.toInjection).filter((each) => each.memory === memory),
      sorting,
      page,
    )
  }
  const lists = session !== null ? [bySession] : memory !== null ? [byMemory] : null
  return readPage(connection, 'agent-injections', source, lists, page)
}

export function readEvents(connection: Connection, { any, ...page }: EventQuery): Promise<Page<WorkflowEvent>> {
  const lists =
    any?.map((selector) =>
      'session' in selector
        ? { index: 'session-index', attribute: 'session', value: selector.session }
        : { index: 'project-index', attribute: 'project', value: selector.project },
    ) ?? null
  const orderAt = ([at, id]: readonly (string | number)[]) => `${at}#${id}`
  return readPage(
    connection,
    'agent-events',
    { sorting: EVENTS, parse: items.toEvent, orderAt, forward: false },
    lists,
    page,
  )
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
      : await connection.query(table, {
          KeyConditionExpression: '#c = :c',
          ExpressionAttributeNames: { '#c': 'collection' },
          ExpressionAttributeValues: { ':c': toAttribute(collection) },
        })
  const keyOf = (item: Item) => item.agentName?.S ?? item.key!.S!
  return found
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .flatMap((item) => (toDocument(collection, item) as Documents[Name] | null) ?? [])
}
