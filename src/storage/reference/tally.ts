import { MOST_LISTED, type Tally, type TallyQuery } from '../tally.ts'
import type { ReferenceData, Row } from './data.ts'
import { inScopes } from './meets.ts'

export function tallyMemories(data: ReferenceData, { scopes, visibleAt, since, withoutHeld }: TallyQuery): Tally {
  const isCounted = ({ memory }: Row) => !withoutHeld || memory.trust !== 'quarantined'
  const rows = [...data.memories.values()].filter((row) => inScopes(row, scopes) && isCounted(row))
  const isVisible = (row: Row) => row.visibleUntil > visibleAt
  const count = (some: readonly Row[], matches: (row: Row) => boolean) => some.filter(matches).length
  const recent = rows.filter(({ memory }) => memory.createdAt >= since)
  const grouped = <Key>(some: readonly Row[], keyOf: (row: Row) => Key) => [...Map.groupBy(some, keyOf)]
  return {
    memories: rows.length,
    visible: count(rows, isVisible),
    held: count(rows, ({ memory }) => memory.trust === 'quarantined'),
    categories: grouped(rows, ({ memory }) => memory.category)
      .map(([category, some]) => ({ category, memories: some.length, visible: count(some, isVisible) }))
      .sort((a, b) => (a.category < b.category ? -1 : 1)),
    services: mostFirst(grouped(rows, ({ memory }) => memory.service)).map(([service, memories]) => ({
      service,
      memories,
    })),
    projects: mostFirst(grouped(rows, ({ memory }) => memory.identifiers.projectId ?? null)).map(
      ([project, memories]) => ({ project, memories }),
    ),
    days: grouped(recent, ({ memory }) => memory.createdAt.slice(0, 10))
      .map(([day, some]) => ({
        day,
        memories: some.length,
        corrections: count(some, ({ memory }) => memory.links.some(({ relation }) => relation === 'contradicts')),
      }))
      .sort((a, b) => (a.day < b.day ? -1 : 1)),
  }
}

function mostFirst(groups: readonly [name: string | null, rows: readonly Row[]][]): [string | null, number][] {
  return groups
    .map(([name, rows]): [string | null, number] => [name, rows.length])
    .sort(([a, most], [b, more]) => more - most || ((a ?? '') < (b ?? '') ? -1 : 1))
    .slice(0, MOST_LISTED)
}
