import type { Queries } from './client.ts'

interface Grant {
  name: string
  grantee: string
  privilege: string
}

interface Relation {
  oid: number
  name: string
}

const RELATIONS = `SELECT oid::int8::float8 AS oid, relname AS name FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'v')`
const GRANTS = `SELECT c.relname AS name, g.grantee::regrole::text AS grantee, g.privilege_type AS privilege
  FROM pg_class c, aclexplode(c.relacl) g
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'v') AND g.grantee NOT IN (0, c.relowner)`

export interface Access {
  relations: ReadonlySet<number>
  grants: readonly Grant[]
}

/** The store's tables and views, and what other users may do with them. */
export async function readAccess(queries: Queries): Promise<Access> {
  const relations = (await queries.query<Relation>(RELATIONS)).map(({ oid }) => oid)
  return { relations: new Set(relations), grants: await queries.query<Grant>(GRANTS) }
}

/**
 * After an upgrade, a recreated view keeps its grants, and new objects get those of `memories`, so that other users' programs keep working.
 */
export async function restoreGrants(queries: Queries, { relations, grants }: Access): Promise<void> {
  for (const { oid, name } of await queries.query<Relation>(RELATIONS)) {
    if (relations.has(oid)) continue
    const model = grants.some((grant) => grant.name === name) ? name : 'memories'
    for (const { grantee, privilege } of grants.filter((grant) => grant.name === model)) {
      // regrole quotes the name where it needs quotes.
      await queries.script(`GRANT ${privilege} ON "${name}" TO ${grantee}`)
    }
  }
}
