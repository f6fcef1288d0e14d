import { ALWAYS } from '../../lifecycle/decay.ts'
import { decodeFloat16 } from '../../vector/float16.ts'
import type { PackedPage } from '../../vector/packed-page.ts'
import { VectorIndex } from '../../vector/vector-index.ts'
import type { HeldRow } from './held-row.ts'

/** Extra candidates from the coarse scan, so that the true best are among them. */
const SPARE = 12
const SCOPE = 1

export class PartitionVectors {
  readonly model: string
  readonly #index: VectorIndex
  readonly #keys = new Map<HeldRow, number>()
  readonly #rows = new Map<number, HeldRow>()
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
    this.#index.setVisibleUntil(key, timeOf(stored))
  }

  /** Rows with their packed pages, whose keys are the numbers of the rows from 1. */
  load(rows: readonly HeldRow[], pages: readonly PackedPage[]): void {
    for (const page of pages) {
      this.#index.loadPage(SCOPE, page)
      for (const key of page.keys) {
        const stored = rows[key - 1]!
        this.#keys.set(stored, key)
        this.#rows.set(key, stored)
        if (stored.visibleUntil !== ALWAYS) this.#index.setVisibleUntil(key, timeOf(stored))
      }
    }
    this.#last = rows.length
  }

  delete(stored: HeldRow): void {
    const key = this.#keys.get(stored)
    if (key === undefined) return
    this.#keys.delete(stored)
    this.#rows.delete(key)
    this.#index.remove(key)
  }

  /** The nearest by their coarse codes, and some spare. `allows: null` means every visible memory. */
  nearest(
    query: Float32Array,
    limit: number,
    visibleAt: string | undefined,
    allows: ((stored: HeldRow) => boolean) | null,
  ): HeldRow[] {
    const allow = allows && new Set([...this.#keys].flatMap(([stored, key]) => (allows(stored) ? [key] : [])))
    const hits = this.#index.search(query, {
      scopes: [SCOPE],
      limit: limit + SPARE,
      visibleAt: visibleAt === undefined ? null : Date.parse(visibleAt),
      ...(allow ? { allow } : {}),
    })
    return hits.map(({ key }) => this.#rows.get(key)!)
  }
}

function timeOf({ visibleUntil }: HeldRow): number {
  return visibleUntil === '' ? -Infinity : Date.parse(visibleUntil)
}
