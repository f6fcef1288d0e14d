import { createHash } from 'node:crypto'
import type { HeldRow } from './held-row.ts'
import { nameOfPlace, type Place, partitionOf } from './place.ts'

/** The service's limit. */
const LONGEST_KEY = 1024

/**
 * Of a partition whose vectors lie in an index outside: what that index may lack or have too much. The other rows have no
 * vector here.
 */
export class Outside {
  /** An index that is made again has another name. */
  readonly index: string
  readonly inside = new Set<HeldRow>()
  /** By name. */
  readonly removed = new Map<string, Place>()

  constructor(index: string) {
    this.index = index
  }

  entered(row: HeldRow): void {
    this.removed.delete(nameOfPlace(row.place))
    if (row.vector) this.inside.add(row)
  }

  left(row: HeldRow): void {
    this.inside.delete(row)
    if (row.model !== null) this.removed.set(nameOfPlace(row.place), row.place)
  }

  /** The index has these vectors now. */
  wrote(rows: Iterable<HeldRow>, removed: Iterable<string>): void {
    for (const row of rows) if (this.inside.delete(row)) row.release()
    for (const name of removed) this.removed.delete(name)
  }
}

/** Whether the index may have the vector of this row: it takes no zero vectors, since they have no direction. */
export function mayLeave(row: HeldRow, model: string): boolean {
  return (
    row.model === model &&
    row.vector?.some((byte) => byte !== 0) === true &&
    Buffer.byteLength(keyOf(row.place)) <= LONGEST_KEY
  )
}

/** In the index, partitions are named by a hash, because their own names may be too long. */
export function nameInIndex(partition: string): string {
  return createHash('sha256').update(partition).digest('base64url').slice(0, 22)
}

export function keyOf(place: Place): string {
  const partition = partitionOf(place)
  return `${nameInIndex(partition)} ${partition === place.agentProjectKey ? 'p' : 'h'}${place.createdAt}`
}

/** The key without the name of the partition: whether it is hidden, and the sort key. */
export function placeOfKey(key: string): { hidden: boolean; createdAt: string } {
  const rest = key.slice(key.indexOf(' ') + 1)
  return { hidden: rest.startsWith('h'), createdAt: rest.slice(1) }
}
