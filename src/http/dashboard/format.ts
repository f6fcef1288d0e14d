const UNITS: readonly [limitSeconds: number, seconds: number, name: string][] = [
  [60, 1, 'second'],
  [3600, 60, 'minute'],
  [86_400, 3600, 'hour'],
  [30 * 86_400, 86_400, 'day'],
  [365 * 86_400, 30 * 86_400, 'month'],
  [Number.POSITIVE_INFINITY, 365 * 86_400, 'year'],
]

/** `3 minutes ago`. */
export function formatAge(time: string, now: Date): string {
  const age = Math.max(0, (now.getTime() - Date.parse(time)) / 1000)
  return age < 5 ? 'just now' : `${inUnits(age)} ago`
}

/** `in 3 days`: rounded to the nearest unit. */
export function formatUntil(time: string, now: Date): string {
  return `in ${inUnits(Math.max(1, (Date.parse(time) - now.getTime()) / 1000), Math.round)}`
}

/** `3 minutes`. */
export function inUnits(duration: number, whole: (count: number) => number = Math.floor): string {
  const [, seconds, name] = UNITS.find(([limit, unit]) => Math.max(duration, whole(duration / unit) * unit) < limit)!
  const count = Math.max(1, whole(duration / seconds))
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

/** `1 other says`, `5 others say`. */
export function countOf(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** `1 memory`, `5 memories`. */
export function countMemories(count: number): string {
  return countOf(count, 'memory', 'memories')
}

/** Decimal units, as file managers show them. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(0)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}
