/** A figure with its 95 % confidence interval. */
export interface Figure {
  name: string
  value: number
  low: number
  high: number
  /** The counts: part and total. */
  count?: number
  of: number
  /** A share is shown in percent, times with three digits. */
  unit: 'share' | 'number' | 'times'
  /** The bar that it must reach or not exceed. */
  bar?: { least: number } | { most: number }
}

type Bar = NonNullable<Figure['bar']>

const Z = 1.96

/** A share of independent cases (Wilson). */
export function share(name: string, count: number, of: number, bar?: Bar): Figure {
  const p = of === 0 ? 0 : count / of
  const middle = (p + Z ** 2 / (2 * of)) / (1 + Z ** 2 / of)
  const half = (Z * Math.sqrt((p * (1 - p)) / of + Z ** 2 / (4 * of ** 2))) / (1 + Z ** 2 / of)
  const [low, high] =
    of === 0 ? [0, 1] : [Math.max(0, Math.min(p, middle - half)), Math.min(1, Math.max(p, middle + half))]
  return { name, value: p, low, high, count, of, unit: 'share', ...(bar && { bar }) }
}

const RESAMPLES = 1000

/** The ratio of two sums over independent parts, such as sessions, which are resampled. */
export function ratio(
  name: string,
  parts: readonly (readonly [up: number, down: number])[],
  { unit = 'share', bar }: { unit?: Figure['unit']; bar?: Bar } = {},
): Figure {
  const sums = (at: (i: number) => number) => {
    let [up, down] = [0, 0]
    for (let i = 0; i < parts.length; i++) {
      const [own, of] = parts[at(i)]!
      up += own
      down += of
    }
    return [up, down] as const
  }
  const quotient = ([up, down]: readonly [number, number]) => (down === 0 ? 0 : up / down)
  const random = seeded(1)
  const drawn = Array.from({ length: parts.length === 0 ? 1 : RESAMPLES }, () =>
    quotient(sums(() => Math.floor(random() * parts.length))),
  ).sort((a, b) => a - b)
  const whole = sums((i) => i)
  const [low, high] = [drawn[Math.floor(0.025 * drawn.length)]!, drawn[Math.floor(0.975 * drawn.length)]!]
  return { name, value: quotient(whole), low, high, count: whole[0], of: whole[1], unit, ...(bar && { bar }) }
}

/** The mean of independent values. */
export function mean(name: string, values: readonly number[], options: Parameters<typeof ratio>[2] = {}): Figure {
  const { count: _, ...figure } = ratio(
    name,
    values.map((value) => [value, 1]),
    options,
  )
  return figure
}

export function isMissed({ value, bar }: Figure): boolean {
  if (bar === undefined) return false
  return 'least' in bar ? value < bar.least : value > bar.most
}

/** The same samples in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
