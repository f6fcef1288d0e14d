import { visibleUntil } from '../../lifecycle/decay.ts'
import { memoryTokens } from '../../text/tokens.ts'
import { type MemoryRow, toMemory } from '../sql/memory-columns.ts'
import { sql } from '../sql/sql.ts'
import type { Queries, SqlClient } from './client.ts'
import { ask } from './dialect.ts'
import { SELECT_MEMORY } from './row.ts'
import { indexed } from './token-index.ts'

const HAS_UNINDEXED = 'SELECT EXISTS (SELECT 1 FROM unindexed_memories) AS waiting'

export async function hasUnindexed(queries: Queries): Promise<boolean> {
  const [row] = await queries.query<{ waiting: boolean }>(HAS_UNINDEXED)
  return row!.waiting
}

/** Computes the tokens and the fading time of rows that other programs inserted, because SQL cannot. */
export async function indexForeignRows(client: SqlClient): Promise<void> {
  await client.transaction(async (queries) => {
    // Locked, so that a commit that changes one of them waits, and then writes its own tokens.
    const rows = await ask<MemoryRow & { row_id: string; scope_key: number }>(
      queries,
      sql`SELECT ${SELECT_MEMORY}, m.id::text AS row_id, m.scope_key FROM memories m
       WHERE m.id IN (SELECT id FROM unindexed_memories) ORDER BY m.ulid FOR UPDATE OF m`,
    )
    const made = rows.map((row) => {
      const memory = toMemory(row, (value) => value)
      const tokens = memoryTokens(memory).map((token) => indexed(token, row.scope_key))
      return { id: row.row_id, tokens, until: visibleUntil(memory) }
    })
    await queries.query(
      `UPDATE memories m SET tokens = r.tokens, visible_until = r.until
       FROM json_to_recordset($1::json) AS r(id bigint, tokens text[], until text) WHERE m.id = r.id`,
      [JSON.stringify(made)],
    )
    // Rows that were inserted meanwhile, or deleted before, are not among those above.
    await queries.query(
      `DELETE FROM unindexed_memories u WHERE u.id = ANY ($1::bigint[]) OR NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = u.id)`,
      [made.map(({ id }) => id)],
    )
  })
}
