import { CATEGORIES, type Category } from '../../../model/categories.ts'
import { MEMORY_ORDERS } from '../../../model/schema.ts'
import type { MemoryOrder } from '../../../storage/memory-query.ts'
import type { View } from '../view.ts'

export const STATES = ['active', 'unverified', 'disputed', 'corrected', 'inactive', 'held'] as const
type State = (typeof STATES)[number]

/** The filters in a URL. Invalid ones are ignored. */
export interface Filters {
  text: string | undefined
  /** `general` means no service; a service with that name is `"general"`. */
  service: string | undefined
  category: Category | undefined
  state: State | undefined
  sort: MemoryOrder
}

export function readFilters({ query }: View): Filters {
  return {
    text: query('q')?.slice(0, 256),
    service: query('service'),
    category: oneOf(CATEGORIES, query('category')),
    state: oneOf(STATES, query('state')),
    sort: oneOf(MEMORY_ORDERS, query('sort')) ?? 'newest',
  }
}

function oneOf<Value extends string>(values: readonly Value[], given: string | undefined): Value | undefined {
  return values.find((value) => value === given)
}

/** The filters as the engine takes them. Includes inactive memories, unless only active ones are requested. */
export function toRequest({ text, service, category, state, sort }: Filters) {
  return {
    sort,
    includeInactive: state !== 'active' && state !== 'unverified',
    onlyInactive: state === 'inactive' || state === 'held',
    ...(state === 'held' ? { trust: ['quarantined' as const] } : {}),
    ...(state === 'unverified' ? { trust: ['flagged' as const] } : {}),
    ...(text === undefined ? {} : { text }),
    ...(service === undefined ? {} : { service: serviceNamed(service) }),
    ...(category === undefined ? {} : { category }),
  }
}

const NO_SERVICE = 'general'

export function serviceNamed(given: string): string | null {
  if (given === NO_SERVICE) return null
  return given === JSON.stringify(NO_SERVICE) ? NO_SERVICE : given
}

/** A service as it appears in a URL. */
export function serviceParameter(service: string | null): string {
  if (service === null) return NO_SERVICE
  return service === NO_SERVICE ? JSON.stringify(NO_SERVICE) : service
}

export function toParameters({ text, service, category, state, sort }: Filters): Record<string, string | undefined> {
  return { q: text, service, category, state, sort: sort === 'newest' ? undefined : sort }
}

export function isFiltered({ text, service, category, state }: Filters): boolean {
  return [text, service, category, state].some((value) => value !== undefined)
}
