import { matchesFilter } from '../../model/filter.ts'
import { type ScopeSelector, selects } from '../../model/layer.ts'
import { isSameService } from '../../model/service-name.ts'
import type { Conditions } from '../conditions.ts'
import type { Row } from './data.ts'

export function inScopes({ memory }: Row, scopes: readonly ScopeSelector[] | null): boolean {
  return scopes === null || scopes.some((selector) => selects(selector, memory))
}

/** Whether all given conditions match. `model` is the current one. */
export function meets({ memory, visibleUntil, embedding }: Row, where: Conditions, model: string): boolean {
  const { layers, categories, service, source, session, trust, tags, filter, thread } = where
  return (
    (where.visibleAt === undefined || visibleUntil > where.visibleAt) &&
    (where.hiddenAt === undefined || visibleUntil <= where.hiddenAt) &&
    (where.text === undefined || holds(memory, lower(where.text))) &&
    (layers === undefined || layers.includes(memory.layer)) &&
    (categories === undefined || categories.includes(memory.category)) &&
    !where.exceptCategories?.includes(memory.category) &&
    (service === undefined || isSameService(memory.service, service)) &&
    (source === undefined || memory.source === source) &&
    (session === undefined || memory.session === session) &&
    (trust === undefined || trust.includes(memory.trust)) &&
    (tags === undefined || tags.some((tag) => memory.tags.includes(tag))) &&
    (filter === undefined || matchesFilter(memory.metadata, filter)) &&
    (thread === undefined || isWithin(memory.thread, thread)) &&
    (where.expiredAt === undefined || (memory.expiresAt !== null && memory.expiresAt <= where.expiredAt)) &&
    (where.updatedBy === undefined || memory.updatedAt <= where.updatedBy) &&
    (where.contradicted === undefined || memory.links.some(({ relation }) => relation.startsWith('contradict'))) &&
    (where.embedded === undefined || where.embedded === (embedding?.model === model))
  )
}

function holds({ content, service }: Row['memory'], text: string): boolean {
  return [content, service ?? ''].some((each) => lower(each).includes(text))
}

/** As databases do: A to Z only. */
function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function isWithin(place: Row['memory']['thread'], { id, from, to }: NonNullable<Conditions['thread']>): boolean {
  return place !== null && place.id === id && place.index >= from && place.index <= to
}
