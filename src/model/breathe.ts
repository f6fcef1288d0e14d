/** Milliseconds that work may take before others of this process get their turn. */
const SLICE_MS = 12

/** Taken when this is loaded: a test's own clock does not stop it. */
const [later, now] = [setImmediate, performance.now.bind(performance)]

/** When work was first seen in this turn of the event loop; null: not yet. */
let began: number | null = null

/**
 * Lets others of this process have their turn where work has gone on for a while: a server answers between the steps of a large request.
 * Called between steps; costs next to nothing where there was little work.
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

/** The same as `map`, with a breath before each. */
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
