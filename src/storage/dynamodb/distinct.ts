import type { StoredRow } from './memory-item.ts'
import { idOfPlace, isSamePlace, nameOfPlace, type Place } from './place.ts'

/** Something listed by id. */
interface Known {
  id: string
  place: Place
  isOwn: boolean
}

/**
 * Two items may share an id, since other programs write freely. Our own item keeps it, else the one with the first key.
 * The other is identified by its place until it is changed.
 */
export function distinct<Value>(
  values: readonly Value[],
  known: (value: Value) => Known,
  renamed: (value: Value, id: string) => Value,
): Value[] {
  const holders = new Map<string, Known>()
  for (const value of values) {
    const own = known(value)
    const other = holders.get(own.id)
    if (!other || keeps(own, other)) holders.set(own.id, own)
  }
  if (holders.size === values.length) return [...values]
  return values.flatMap((value) => {
    const { id, place } = known(value)
    const other = idOfPlace(place)
    return isSamePlace(holders.get(id)!.place, place) ? [value] : other === null ? [] : [renamed(value, other)]
  })
}

function keeps(a: Known, b: Known): boolean {
  return a.isOwn === b.isOwn ? nameOfPlace(a.place) < nameOfPlace(b.place) : a.isOwn
}

export function renamedRow(stored: StoredRow, id: string): StoredRow {
  return { ...stored, row: { ...stored.row, memory: { ...stored.row.memory, id } } }
}

export function distinctRows(rows: readonly StoredRow[]): StoredRow[] {
  const known = ({ row, place, revision }: StoredRow) => ({ id: row.memory.id, place, isOwn: revision !== null })
  return distinct(rows, known, renamedRow)
}
