import type { Connection } from './connection.ts'
import { type Cause, readFeed } from './feed.ts'
import type { HeldPartition, PlaceNow } from './held-partition.ts'
import { HeldRow } from './held-row.ts'
import type { Marks } from './lanes.ts'
import type { StoredRow } from './memory-item.ts'
import { nameOfPlace, type Place, partitionOf, placeOf } from './place.ts'
import type { Written } from './transaction.ts'

/** With more entries than this to follow, reading the partition is cheaper. */
const MOST_ENTRIES = 2000
/** With more than this, the index of vectors is written again. */
const MOST_TOUCHED = 20_000

/** This process's own writes to a partition, by feed entry, until they are applied to the copy. */
export type OwnWrites = Map<string, readonly Written[]>

export function nameOfCause({ shard, number }: Cause): string {
  return `${shard}|${number}`
}

/** Brings a copy up to these marks. False if it must be read again: the feed has a gap, or too much has happened. */
export async function catchUp(
  connection: Connection,
  held: HeldPartition,
  marks: Marks,
  own: OwnWrites,
): Promise<boolean> {
  const causes = missing(held.marks, marks, MOST_ENTRIES)
  if (causes.length === 0) return true
  if (causes.length > MOST_ENTRIES) return false
  const unknown = causes.filter((cause) => !own.has(nameOfCause(cause)))
  const entries = unknown.length === 0 ? [] : await readFeed(connection, held.name, unknown)
  if (entries === null) return false
  const touched = new Map<string, { place: Place; entries: number }>()
  const touch = (place: Place) => {
    if (partitionOf(place) !== held.name) return
    const known = touched.get(nameOfPlace(place))
    touched.set(nameOfPlace(place), { place, entries: (known?.entries ?? 0) + 1 })
  }
  for (const { places } of entries) for (const place of places) touch(place)
  const known: PlaceNow[] = []
  const written = causes.flatMap((cause) => own.get(nameOfCause(cause)) ?? [])
  for (const each of written) for (const place of placesOf(each)) touch(place)
  for (const each of written) {
    const places = placesOf(each).filter((place) => touched.has(nameOfPlace(place)))
    const isAlone = places.every((place) => touched.get(nameOfPlace(place))!.entries === 1)
    if (!isAlone || !isAsBefore(held, each)) continue
    for (const place of places) {
      known.push({ place, row: rowAt(place, each.after), isOnce: true })
      touched.delete(nameOfPlace(place))
    }
  }
  const read = await readPlaces(
    connection,
    [...touched.values()].map(({ place }) => place),
  )
  const changed = read.map((each) => ({ ...each, isOnce: touched.get(nameOfPlace(each.place))!.entries === 1 }))
  held.follow([...known, ...changed], marks)
  for (const { place, row, isThere } of read) if (row === null && isThere) held.sawUnreadable(place)
  for (const cause of causes) own.delete(nameOfCause(cause))
  return true
}

/** The items that are now at these places. */
export async function readPlaces(
  connection: Connection,
  places: readonly Place[],
): Promise<(PlaceNow & { isThere: boolean })[]> {
  const items = await connection.get('agent-memories', places)
  const there = new Map(items.map((item) => [nameOfPlace(placeOf(item)), item]))
  return places.map((place) => {
    const item = there.get(nameOfPlace(place))
    return { place, isThere: item !== undefined, row: item ? HeldRow.of(item, connection.model) : null }
  })
}

/** The places that were written between these marks; null if the feed has a gap, or is too long. */
export async function touchedBetween(
  connection: Connection,
  partition: string,
  from: Marks,
  to: Marks,
): Promise<Map<string, Place> | null> {
  const causes = missing(from, to, MOST_TOUCHED)
  if (causes.length > MOST_TOUCHED) return null
  const entries = causes.length === 0 ? [] : await readFeed(connection, partition, causes)
  const places = entries?.flatMap((entry) => entry.places.filter((place) => partitionOf(place) === partition))
  return places ? new Map(places.map((place) => [nameOfPlace(place), place])) : null
}

function missing(have: Marks, marks: Marks, most: number): Cause[] {
  const causes: Cause[] = []
  for (const [shard, writes] of marks) {
    for (let number = (have.get(shard) ?? 0) + 1; number <= writes; number++) {
      causes.push({ shard, number })
      if (causes.length > most) return causes
    }
  }
  return causes
}

/**
 * A commit may move a memory within the partition. A move between partitions is in the feeds of both.
 */
function placesOf({ before, after }: Written): Place[] {
  const places = [before, after].flatMap((each) => (each ? [each.place] : []))
  return places.length === 2 && nameOfPlace(places[0]!) === nameOfPlace(places[1]!) ? [places[0]!] : places
}

/** The write was conditional on `before`, so a copy that shows `before` has seen neither it nor anything later. */
function isAsBefore(held: HeldPartition, { before, after }: Written): boolean {
  const isHere = (stored: StoredRow) => partitionOf(stored.place) === held.name
  if (before && isHere(before)) {
    const row = held.at(before.place)
    if (row === null || before.revision === null || row.revision !== before.revision) return false
  }
  if (!after || !isHere(after)) return true
  const stays = before !== null && nameOfPlace(before.place) === nameOfPlace(after.place)
  return stays || held.at(after.place) === null
}

function rowAt(place: Place, after: StoredRow | null): HeldRow | null {
  return after && nameOfPlace(after.place) === nameOfPlace(place) ? HeldRow.parsed(after) : null
}
