import { MOST_SERVICES, type Tally, type TallyQuery } from '../tally.ts'
import type { Queries } from './client.ts'
import { findPlaces, within } from './scopes.ts'
import { Values } from './values.ts'

interface TallyRow {
  categories: (Tally['categories'][number] & { held: number })[] | null
  services: Tally['services'] | null
  days: Tally['days'] | null
}

/** Grouped on the server, in one statement: the three parts are of one moment, and no memory is read into the process. */
export async function tallyMemories(queries: Queries, query: TallyQuery): Promise<Tally> {
  const [place] = await findPlaces(queries, [query])
  const values = new Values()
  const visible = `m.visible_until > ${values.bind(query.visibleAt)}`
  const since = `m.created_at >= ${values.bind(query.since)}`
  const [found] = await queries.query<TallyRow>(
    `WITH own AS MATERIALIZED (
       SELECT m.category, m.service, ${visible} AS visible, m.trust = 'quarantined' AS held,
         CASE WHEN ${since} THEN substr(m.created_at, 1, 10) END AS day,
         ${since} AND m.links::text LIKE '%"contradicts"%' AS corrects
       FROM memories m WHERE ${within(place!, values)})
     SELECT (SELECT json_agg(c) FROM (SELECT category, count(*)::int AS memories, count(*) FILTER (WHERE visible)::int AS visible,
         count(*) FILTER (WHERE held)::int AS held FROM own GROUP BY category ORDER BY category) c) AS categories,
       (SELECT json_agg(s) FROM (SELECT service, count(*)::int AS memories FROM own GROUP BY service
         ORDER BY memories DESC, coalesce(service, '') LIMIT ${MOST_SERVICES}) s) AS services,
       (SELECT json_agg(d) FROM (SELECT day, count(*)::int AS memories, count(*) FILTER (WHERE corrects)::int AS corrections
         FROM own WHERE day IS NOT NULL GROUP BY day ORDER BY day) d) AS days`,
    values.list,
  )
  const { categories, services, days } = found!
  const sum = (key: 'memories' | 'visible' | 'held') => (categories ?? []).reduce((total, row) => total + row[key], 0)
  return {
    memories: sum('memories'),
    visible: sum('visible'),
    held: sum('held'),
    categories: (categories ?? []).map(({ held: _, ...row }) => row),
    services: services ?? [],
    days: days ?? [],
  }
}
