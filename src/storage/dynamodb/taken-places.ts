import type { Memory } from '../../model/memory.ts'
import type { StoredRow } from './memory-item.ts'
import { nameOfPlace, type Place } from './place.ts'

/** The most places to remember; above it, all are forgotten. */
const MOST = 20_000

/**
 * Places this process has assigned. If another process took one, the transaction fails and the next attempt picks
 * another.
 */
export class TakenPlaces {
  readonly #names = new Set<string>()

  add(place: Place): void {
    if (this.#names.size >= MOST) this.#names.clear()
    this.#names.add(nameOfPlace(place))
  }

  /**
   * Picks the place of a memory. Two in the same millisecond would overwrite each other, so the second gets a free
   * instant within that millisecond: a longer fraction keeps the sort keys in order. One that is hidden or shown again
   * keeps its sort key if it can.
   */
  free(memory: Memory, agentProjectKey: string, before: StoredRow | null): Place {
    const stays = before?.row.memory.createdAt === memory.createdAt
    let place = { agentProjectKey, createdAt: stays ? before.place.createdAt : memory.createdAt }
    while (this.#names.has(nameOfPlace(place))) {
      const fraction = String(Math.floor(Math.random() * 1e6)).padStart(6, '0')
      place = { agentProjectKey, createdAt: memory.createdAt.replace('Z', `${fraction}Z`) }
    }
    this.add(place)
    return place
  }
}
