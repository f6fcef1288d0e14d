import { within } from '../sql/places.ts'
import { raw, sql } from '../sql/sql.ts'
import { type TallyRows, toTally } from '../sql/tally.ts'
import { MOST_LISTED, type Tally, type TallyQuery } from '../tally.ts'
import type { Queries } from './client.ts'
import { ask, POSTGRES } from './dialect.ts'
import { findPlaces } from './scopes.ts'

/** Grouped on the server in one statement: the parts are consistent, and no memory is loaded. */
export async function tallyMemories(queries: Queries, query: TallyQuery): Promise<Tally> {
  const [place] = await findPlaces(queries, [query])
  const since = sql`m.created_at >= ${query.since}`
  const [found] = await ask<{ [Part in keyof TallyRows]: TallyRows[Part] | null }>(
    queries,
    sql`WITH own AS MATERIALIZED (
       SELECT m.category, m.service, m.identifiers ->> 'projectId' AS project, m.visible_until > ${query.visibleAt} AS visible, m.trust = 'quarantined' AS held,
         CASE WHEN ${since} THEN substr(m.created_at, 1, 10) END AS day,
         ${since} AND m.links::text LIKE '%"contradicts"%' AS corrects
       FROM memories m WHERE ${within(POSTGRES, place!)}${query.withoutHeld ? sql` AND m.trust <> 'quarantined'` : sql``})
     SELECT (SELECT json_agg(c) FROM (SELECT category, count(*)::int AS memories, count(*) FILTER (WHERE visible)::int AS visible,
         count(*) FILTER (WHERE held)::int AS held FROM own GROUP BY category ORDER BY category) c) AS categories,
       (SELECT json_agg(s) FROM (SELECT service, count(*)::int AS memories FROM own GROUP BY service
         ORDER BY memories DESC, coalesce(service, '') LIMIT ${raw(MOST_LISTED)}) s) AS services,
       (SELECT json_agg(p) FROM (SELECT project, count(*)::int AS memories FROM own GROUP BY project
         ORDER BY memories DESC, coalesce(project, '') LIMIT ${raw(MOST_LISTED)}) p) AS projects,
       (SELECT json_agg(d) FROM (SELECT day, count(*)::int AS memories, count(*) FILTER (WHERE corrects)::int AS corrections
         FROM own WHERE day IS NOT NULL GROUP BY day ORDER BY day) d) AS days`,
  )
  const { categories, services, projects, days } = found!
  return toTally({ categories: categories ?? [], services: services ?? [], projects: projects ?? [], days: days ?? [] })
}
