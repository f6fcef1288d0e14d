import { type Extensions, PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import type { Queries, SqlClient } from '../../src/storage/postgres/postgres-storage.ts'

/**
 * Empties all tables except those with the schema version and the models' indexes. Creating the tables again for each case takes ten times as long. TRUNCATE
 * gives every table and index a new file, so it is only used for the vectors, because DELETE would leave them in their index.
 */
export const CLEAR = `DO $$ DECLARE each record; BEGIN
  FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT IN
    ('_migrations', '_expansions', 'memory_categories', 'models', 'embeddings')
    ORDER BY tablename = 'sessions' LOOP EXECUTE format('DELETE FROM %I', each.tablename); END LOOP;
  IF to_regclass('embeddings') IS NOT NULL THEN TRUNCATE embeddings; END IF;
END $$`

/** PostgreSQL in this process with one connection, so a transaction runs alone. */
export interface Pglite {
  client: SqlClient
  /** Drops everything: the next store starts with an empty database. */
  reset(): Promise<void>
  /** Empties the tables. */
  clear(): Promise<void>
}

export async function startPglite({ extensions = { vector } }: { extensions?: Extensions } = {}): Promise<Pglite> {
  const db = await PGlite.create({ extensions })
  await db.exec('CREATE SCHEMA extensions; SET search_path = public, extensions')
  if ('vector' in extensions) await db.exec('CREATE EXTENSION vector SCHEMA extensions')
  return {
    client: {
      ...queriesOf(db),
      transaction: (work, first) =>
        db.transaction(async (transaction) => {
          const queries = queriesOf(transaction)
          const read = first ? await queries.query<unknown>(first.sql, first.values) : []
          return work({ ...queries, commit: async () => {} }, read)
        }),
      reading: (work) => db.transaction((transaction) => work(queriesOf(transaction))),
      listen: (channel, heard) => db.listen(channel, heard),
      close: async () => {},
    },
    async reset() {
      await db.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    },
    async clear() {
      await db.exec(CLEAR)
    },
  }
}

function queriesOf(db: Pick<PGlite, 'query' | 'exec'>): Queries {
  return {
    async query<Row>(sql: string, values?: readonly unknown[]) {
      return (await db.query<Row>(sql, values && [...values])).rows
    },
    async script(sql) {
      await db.exec(sql)
    },
  }
}
