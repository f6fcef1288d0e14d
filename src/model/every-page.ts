/** The pages of a list, one after the other, until the last. */
export async function* everyPage<Page extends { nextCursor: string | null }>(
  read: (from: { cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page> {
  let from: { cursor?: string } | null = {}
  while (from !== null) {
    const page: Page = await read(from)
    yield page
    from = page.nextCursor === null ? null : { cursor: page.nextCursor }
  }
}
