export interface Match {
  key: number
  score: number
}

/** Keeps the best `limit` matches seen: a binary heap with the worst kept match on top. */
export class TopK {
  readonly #limit: number
  readonly #heap: Match[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** A score below this can no longer be kept; an equal score can, when its key is smaller. */
  get threshold(): number {
    return this.#heap.length < this.#limit ? -Infinity : this.#heap[0]!.score
  }

  offer(key: number, score: number): void {
    const heap = this.#heap
    if (heap.length < this.#limit) {
      heap.push({ key, score })
      this.#siftUp(heap.length - 1)
      return
    }
    const worst = heap[0]
    if (worst === undefined || score < worst.score || (score === worst.score && key > worst.key)) return
    heap[0] = { key, score }
    this.#siftDown()
  }

  sorted(): Match[] {
    return this.#heap.toSorted(compare)
  }

  #siftUp(from: number): void {
    const heap = this.#heap
    const match = heap[from]!
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (compare(heap[parent]!, match) >= 0) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = match
  }

  #siftDown(): void {
    const heap = this.#heap
    const match = heap[0]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && compare(heap[child + 1]!, heap[child]!) > 0) child++
      if (compare(match, heap[child]!) >= 0) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = match
  }
}

/** Below zero when `a` ranks before `b`: a higher score, or the same score and a smaller key. */
function compare(a: Match, b: Match): number {
  return b.score - a.score || a.key - b.key
}
