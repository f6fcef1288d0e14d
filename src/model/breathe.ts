/** How long work may run before it yields to other work of this process, in milliseconds. */
const SLICE_MS = 12

/** Captured at load time, so that a test's fake timers do not stop it. */
const later = setImmediate
/** Unlike `performance`, it is not loaded by its first use. */
const now = () => process.uptime() * 1000

/** When work began in this turn of the event loop; null if none has. */
let began: number | null = null

/**
 * Yields to the event loop when work has run for a while, so that a server keeps answering during a large request. Call
 * it between steps; it costs next to nothing when little work was done.
 */
export async function breathe(): Promise<void> {
  if (began === null) {
    began = now()
    later(() => {
      began = null
    })
  } else if (now() - began >= SLICE_MS) {
    await new Promise<void>((resolve) => void later(resolve))
  }
}

/** Like `map`, but yields between items. */
export async function mapBreathing<Item, Result>(
  items: readonly Item[],
  step: (item: Item, index: number) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const [i, item] of items.entries()) {
    await breathe()
    results.push(await step(item, i))
  }
  return results
}
