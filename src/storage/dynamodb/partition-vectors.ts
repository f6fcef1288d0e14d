import { ALWAYS } from '../../lifecycle/decay.ts'
import { decodeFloat16 } from '../../vector/float16.ts'
import type { PackedPage } from '../../vector/packed-page.ts'
import { VectorIndex } from '../../vector/vector-index.ts'
import type { HeldRow } from './held-row.ts'
import type { Place } from './place.ts'

/** Extra candidates from the coarse scan, so that the true best are among them. */
const SPARE = 12
const SCOPE = 1

/** A partition as it lies on the disk, where its rows have numbers from 0. Each row is made when it is asked for. */
export interface StoredIndex {
  readonly size: number
  readonly model: string
  /** Keys of entries are row numbers, from 1. */
  readonly pages: readonly PackedPage[]
  readonly untils: readonly string[]
  row(number: number): HeldRow
  at(place: Place): HeldRow | null
  /** undefined for the rows of others, and for those that nobody asked for. */
  numberOf(row: HeldRow): number | undefined
  holders(token: string): HeldRow[]
}

export class PartitionVectors {
  readonly model: string
  readonly #index: VectorIndex
  readonly #keys = new Map<HeldRow, number>()
  readonly #rows = new Map<number, HeldRow>()
  /** Its rows have their numbers, from 1, as keys. */
  #stored: StoredIndex | null = null
  #last = 0

  constructor(model: string, dimensions: number) {
    this.model = model
    this.#index = new VectorIndex(dimensions)
    this.#index.addScope(SCOPE)
  }

  set(stored: HeldRow): void {
    const { model, vector } = stored
    const { dimensions } = this.#index
    if (model !== this.model || vector?.byteLength !== dimensions * 2) return
    const key = ++this.#last
    this.#keys.set(stored, key)
    this.#rows.set(key, stored)
    this.#index.put(SCOPE, key, decodeFloat16(vector, dimensions))
    this.#index.setVisibleUntil(key, timeOf(stored.visibleUntil))
  }

  load(stored: StoredIndex): void {
    for (const page of stored.pages) {
      this.#index.loadPage(SCOPE, page)
      for (const key of page.keys) {
        const until = stored.untils[key - 1]!
        if (until !== ALWAYS) this.#index.setVisibleUntil(key, timeOf(until))
      }
    }
    this.#stored = stored
    this.#last = stored.size
  }

  delete(stored: HeldRow): void {
    const key = this.#keyOf(stored)
    if (key === undefined) return
    this.#keys.delete(stored)
    this.#rows.delete(key)
    this.#index.remove(key)
  }

  /** The nearest by their coarse codes, and some spare. `allowed: null` means every visible memory. */
  nearest(
    query: Float32Array,
    limit: number,
    visibleAt: string | undefined,
    allowed: Iterable<HeldRow> | null,
  ): HeldRow[] {
    const allow = allowed && new Set([...allowed].flatMap((stored) => this.#keyOf(stored) ?? []))
    const hits = this.#index.search(query, {
      scopes: [SCOPE],
      limit: limit + SPARE,
      visibleAt: visibleAt === undefined ? null : Date.parse(visibleAt),
      ...(allow ? { allow } : {}),
    })
    return hits.map(({ key }) => this.#rows.get(key) ?? this.#stored!.row(key - 1))
  }

  #keyOf(stored: HeldRow): number | undefined {
    const number = this.#stored?.numberOf(stored)
    return number === undefined ? this.#keys.get(stored) : number + 1
  }
}

function timeOf(visibleUntil: string): number {
  return visibleUntil === '' ? -Infinity : Date.parse(visibleUntil)
}
