const EMPTY = -1
const MIN_CAPACITY = 1024

/**
 * Finds the slot of a key. Holds slots only, 4 bytes each at a load of at most one half, and asks `keyOf` for the key of
 * a slot: 8 MB at a million entries, where a Map takes 30 MB or more and twice as long to fill.
 * Linear probing; removal shifts entries back, so there are no tombstones.
 */
export class KeyTable {
  readonly #keyOf: (slot: number) => number
  #slots = new Int32Array(MIN_CAPACITY).fill(EMPTY)
  #count = 0

  constructor(keyOf: (slot: number) => number) {
    this.#keyOf = keyOf
  }

  get count(): number {
    return this.#count
  }

  /** The slot of `key`, or -1. */
  get(key: number): number {
    return this.#slots[this.#find(key)]!
  }

  /** Records `slot`, whose key must not be in the table already. `keyOf(slot)` must give its key from now on. */
  add(slot: number): void {
    if ((this.#count + 1) * 2 > this.#slots.length) this.#grow()
    this.#slots[this.#find(this.#keyOf(slot))] = slot
    this.#count++
  }

  /** Forgets `key`, which must still be what `keyOf` gives for its slot. */
  delete(key: number): void {
    const slots = this.#slots
    const mask = slots.length - 1
    let hole = this.#find(key)
    if (slots[hole] === EMPTY) return
    for (let at = (hole + 1) & mask; slots[at] !== EMPTY; at = (at + 1) & mask) {
      const home = hash(this.#keyOf(slots[at]!)) & mask
      // An entry may fill the hole when its home does not lie between the hole and itself.
      if (((at - home) & mask) < ((at - hole) & mask)) continue
      slots[hole] = slots[at]!
      hole = at
    }
    slots[hole] = EMPTY
    this.#count--
  }

  /** Position of the key's slot, or of the empty place where it belongs. */
  #find(key: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    let at = hash(key) & mask
    while (slots[at] !== EMPTY && this.#keyOf(slots[at]!) !== key) at = (at + 1) & mask
    return at
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Int32Array(old.length * 2).fill(EMPTY)
    const slots = this.#slots
    const mask = slots.length - 1
    for (const slot of old) {
      if (slot === EMPTY) continue
      let at = hash(this.#keyOf(slot)) & mask
      while (slots[at] !== EMPTY) at = (at + 1) & mask
      slots[at] = slot
    }
  }
}

/** Mixes all 53 bits of a key; the low bits of the result are used. */
function hash(key: number): number {
  const high = (key / 2 ** 32) | 0
  let mixed = Math.imul((key | 0) ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  return mixed ^ (mixed >>> 13)
}
