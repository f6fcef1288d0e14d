import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import type { Queries, SqlClient } from '../../src/storage/postgres/postgres-storage.ts'

/** PostgreSQL in this process, with one connection: what runs between BEGIN and COMMIT runs alone. */
export interface Pglite {
  client: SqlClient
  /** Takes everything away: the next store begins with an empty database. */
  reset(): Promise<void>
}

export async function startPglite(): Promise<Pglite> {
  const db = await PGlite.create({ extensions: { vector } })
  await db.exec(
    'CREATE SCHEMA extensions; CREATE EXTENSION vector SCHEMA extensions; SET search_path = public, extensions',
  )
  return {
    client: {
      ...queriesOf(db),
      transaction: (work) => db.transaction((transaction) => work(queriesOf(transaction))),
      close: async () => {},
    },
    async reset() {
      await db.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
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
