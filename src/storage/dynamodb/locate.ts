import { type Item, textOf } from './attributes.ts'
import type { Connection } from './connection.ts'
import { distinctRows, renamedRow } from './distinct.ts'
import { keyIs } from './item-conditions.ts'
import { readItems, type StoredRow } from './memory-item.ts'
import { idOfPlace, isSamePlace, type Place, placeOf, placeOfId } from './place.ts'
import { uniqueKey } from './scope-key.ts'

/** How often to look again for a memory that moved between the two reads. */
const TRIES = 4

/** The current memories with these ids. Reads the pointer item first, then the memory itself, consistently. */
export async function locate(connection: Connection, ids: Iterable<string>): Promise<Map<string, StoredRow>> {
  return (await look(connection, ids, () => true)).found
}

/**
 * `left` are ids whose pointer item is all that remains, because DynamoDB deleted the expired memory. Items from the
 * published helpers have no pointer: `isOld` says whether to look for them in the index.
 */
export async function look(
  connection: Connection,
  ids: Iterable<string>,
  isOld: (id: string) => boolean,
): Promise<{ found: Map<string, StoredRow>; left: ReadonlyMap<string, Place> }> {
  const found = new Map<string, StoredRow>()
  const pointed = new Map<string, Place>()
  const asked = new Set(ids)
  let wanted = [...asked]
  for (let attempt = 0; attempt < TRIES && wanted.length > 0; attempt++) {
    const keys = wanted.map((id) => ({ key: uniqueKey('id', id) }))
    const pointers = await connection.get('agent-memory-keys', keys)
    for (const pointer of pointers) pointed.set(textOf(pointer, 'memory')!, placeOf(pointer))
    const strangers = attempt === 0 ? wanted.filter((id) => !pointed.has(id) && isOld(id)) : []
    const places = [...pointers, ...(await byIndex(connection, strangers))].map(placeOf)
    for (const stored of distinctRows(readItems(await connection.get('agent-memories', places), connection.model))) {
      if (asked.has(stored.row.memory.id)) found.set(stored.row.memory.id, stored)
    }
    const unnamed = strangers.filter((id) => !found.has(id))
    for (const stored of await byPlace(connection, unnamed)) found.set(stored.row.memory.id, stored)
    wanted = wanted.filter((id) => pointed.has(id) && !found.has(id))
  }
  return { found, left: new Map(wanted.map((id) => [id, pointed.get(id)!])) }
}

/** All items with one of these ids: see `distinct`. */
async function byIndex(connection: Connection, ids: readonly string[]): Promise<Item[]> {
  const found = await Promise.all(
    ids.map((id) => connection.query('agent-memories', { IndexName: 'id-index', ...keyIs('id', id) })),
  )
  return found.flat()
}

/** Foreign items that are identified by their place: they have no id, or another item has it. */
async function byPlace(connection: Connection, ids: readonly string[]): Promise<StoredRow[]> {
  const places = ids.flatMap((id) => placeOfId(id) ?? [])
  const items = readItems(await connection.get('agent-memories', places), connection.model)
  const found = await Promise.all(
    items.map(async (stored) => {
      const { id } = stored.row.memory
      const name = idOfPlace(stored.place)
      if (stored.revision !== null || name === null || id === name) return stored.revision === null ? [stored] : []
      const holder = (await locate(connection, [id])).get(id)
      return holder && !isSamePlace(holder.place, stored.place) ? [renamedRow(stored, name)] : []
    }),
  )
  return found.flat()
}
