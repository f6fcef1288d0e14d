import { MOST_SERVICES, type Tally, type TallyQuery } from '../tally.ts'
import type { Connection } from './connection.ts'
import { findPlaces, partsOf } from './scopes.ts'

/** Grouped inside SQLite: thousands of memories are a few milliseconds, and none of them is read into the process. */
export function tallyMemories(connection: Connection, query: TallyQuery): Tally {
  const parts = partsOf(findPlaces(connection, [query])[0]!)
  const where = parts.length === 0 ? '0' : parts.map(({ sql }) => `(${sql})`).join(' OR ')
  const values = parts.flatMap((part) => part.values)
  const visible = 'sum(m.visible_until > ?) AS visible'
  const categories = connection.all<Tally['categories'][number] & { held: number }>(
    `SELECT m.category, count(*) AS memories, ${visible}, sum(m.trust = 'quarantined') AS held
     FROM memories m WHERE ${where} GROUP BY m.category ORDER BY m.category`,
    query.visibleAt,
    ...values,
  )
  const services = connection.all<Tally['services'][number]>(
    `SELECT m.service, count(*) AS memories FROM memories m WHERE ${where}
     GROUP BY m.service ORDER BY memories DESC, m.service LIMIT ${MOST_SERVICES}`,
    ...values,
  )
  const days = connection.all<Tally['days'][number]>(
    `SELECT substr(m.created_at, 1, 10) AS day, count(*) AS memories, sum(instr(m.links, '"contradicts"') > 0) AS corrections
     FROM memories m WHERE (${where}) AND m.created_at >= ? GROUP BY day ORDER BY day`,
    ...values,
    query.since,
  )
  const sum = (key: 'memories' | 'visible' | 'held') => categories.reduce((total, row) => total + row[key], 0)
  return {
    memories: sum('memories'),
    visible: sum('visible'),
    held: sum('held'),
    categories: categories.map(({ held: _, ...row }) => row),
    services,
    days,
  }
}
