/** Vectors for the tests of this folder, the same in every run. */
export class RandomVectors {
  readonly #dimensions: number
  #state: number

  constructor(dimensions: number, seed: number) {
    this.#dimensions = dimensions
    this.#state = seed
  }

  /** A number in 0..1 (mulberry32). */
  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A unit vector: anywhere, or around `centre`, at a cosine of about 1 / sqrt(1 + spread²). */
  unit(centre?: Float32Array, spread = 1): Float32Array {
    const noise = Array.from({ length: this.#dimensions }, () => this.number() + this.number() - 1)
    const length = Math.hypot(...noise)
    const mixed = noise.map((value, i) => (centre ? centre[i]! + (value / length) * spread : value))
    const norm = Math.hypot(...mixed)
    return Float32Array.from(mixed, (value) => value / norm)
  }
}

/** The float dot product, which is the cosine for unit vectors. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
