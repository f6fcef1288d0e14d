export async function* pagesOf<Page extends { nextCursor: string | null }>(
  ask: (position: { cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page> {
  for (let position = {}; ; ) {
    const page = await ask(position)
    yield page
    if (page.nextCursor === null) return
    position = { cursor: page.nextCursor }
  }
}
