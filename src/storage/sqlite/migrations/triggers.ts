import { ISO, isJson, NOW, TIME, writeDownState } from './views.ts'

/** The triggers, as SQL. Frozen: see tables.ts. */

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const MILLISECONDS = `CAST((julianday('now') - 2440587.5) * 86400000.0 AS INTEGER)`
/** Generates a ULID in SQL, for rows that other tools insert. Hexadecimal digits are valid base-32 digits. */
const NEW_ULID = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
  .map((i) => `substr('${ALPHABET}', ((${MILLISECONDS} >> ${5 * i}) & 31) + 1, 1)`)
  .concat('hex(randomblob(8))')
  .join(' || ')

const PROJECT_OF = `CASE WHEN scope IN ('agent', 'task', 'section') THEN coalesce(identifiers ->> 'projectId', '') ELSE '' END`

/** Completes a row that another tool wrote: identity, scope, times, visibility. That tool cannot set its own trust. */
const COMPLETE_ROW = (where: string) => `
  INSERT OR IGNORE INTO scopes (layer, owner, project) SELECT scope, scope_id, ${PROJECT_OF} FROM memories WHERE ${where};
  UPDATE memories SET
    ulid = ${NEW_ULID},
    identifiers = json_set(identifiers, '$.' || scope || 'Id', scope_id),
    scope_key = (SELECT c.id FROM scopes c WHERE c.layer = scope AND c.owner = scope_id AND c.project = ${PROJECT_OF}),
    created_at = ${ISO('created_at')},
    updated_at = ${ISO('updated_at')},
    trust = CASE trust WHEN 'quarantined' THEN trust ELSE 'flagged' END,
    visible_until = (SELECT v.until FROM memory_visibility v WHERE v.id = memories.id)
  WHERE ${where};`

const RECORD_CREATION = (where: string) => `
  INSERT INTO changes (memory, row_id, version, operation, at, by, recall_count, last_recalled_at)
    SELECT m.ulid, m.id, m.version, 'create', m.updated_at, m.changed_by, m.recall_count, m.last_recalled_at
    FROM memories m WHERE ${where};`

/** Recounts everything that the triggers then maintain. */
export const COUNT_ROWS = `
UPDATE scopes SET memories = (SELECT count(*) FROM memories m WHERE m.scope_key = scopes.id),
  active = (SELECT coalesce(sum(m.active), 0) FROM memories m WHERE m.scope_key = scopes.id);
UPDATE models SET memories = (SELECT count(*) FROM memories m JOIN embeddings e ON e.id = m.embedding_id WHERE e.model = models.id);
UPDATE settings SET value = (SELECT count(*) FROM sessions WHERE begun_at IS NOT NULL) WHERE name = 'sessions';
`

/** Fills in the sessions of an older file. */
export const COMPLETE_SESSIONS = `
UPDATE sessions SET key = CAST(id AS TEXT) WHERE key IS NULL;
UPDATE sessions SET begun_at = ${ISO('started_at')} WHERE begun_at IS NULL;
INSERT OR IGNORE INTO sessions (id, key, started_at, begun_at)
  SELECT DISTINCT session_id, CAST(session_id AS TEXT), ${NOW}, ${NOW} FROM memories WHERE session_id IS NOT NULL;
`

/** Fills in the rows of an older tool's file. */
export const COMPLETE_EXISTING_ROWS = `
${COMPLETE_SESSIONS}
${COMPLETE_ROW('ulid IS NULL')}
${RECORD_CREATION('1')}
INSERT INTO unindexed_memories SELECT id FROM memories;
`

const LAYERS = `'agent', 'user', 'session', 'task', 'section', 'project', 'team', 'org', 'company'`
export const SOURCES = `'extraction', 'manual', 'system', 'coder', 'reviewer', 'orchestrator', 'coordinator'`
const TRUSTS = `'operator', 'agent', 'corroborated', 'flagged', 'quarantined'`
export const oneOf = (list: string) => `must be one of ${list.replaceAll(`'`, '')}`
export const isTime = (value: string) => `${value} IS NULL OR ${value} = ${TIME(value)}`
const TIME_RULE = 'must be a time such as 2026-01-31T12:00:00.000Z'
export type Rule = readonly [column: string, holds: (value: string) => string, rule: string]

/** Constraints on columns for every writer: the SQL condition, and the message if it fails. */
const RULES: readonly Rule[] = [
  ['observation', (value) => `trim(${value}) <> ''`, 'must not be empty'],
  [
    'category',
    (value) => `${value} IN (SELECT stored_as FROM memory_categories)`,
    'must be one of those in memory_categories',
  ],
  ['scope', (value) => `${value} IN (${LAYERS})`, oneOf(LAYERS)],
  ['source', (value) => `${value} IN (${SOURCES})`, oneOf(SOURCES)],
  ['confidence', (value) => `typeof(${value}) = 'real' AND ${value} BETWEEN 0 AND 1`, 'must be from 0 to 1'],
  ['active', (value) => `${value} IN (0, 1)`, 'must be 0 or 1'],
  ['tier', (value) => `${value} IN (0, 1, 2, 3)`, 'must be 0, 1, 2 or 3'],
  ['importance', (value) => `typeof(${value}) <> 'text' AND ${value} BETWEEN 0 AND 100`, 'must be from 0 to 100'],
  ['trust', (value) => `${value} IN (${TRUSTS})`, oneOf(TRUSTS)],
  ['identifiers', (value) => isJson(value, 'object'), 'must be a JSON object'],
  ['metadata', (value) => isJson(value, 'object'), 'must be a JSON object'],
  ['links', (value) => isJson(value, 'array'), 'must be a JSON array'],
  [
    'tags',
    (value) =>
      `CASE WHEN ${isJson(value, 'array')} THEN NOT EXISTS (SELECT 1 FROM json_each(${value}) WHERE type <> 'text') ELSE 0 END`,
    'must be a JSON array of words',
  ],
  ['expires_at', isTime, TIME_RULE],
  ['occurred_at', isTime, TIME_RULE],
]

const REFUSE = (rules: readonly Rule[], when: (column: string) => string) =>
  rules
    .map(
      ([column, holds, rule]) =>
        `SELECT RAISE(ABORT, '${column} ${rule}') WHERE ${when(column)} NOT coalesce(${holds(`NEW.${column}`)}, 0);`,
    )
    .join('\n  ')

/** A change to one of these columns makes a new version. */
const VERSIONED = `observation, category, service, source, tags, metadata, anchor, importance, confidence, active, tier, expires_at,
  trust, links, thread_id, thread_index, occurred_at`
/** The guard has not checked this text. */
const TRUST_LEFT = `CASE WHEN OLD.trust <> 'quarantined' AND (NEW.observation IS NOT OLD.observation OR NEW.service IS NOT OLD.service
    OR NEW.tags IS NOT OLD.tags OR NEW.metadata IS NOT OLD.metadata OR NEW.anchor IS NOT OLD.anchor) THEN 'flagged' ELSE OLD.trust END`
/** A modified row restarts its grace period. */
const SETTLE = (besides: string) => `
  UPDATE memories SET ${besides}created_at = ${ISO('created_at')}, updated_at = ${ISO('updated_at')},
    decayed_weeks = CASE WHEN NEW.updated_at IS OLD.updated_at THEN decayed_weeks ELSE 0 END WHERE id = NEW.id;
  UPDATE memories SET visible_until = (SELECT v.until FROM memory_visibility v WHERE v.id = NEW.id) WHERE id = NEW.id;`
const WRITE_DOWN_STATE = writeDownState('OLD.id', 'OLD.ulid', 'OLD.version')
const COUNT_VECTOR = (row: string, sign: string) => `
  UPDATE models SET memories = memories ${sign} 1 WHERE id = (SELECT model FROM embeddings WHERE id = ${row}.embedding_id);`
const REMOVE_FROM_PAGE = `
  INSERT OR IGNORE INTO vector_removals (page, key) SELECT OLD.vector_page, OLD.id WHERE OLD.vector_page IS NOT NULL`

/**
 * Triggers keep the counters for every writer. The other triggers serve other tools: they complete rows, maintain
 * history, versions and visibility, mark what must be indexed, and refuse what the engine could not read. The engine
 * does all this itself; its rows are recognised by the id they bring, the version they raise, or '@' before a deletion.
 * `added` are rules from later migrations, for new columns or replacing earlier rules.
 */
export function triggersWith(added: readonly Rule[]): string {
  const names = added.map(([column]) => column)
  const rules = [...RULES.filter(([column]) => !names.includes(column)), ...added]
  const versioned = [VERSIONED, ...names.filter((name) => name !== 'source')].join(', ')
  return `
CREATE TRIGGER IF NOT EXISTS memories_insert_checked BEFORE INSERT ON memories WHEN NEW.ulid IS NULL BEGIN
  -- Replacing a row would delete it behind the triggers' back.
  SELECT RAISE(ABORT, 'a memory with this id exists already: use UPDATE') WHERE EXISTS (SELECT 1 FROM memories WHERE id = NEW.id);
  ${REFUSE(rules, () => '')}
END;

CREATE TRIGGER IF NOT EXISTS memories_update_checked
BEFORE UPDATE OF id, ulid, scope_id, scope_key, ${rules.map(([column]) => column).join(', ')} ON memories
WHEN OLD.ulid IS NOT NULL AND NEW.version = OLD.version BEGIN
  SELECT RAISE(ABORT, 'id, ulid, scope, scope_id and identifiers of a memory cannot change')
    WHERE NEW.id IS NOT OLD.id OR NEW.ulid IS NOT OLD.ulid OR NEW.scope IS NOT OLD.scope OR NEW.scope_id IS NOT OLD.scope_id
      OR NEW.scope_key IS NOT OLD.scope_key OR NEW.identifiers IS NOT OLD.identifiers;
  ${REFUSE(rules, (column) => `NEW.${column} IS NOT OLD.${column} AND`)}
  SELECT RAISE(ABORT, 'trust cannot be changed here: use nokosu review') WHERE NEW.trust IS NOT OLD.trust;
END;

CREATE TRIGGER IF NOT EXISTS memories_inserted AFTER INSERT ON memories WHEN NEW.ulid IS NOT NULL BEGIN
  UPDATE scopes SET memories = memories + 1, active = active + NEW.active WHERE id = NEW.scope_key;
  ${COUNT_VECTOR('NEW', '+')}
END;

CREATE TRIGGER IF NOT EXISTS memories_adopted AFTER INSERT ON memories WHEN NEW.ulid IS NULL BEGIN
  ${COMPLETE_ROW('id = NEW.id')}
  UPDATE scopes SET memories = memories + 1, active = active + NEW.active
    WHERE id = (SELECT scope_key FROM memories WHERE id = NEW.id);
  ${RECORD_CREATION('m.id = NEW.id')}
  INSERT OR IGNORE INTO unindexed_memories VALUES (NEW.id);
END;

CREATE TRIGGER IF NOT EXISTS memories_retexted AFTER UPDATE OF observation, service, tags ON memories
WHEN NEW.version = OLD.version AND (NEW.observation IS NOT OLD.observation OR NEW.service IS NOT OLD.service OR NEW.tags IS NOT OLD.tags)
BEGIN
  INSERT OR IGNORE INTO unindexed_memories VALUES (NEW.id);
  -- The vector no longer speaks for a text that changed.
  ${REMOVE_FROM_PAGE} AND NEW.observation IS NOT OLD.observation;
  UPDATE memories SET embedding_id = NULL, vector_page = NULL WHERE id = NEW.id AND NEW.observation IS NOT OLD.observation;
END;

CREATE TRIGGER IF NOT EXISTS memories_timed AFTER UPDATE OF created_at, updated_at ON memories
WHEN NEW.version = OLD.version AND OLD.ulid IS NOT NULL
  AND (NEW.created_at IS NOT OLD.created_at OR NEW.updated_at IS NOT OLD.updated_at)
BEGIN ${SETTLE('')}
END;

CREATE TRIGGER IF NOT EXISTS memories_replaced BEFORE UPDATE OF ${versioned}
ON memories WHEN OLD.ulid IS NOT NULL AND NEW.version = OLD.version BEGIN ${WRITE_DOWN_STATE}
END;

CREATE TRIGGER IF NOT EXISTS memories_updated AFTER UPDATE OF ${versioned}
ON memories WHEN OLD.ulid IS NOT NULL AND NEW.version = OLD.version BEGIN
  ${SETTLE(`version = OLD.version + 1, changed_by = 'sql', trust = ${TRUST_LEFT}, `)}
  INSERT INTO changes (memory, row_id, version, operation, at, by, recall_count, last_recalled_at)
    SELECT m.ulid, m.id, m.version, 'update', ${NOW}, 'sql', m.recall_count, m.last_recalled_at FROM memories m WHERE m.id = NEW.id;
END;

CREATE TRIGGER IF NOT EXISTS memories_counted AFTER UPDATE OF active, scope_key ON memories
WHEN OLD.scope_key IS NOT NULL AND (NEW.active <> OLD.active OR NEW.scope_key <> OLD.scope_key) BEGIN
  UPDATE scopes SET memories = memories - 1, active = active - OLD.active WHERE id = OLD.scope_key;
  UPDATE scopes SET memories = memories + 1, active = active + NEW.active WHERE id = NEW.scope_key;
END;

CREATE TRIGGER IF NOT EXISTS memories_embedded AFTER UPDATE OF embedding_id ON memories WHEN NEW.embedding_id IS NOT OLD.embedding_id BEGIN
  ${COUNT_VECTOR('OLD', '-')}
  ${COUNT_VECTOR('NEW', '+')}
END;

CREATE TRIGGER IF NOT EXISTS memories_deleted AFTER DELETE ON memories BEGIN
  UPDATE scopes SET memories = memories - 1, active = active - OLD.active WHERE id = OLD.scope_key;
  ${COUNT_VECTOR('OLD', '-')}
  ${REMOVE_FROM_PAGE};
END;

CREATE TRIGGER IF NOT EXISTS memories_deleted_elsewhere BEFORE DELETE ON memories WHEN OLD.changed_by <> '@' BEGIN
  ${WRITE_DOWN_STATE}
  INSERT INTO changes (memory, row_id, version, operation, at, by)
    VALUES (OLD.ulid, OLD.id, OLD.version + 1, 'delete', ${NOW}, 'sql');
  INSERT OR IGNORE INTO unindexed_memories VALUES (OLD.id);
END;

CREATE TRIGGER IF NOT EXISTS sessions_inserted AFTER INSERT ON sessions WHEN NEW.key IS NULL BEGIN
  UPDATE sessions SET begun_at = ${ISO('started_at')},
    key = CASE WHEN EXISTS (SELECT 1 FROM sessions WHERE key = CAST(NEW.id AS TEXT)) THEN NULL ELSE CAST(NEW.id AS TEXT) END
    WHERE id = NEW.id;
END;

CREATE TRIGGER IF NOT EXISTS sessions_moved AFTER UPDATE OF started_at ON sessions
WHEN NEW.started_at IS NOT OLD.started_at AND NEW.begun_at IS OLD.begun_at BEGIN
  UPDATE sessions SET begun_at = ${ISO('started_at')} WHERE id = NEW.id;
END;

CREATE TRIGGER IF NOT EXISTS sessions_counted AFTER INSERT ON sessions WHEN NEW.begun_at IS NOT NULL BEGIN
  UPDATE settings SET value = value + 1 WHERE name = 'sessions';
END;
CREATE TRIGGER IF NOT EXISTS sessions_begun AFTER UPDATE OF begun_at ON sessions WHEN OLD.begun_at IS NULL AND NEW.begun_at IS NOT NULL BEGIN
  UPDATE settings SET value = value + 1 WHERE name = 'sessions';
END;
CREATE TRIGGER IF NOT EXISTS sessions_deleted AFTER DELETE ON sessions WHEN OLD.begun_at IS NOT NULL BEGIN
  UPDATE settings SET value = value - 1 WHERE name = 'sessions';
END;
`
}

export const TRIGGERS = triggersWith([])
