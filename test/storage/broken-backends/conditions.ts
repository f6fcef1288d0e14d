import type { Conditions } from '../../../src/storage/conditions.ts'
import { type BrokenBackend, broken } from './broken-backend.ts'

type Change = (where: Conditions) => Conditions

/** Conditions that `memories` and `search` misread. */
function misread(title: string, change: Change): BrokenBackend {
  return broken(title, (right) => ({
    memories: (query) => right.memories({ ...query, where: change(query.where) }),
    search: (queries) => right.search(queries.map((query) => ({ ...query, where: change(query.where) }))),
  }))
}

const NAMES = [
  'visibleAt',
  'layers',
  'categories',
  'service',
  'source',
  'session',
  'trust',
  'tags',
  'filter',
  'thread',
  'expiredAt',
  'updatedBy',
  'contradicted',
  'embedded',
] as const satisfies readonly (keyof Conditions)[]

function without(where: Conditions, name: keyof Conditions): Conditions {
  const { [name]: _, ...rest } = where
  return rest
}

/** A time one millisecond earlier. */
function earlier(name: 'visibleAt' | 'expiredAt' | 'updatedBy'): Change {
  return (where) => {
    const time = where[name]
    return time === undefined ? where : { ...where, [name]: new Date(Date.parse(time) - 1).toISOString() }
  }
}

/** Compares times with second precision. */
function toTheSecond(name: 'visibleAt' | 'expiredAt' | 'updatedBy'): Change {
  return (where) => {
    const time = where[name]
    return time === undefined ? where : { ...where, [name]: time.replace(/\.\d+Z$/, '.999Z') }
  }
}

function onlyFirst(name: 'categories' | 'trust' | 'tags' | 'filter' | 'layers'): Change {
  return (where) => (where[name] === undefined ? where : { ...where, [name]: where[name].slice(0, 1) })
}

export const CONDITIONS: BrokenBackend[] = [
  ...NAMES.map((name) => misread(`the condition ${name} is ignored`, (where) => without(where, name))),
  ...NAMES.map((name) =>
    broken(`search ignores the condition ${name}`, (right) => ({
      search: (queries) => right.search(queries.map((query) => ({ ...query, where: without(query.where, name) }))),
    })),
  ),
  misread('visibleAt includes the instant itself', earlier('visibleAt')),
  misread('expiredAt excludes the instant itself', earlier('expiredAt')),
  misread('updatedBy excludes the instant itself', earlier('updatedBy')),
  ...(['visibleAt', 'expiredAt', 'updatedBy'] as const).map((name) =>
    misread(`${name} is compared to the second`, toTheSecond(name)),
  ),
  misread('the end of a thread is left out', (where) =>
    where.thread ? { ...where, thread: { ...where.thread, to: where.thread.to - 1 } } : where,
  ),
  misread('a service of null means any', (where) => (where.service === null ? without(where, 'service') : where)),
  ...(['categories', 'trust', 'tags', 'filter', 'layers'] as const).map((name) =>
    misread(`of several ${name} the first one counts`, onlyFirst(name)),
  ),
  broken('all tags must be there', (right) => ({
    async memories(query) {
      const page = await right.memories(query)
      const wanted = query.where.tags ?? []
      const items = page.items.filter(({ memory }) => wanted.every((tag) => memory.tags.includes(tag)))
      return { ...page, items }
    },
  })),
  broken('conditions are applied after the limit', (right) => ({
    async memories(query) {
      const page = await right.memories({ ...query, where: {} })
      const { items } = await right.memories({ ...query, limit: 100_000, after: null })
      const fitting = new Set(items.map(({ memory }) => memory.id))
      return { ...page, items: page.items.filter(({ memory }) => fitting.has(memory.id)) }
    },
  })),
  broken('the count ignores conditions', (right) => ({
    async memories(query) {
      const { totalCount } = await right.memories({ ...query, where: {} })
      return { ...(await right.memories(query)), totalCount }
    },
  })),
  broken('the count ignores scopes', (right) => ({
    async memories(query) {
      const { totalCount } = await right.memories({ ...query, scopes: null })
      return { ...(await right.memories(query)), totalCount }
    },
  })),
  broken('the count is that of the page', (right) => ({
    async memories(query) {
      const page = await right.memories(query)
      return { ...page, totalCount: query.count ? page.items.length : null }
    },
  })),
]
