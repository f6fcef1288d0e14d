import { within } from '../sql/places.ts'
import { sql } from '../sql/sql.ts'
import { toTally } from '../sql/tally.ts'
import { MOST_LISTED, type Tally, type TallyQuery } from '../tally.ts'
import type { Connection } from './connection.ts'
import { SQLITE } from './dialect.ts'
import { findPlaces } from './scopes.ts'

/** Grouped inside SQLite: thousands of memories take a few milliseconds, and none is loaded. */
export function tallyMemories(connection: Connection, query: TallyQuery): Tally {
  const place = within(SQLITE, findPlaces(connection, [query])[0]!)
  const where = query.withoutHeld ? sql`${place} AND m.trust <> 'quarantined'` : place
  return toTally({
    categories: connection.all(
      sql`SELECT m.category, count(*) AS memories, sum(m.visible_until > ${query.visibleAt}) AS visible,
        sum(m.trust = 'quarantined') AS held FROM memories m WHERE ${where} GROUP BY m.category ORDER BY m.category`,
    ),
    services: connection.all(
      sql`SELECT m.service, count(*) AS memories FROM memories m WHERE ${where}
        GROUP BY m.service ORDER BY memories DESC, m.service LIMIT ${MOST_LISTED}`,
    ),
    projects: connection.all(
      sql`SELECT m.identifiers ->> 'projectId' AS project, count(*) AS memories FROM memories m WHERE ${where}
        GROUP BY project ORDER BY memories DESC, project LIMIT ${MOST_LISTED}`,
    ),
    days: connection.all(
      sql`SELECT substr(m.created_at, 1, 10) AS day, count(*) AS memories, sum(instr(m.links, '"contradicts"') > 0) AS corrections
        FROM memories m WHERE ${where} AND m.created_at >= ${query.since} GROUP BY day ORDER BY day`,
    ),
  })
}
