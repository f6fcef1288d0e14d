/** SQL that several triggers share. Frozen: see tables.ts. */

/** The current time in the record's format. */
export const NOW = `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`
/** A time in any form SQLite reads, converted to the record's format; NULL if it is not a time. */
export const TIME = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column})`
/** The same, with the current time as default. */
export const ISO = (column: string) => `coalesce(${TIME(column)}, ${NOW})`

/** Whether a text is JSON of this type; never raises an error. */
export function isJson(value: string, type: 'object' | 'array'): string {
  return `CASE WHEN json_valid(${value}) THEN json_type(${value}) = '${type}' ELSE 0 END`
}

/** The session of a row: by the key we gave it, or by another tool's number. */
export const SESSION_OF = (row: string) =>
  `(SELECT coalesce(s.key, CAST(s.id AS TEXT)) FROM sessions s WHERE s.id = ${row}.session_id)`

/** `lasts`: extra conditions under which a memory does not fade. `added`: columns from a later migration. */
export function viewsWith(lasts: string, added: readonly string[]): string {
  return `
-- When a memory leaves all read paths, as visibleUntil of the lifecycle says it: confidence falls by 0.1 a week after 30 days, to 0.3.
CREATE VIEW IF NOT EXISTS memory_visibility AS SELECT id, CASE WHEN active = 0 OR trust = 'quarantined' THEN '' ELSE min(
  coalesce(expires_at, '9999-12-31T23:59:59.999Z'),
  CASE WHEN ${lasts}(SELECT decays FROM memory_categories WHERE name = category) = 0 THEN '9999-12-31T23:59:59.999Z' ELSE coalesce(
    strftime('%Y-%m-%dT%H:%M:%fZ', ${ISO('updated_at')}, '+' ||
      (30 + 7 * (decayed_weeks + max(1, CAST(round((confidence - 0.3) * 100) AS INTEGER) / 10 + 1))) || ' days'),
    '9999-12-31T23:59:59.999Z') END) END AS until FROM memories;

-- A memory as the history keeps it.
CREATE VIEW IF NOT EXISTS memory_states AS SELECT m.id, json_object('ulid', ulid, 'observation', observation,
  'scope', scope, 'identifiers', identifiers, 'category', category, 'service', service, 'source', source, 'tags', tags,
  'metadata', metadata, 'anchor', anchor, 'importance', importance, 'confidence', confidence, 'active', active,
  'decayed_weeks', decayed_weeks, 'tier', tier, 'trust', trust, 'links', links, 'thread_id', thread_id,
  'thread_index', thread_index, 'occurred_at', occurred_at, 'expires_at', expires_at, 'last_recalled_at', last_recalled_at,
  'recall_count', recall_count, ${added.map((name) => `'${name}', ${name}, `).join('')}'created_at', created_at, 'updated_at', updated_at, 'version', version,
  'session', ${SESSION_OF('m')}) AS state FROM memories m;
`
}

export const VIEWS = viewsWith('', [])

/**
 * Before a change replaces a memory's current state, writes that state to the history. Its recall count is already
 * there.
 */
export const writeDownState = (id: string, ulid: string, version: string) => `
  UPDATE changes SET after = (SELECT json_set(s.state, '$.recall_count', changes.recall_count, '$.last_recalled_at', changes.last_recalled_at)
    FROM memory_states s WHERE s.id = ${id})
  WHERE memory = ${ulid} AND version = ${version} AND after IS NULL AND operation <> 'delete';`
