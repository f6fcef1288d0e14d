import { type Item, textOf, toAttribute } from './attributes.ts'
import type { Connection } from './connection.ts'
import { fromMemoryItem, type Place, type StoredRow } from './memory-item.ts'
import { uniqueKey } from './scope-key.ts'

/** How often a memory that moved between the two reads is looked for again. */
const TRIES = 4

/** The memories with these ids as they are now: by the item that says where each is, then the memory itself, consistent. */
export async function locate(connection: Connection, ids: Iterable<string>): Promise<Map<string, StoredRow>> {
  return (await look(connection, ids, () => true)).found
}

/**
 * `left` are those of which only the item is left that says where they were: DynamoDB deleted what had expired. What the published
 * helpers wrote has no such item: `isOld` says whether the index is asked for it.
 */
export async function look(
  connection: Connection,
  ids: Iterable<string>,
  isOld: (id: string) => boolean,
): Promise<{ found: Map<string, StoredRow>; left: ReadonlyMap<string, Place> }> {
  const found = new Map<string, StoredRow>()
  const pointed = new Map<string, Place>()
  let wanted = [...new Set(ids)]
  for (let attempt = 0; attempt < TRIES && wanted.length > 0; attempt++) {
    const keys = wanted.map((id) => ({ key: uniqueKey('id', id) }))
    const pointers = await connection.get('agent-memory-keys', keys)
    for (const pointer of pointers) pointed.set(textOf(pointer, 'memory')!, placeOf(pointer))
    const strangers = attempt === 0 ? wanted.filter((id) => !pointed.has(id) && isOld(id)) : []
    const places = [...pointers, ...(await byIndex(connection, strangers))].map(placeOf)
    for (const item of await connection.get('agent-memories', places)) {
      const stored = fromMemoryItem(item)
      found.set(stored.row.memory.id, stored)
    }
    wanted = wanted.filter((id) => pointed.has(id) && !found.has(id))
  }
  return { found, left: new Map(wanted.map((id) => [id, pointed.get(id)!])) }
}

function placeOf(item: Item): Place {
  return { agentProjectKey: textOf(item, 'agentProjectKey')!, createdAt: textOf(item, 'createdAt')! }
}

async function byIndex(connection: Connection, ids: readonly string[]): Promise<Item[]> {
  const found = await Promise.all(
    ids.map((id) =>
      connection.query(
        'agent-memories',
        {
          IndexName: 'id-index',
          KeyConditionExpression: 'id = :id',
          ExpressionAttributeValues: { ':id': toAttribute(id) },
        },
        1,
      ),
    ),
  )
  return found.flat()
}
