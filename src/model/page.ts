/** Part of a longer list. Pass `next` to continue; null on the last page. */
export interface Page<Item> {
  items: Item[]
  next: string | null
}

/** Iterates over the pages of a list. */
export async function* pagesOf<Each extends Page<unknown>>(
  read: (after: string | null) => Promise<Each>,
): AsyncGenerator<Each> {
  let after: string | null = null
  do {
    const page: Each = await read(after)
    yield page
    after = page.next
  } while (after !== null)
}

export async function* itemsOf<Item>(read: (after: string | null) => Promise<Page<Item>>): AsyncGenerator<Item> {
  for await (const { items } of pagesOf(read)) yield* items
}

/** The same for lists in the engine's format. */
export async function* everyPage<Each extends { nextCursor: string | null }>(
  read: (from: { cursor?: string }) => Promise<Each>,
): AsyncGenerator<Each> {
  let from: { cursor?: string } | null = {}
  while (from !== null) {
    const page: Each = await read(from)
    yield page
    from = page.nextCursor === null ? null : { cursor: page.nextCursor }
  }
}
