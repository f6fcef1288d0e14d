import type { Page } from '../../../src/model/page.ts'
import type { MemoryOrder, MemoryQuery } from '../../../src/storage/memory-query.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { type BrokenBackend, broken } from './broken-backend.ts'

const PAGED = ['memories', 'changes', 'sessions', 'injections', 'events'] as const
export type Paged = (typeof PAGED)[number]
type Asked = { after: string | null; limit: number }

/** The same fault in each paged method. */
export function brokenPages(
  name: Paged,
  title: string,
  read: (asked: Asked, right: (asked: Asked) => Promise<Page<unknown>>) => Promise<Page<unknown>>,
): BrokenBackend {
  return broken(`${name}: ${title}`, (right) => ({
    [name]: (query: Asked) =>
      read(query, ({ after, limit }) => {
        const method = right[name] as (query: Asked) => Promise<Page<unknown>>
        return method({ ...query, after, limit })
      }),
  }))
}

const eachPaged = PAGED.flatMap((name) => [
  brokenPages(name, 'the last item of a page is dropped', async (asked, right) => {
    const page = await right(asked)
    return page.next === null ? page : { ...page, items: page.items.slice(0, -1) }
  }),
  brokenPages(name, 'there is only one page', async (asked, right) => ({ ...(await right(asked)), next: null })),
  brokenPages(name, 'every second page is left out', async (asked, right) => {
    const page = await right(asked)
    if (asked.after !== null || page.next === null) return page
    return { ...page, next: (await right({ ...asked, after: page.next })).next }
  }),
  brokenPages(name, 'a page holds one more than asked for', (asked, right) =>
    right({ ...asked, limit: asked.limit + 1 }),
  ),
  brokenPages(name, 'a position that cannot be read starts over', async (asked, right) => {
    try {
      return await right(asked)
    } catch (error) {
      return await right({ ...asked, after: null }).catch(() => {
        throw error
      })
    }
  }),
  brokenPages(name, 'the order is reversed', async ({ after, limit }, right) => {
    const { items } = await right({ after: null, limit: 100_000 })
    return offsetPage(items.reverse(), { after, limit })
  }),
])

/** Positions that count from the start. */
function offsetPage<Item>(items: readonly Item[], { after, limit }: Asked): Page<Item> {
  const start = after === null ? 0 : Number.parseInt(after, 10)
  const end = start + limit
  return { items: items.slice(start, end), next: end < items.length ? `${end}` : null }
}

/** Memories in the wrong order or with wrong positions. */
function resorted(title: string, sort: (query: MemoryQuery, right: Storage) => Promise<Page<unknown>>): BrokenBackend {
  return broken(title, (right) => ({
    memories: async (query) =>
      ({ ...(await right.memories({ ...query, after: null })), ...(await sort(query, right)) }) as never,
  }))
}

function instead(title: string, from: MemoryOrder, to: MemoryOrder): BrokenBackend {
  return broken(title, (right) => ({
    memories: (query) => right.memories({ ...query, order: query.order === from ? to : query.order }),
  }))
}

export const PAGING: BrokenBackend[] = [
  ...eachPaged,
  instead('oldest first is newest first', 'oldest', 'newest'),
  instead('the order by confidence is that by importance', 'confidence', 'importance'),
  instead('the order by importance is that by time', 'importance', 'newest'),
  resorted('positions count from the start, so that inserts move them', async ({ after, limit, ...query }, right) => {
    const { items } = await right.memories({ ...query, after: null, limit: 100_000 })
    if (after !== null && !/^\d+$/.test(after)) return right.memories({ ...query, after, limit })
    return offsetPage(items, { after, limit })
  }),
  resorted('a position is only a time: equal ones are skipped', async ({ after, limit, ...query }, right) => {
    const { items } = await right.memories({ ...query, after: null, limit: 100_000 })
    if (after !== null && Number.isNaN(Date.parse(after))) return right.memories({ ...query, after, limit })
    const behind = items.filter(({ memory }) =>
      query.order === 'oldest' ? memory.createdAt > (after ?? '') : memory.createdAt < (after ?? '9'),
    )
    const page = behind.slice(0, limit)
    return { items: page, next: behind.length > page.length ? page.at(-1)!.memory.createdAt : null }
  }),
  resorted('memories of equal times come in any order', async ({ after, limit, ...query }, right) => {
    const { items } = await right.memories({ ...query, after: null, limit: 100_000 })
    if (after !== null && !/^\d+$/.test(after)) return right.memories({ ...query, after, limit })
    const time = (item: (typeof items)[number]) => item.memory.createdAt
    return offsetPage(
      query.order === 'newest'
        ? items.reverse().sort((a, b) => (time(a) < time(b) ? 1 : time(a) > time(b) ? -1 : 0))
        : items,
      { after, limit },
    )
  }),
  broken('importance is compared as text', (right) => ({
    async memories({ after, limit, ...query }) {
      if (query.order !== 'importance') return right.memories({ after, limit, ...query })
      const all = await right.memories({ ...query, after: null, limit: 100_000 })
      const text = (item: (typeof all.items)[number]) => String(item.memory.importance)
      const items = all.items.sort((a, b) => (text(a) < text(b) ? 1 : text(a) > text(b) ? -1 : 0))
      return { ...all, ...offsetPage(items, { after, limit }) }
    },
  })),
]
