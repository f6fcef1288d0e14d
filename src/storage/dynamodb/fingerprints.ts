import { createHash } from 'node:crypto'

/** A set of texts in eight bytes each. Very rarely it reports a text that was never added. */
export class Fingerprints {
  #numbers = new Float64Array(1024)
  #size = 0
  #isSorted = true

  add(text: string): void {
    if (this.#size === this.#numbers.length) {
      const more = new Float64Array(this.#size * 2)
      more.set(this.#numbers)
      this.#numbers = more
    }
    this.#numbers[this.#size++] = numberOf(text)
    this.#isSorted = false
  }

  has(text: string): boolean {
    if (!this.#isSorted) this.#numbers.subarray(0, this.#size).sort()
    this.#isSorted = true
    const wanted = numberOf(text)
    let [from, to] = [0, this.#size]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.#numbers[middle]! < wanted) from = middle + 1
      else to = middle
    }
    return from < this.#size && this.#numbers[from] === wanted
  }
}

/** 48 bits, which a float holds exactly. */
function numberOf(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6)
}
