import type { Memory } from '../../model/memory.ts'
import { nameOfPlace, type Place } from './place.ts'
import { countedOf } from './scope-key.ts'

/** The most places that are remembered; past it, all are forgotten. */
const MOST = 20_000

/**
 * Places that this process has given away. One that another process took shows when the transaction fails: the next attempt
 * asks for another.
 */
export class TakenPlaces {
  readonly #names = new Set<string>()

  add(place: Place): void {
    if (this.#names.size >= MOST) this.#names.clear()
    this.#names.add(nameOfPlace(place))
  }

  /**
   * Where a memory goes. Two of one millisecond would overwrite each other: the second one moves to a free instant within that
   * millisecond, by a longer fraction, so that the order of milliseconds stays that of the sort keys.
   */
  free(memory: Memory): Place {
    const agentProjectKey = countedOf(memory).partition
    let place = { agentProjectKey, createdAt: memory.createdAt }
    while (this.#names.has(nameOfPlace(place))) {
      const fraction = String(Math.floor(Math.random() * 1e6)).padStart(6, '0')
      place = { agentProjectKey, createdAt: memory.createdAt.replace('Z', `${fraction}Z`) }
    }
    this.add(place)
    return place
  }
}
