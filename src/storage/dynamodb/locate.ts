import { type Item, textOf, toAttribute } from './attributes.ts'
import type { Connection } from './connection.ts'
import { fromMemoryItem, type StoredRow } from './memory-item.ts'
import { uniqueKey } from './scope-key.ts'

/** How often a memory that moved between the two reads is looked for again. */
const TRIES = 4

/**
 * The memories with these ids as they are now: by the item that says where each is, then the memory itself, consistent. Of those that are likely `new`, the
 * index is asked at once as well: what the published helpers wrote has no such item.
 */
export async function locate(
  connection: Connection,
  ids: Iterable<string>,
  isNew: (id: string) => boolean = () => false,
): Promise<Map<string, StoredRow>> {
  const found = new Map<string, StoredRow>()
  let wanted = [...new Set(ids)]
  for (let attempt = 0; attempt < TRIES && wanted.length > 0; attempt++) {
    const keys = wanted.map((id) => ({ key: uniqueKey('id', id) }))
    const [pointers, early] = await Promise.all([
      connection.get('agent-memory-keys', keys),
      byIndex(connection, attempt === 0 ? wanted.filter(isNew) : []),
    ])
    const known = new Set(pointers.map((pointer) => textOf(pointer, 'memory')!))
    const strangers = early.filter((item) => !known.has(textOf(item, 'id')!))
    const late = attempt === 0 ? wanted.filter((id) => !known.has(id) && !isNew(id)) : []
    const places = [...pointers, ...strangers, ...(await byIndex(connection, late))].map(placeOf)
    for (const item of await connection.get('agent-memories', places)) {
      const stored = fromMemoryItem(item)
      found.set(stored.row.memory.id, stored)
    }
    wanted = wanted.filter((id) => known.has(id) && !found.has(id))
  }
  return found
}

function placeOf(item: Item) {
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
