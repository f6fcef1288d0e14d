/** A promise's result if it came in time: wrapped, so that null can only mean that it failed or took too long. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<{ value: T } | null> {
  const settled = promise.then(
    (value) => ({ value }),
    () => null,
  )
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), Math.max(0, ms))
  })
  try {
    return await Promise.race([settled, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A time budget shared by several steps. */
export function deadline(ms: number): { left(): number } {
  const end = performance.now() + ms
  return { left: () => Math.max(0, end - performance.now()) }
}
