export const LATE = Symbol('late')

/** A time limit for an answer, across all its steps; `undefined` means none. Late work continues, but nobody waits for it. */
export function createBound(ms: number | undefined): { race<T>(work: Promise<T>): Promise<T | typeof LATE> } {
  const end = performance.now() + (ms ?? 0)
  return {
    async race(work) {
      if (ms === undefined) return work
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<typeof LATE>((resolve) => {
        timer = setTimeout(() => resolve(LATE), Math.max(0, end - performance.now()))
      })
      try {
        return await Promise.race([work, late])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
