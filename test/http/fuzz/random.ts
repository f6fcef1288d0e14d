/** Seeded pseudo-random numbers (mulberry32). */
export function seeded(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number) => Math.floor(next() * count)
  return {
    next,
    below,
    pick: <T>(items: readonly T[]): T => items[below(items.length)]!,
    chance: (part: number) => next() < part,
  }
}

export type Random = ReturnType<typeof seeded>
