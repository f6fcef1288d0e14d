import { LAYERS, REQUIRED_IDENTIFIER } from '../../model/layer.ts'
import { CATEGORIES, SOURCES } from '../../model/memory.ts'
import { ISO, isJson, NOW, TIME, WORDS } from './expressions.ts'
import { MEMORY_COLUMNS, SESSION_OF } from './schema.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** A ULID in SQL, for rows that other tools insert. */
const NEW_ULID = [
  ...[9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map(
    (i) =>
      `substr('${ALPHABET}', ((CAST((julianday('now') - 2440587.5) * 86400000.0 AS INTEGER) >> ${5 * i}) & 31) + 1, 1)`,
  ),
  ...Array.from({ length: 16 }, () => `substr('${ALPHABET}', (random() & 31) + 1, 1)`),
].join(' || ')

const STATE = (row: string) =>
  `json_object(${MEMORY_COLUMNS.map((column) => `'${column}', ${row}.${column}`).join(', ')}, 'session', ${SESSION_OF(row)})`

const LABELS = (row: string) =>
  `coalesce(${row}.service, '') || ' ' || coalesce((SELECT group_concat(value, ' ') FROM json_each(${row}.tags)), '')`
const INDEX_TEXT = `
  INSERT INTO memories_fts (rowid, scope, observation, labels)
    SELECT m.id, 's' || m.scope_key, m.observation, ${LABELS('m')} FROM memories m WHERE m.id = NEW.id;`
/** The index keeps no text of its own, so it has to be told what it once was given. */
const UNINDEX_TEXT = `
  INSERT INTO memories_fts (memories_fts, rowid, scope, observation, labels)
    VALUES ('delete', OLD.id, 's' || OLD.scope_key, OLD.observation, ${LABELS('OLD')});`
const REMOVE_FROM_PAGE = `
  INSERT INTO vector_removals (page, key) SELECT OLD.vector_page, OLD.id WHERE OLD.vector_page IS NOT NULL`

/** Completes a row that another tool wrote: identity, scope, times. */
const COMPLETE_ROW = (where: string) => `
  INSERT OR IGNORE INTO scopes (layer, owner, project)
    SELECT scope, scope_id, CASE WHEN scope IN ('agent', 'task', 'section') THEN coalesce(identifiers ->> 'projectId', '') ELSE '' END
    FROM memories WHERE ${where};
  UPDATE memories SET
    ulid = ${NEW_ULID},
    identifiers = json_set(identifiers, CASE scope ${LAYERS.map((layer) => `WHEN '${layer}' THEN '$.${REQUIRED_IDENTIFIER[layer]}'`).join(' ')} END, scope_id),
    scope_key = (SELECT c.id FROM scopes c WHERE c.layer = scope AND c.owner = scope_id AND c.project =
      CASE WHEN scope IN ('agent', 'task', 'section') THEN coalesce(identifiers ->> 'projectId', '') ELSE '' END),
    created_at = ${ISO('created_at')},
    updated_at = ${ISO('updated_at')}
  WHERE ${where};`

const RECORD_CREATION = (where: string) => `
  INSERT INTO changes (memory, row_id, version, operation, at, by, before, after)
    SELECT m.ulid, m.id, m.version, 'create', m.updated_at, m.changed_by, NULL, ${STATE('m')} FROM memories m WHERE ${where};`

/** Brings rows of an older file up to the record. */
export const COMPLETE_EXISTING_ROWS = `
UPDATE sessions SET key = CAST(id AS TEXT) WHERE key IS NULL;
INSERT OR IGNORE INTO sessions (id, key, started_at)
  SELECT DISTINCT session_id, CAST(session_id AS TEXT), ${NOW} FROM memories WHERE session_id IS NOT NULL;
${COMPLETE_ROW('ulid IS NULL')}
INSERT INTO memories_fts (rowid, scope, observation, labels)
  SELECT m.id, 's' || m.scope_key, m.observation, ${LABELS('m')} FROM memories m;
${RECORD_CREATION('1')}
`

/** What may stand in a column, whoever writes it: the SQL that must hold of a value, and what to say when it does not. */
const RULES: readonly (readonly [column: string, holds: (value: string) => string, rule: string])[] = [
  ['observation', (value) => `trim(${value}) <> ''`, 'must not be empty'],
  ['category', (value) => `${value} IN (${WORDS(CATEGORIES)})`, `must be one of ${CATEGORIES.join(', ')}`],
  ['scope', (value) => `${value} IN (${WORDS(LAYERS)})`, `must be one of ${LAYERS.join(', ')}`],
  ['source', (value) => `${value} IN (${WORDS(SOURCES)})`, `must be one of ${SOURCES.join(', ')}`],
  ['confidence', (value) => `typeof(${value}) = 'real' AND ${value} BETWEEN 0 AND 1`, 'must be from 0 to 1'],
  ['active', (value) => `${value} IN (0, 1)`, 'must be 0 or 1'],
  ['tier', (value) => `${value} IN (0, 1, 2, 3)`, 'must be 0, 1, 2 or 3'],
  ['importance', (value) => `typeof(${value}) <> 'text' AND ${value} BETWEEN 0 AND 100`, 'must be from 0 to 100'],
  ['identifiers', (value) => isJson(value, 'object'), 'must be a JSON object'],
  ['metadata', (value) => isJson(value, 'object'), 'must be a JSON object'],
  [
    'tags',
    (value) =>
      `CASE WHEN ${isJson(value, 'array')} THEN NOT EXISTS (SELECT 1 FROM json_each(${value}) WHERE type <> 'text') ELSE 0 END`,
    'must be a JSON array of words',
  ],
  [
    'expires_at',
    (value) => `${value} IS NULL OR ${value} = ${TIME(value)}`,
    'must be a time such as 2026-01-31T12:00:00.000Z',
  ],
]

const REFUSE = (when: (column: string) => string) =>
  RULES.map(
    ([column, holds, rule]) =>
      `SELECT RAISE(ABORT, '${column} ${rule}') WHERE ${when(column)} NOT coalesce(${holds(`NEW.${column}`)}, 0);`,
  ).join('\n  ')

/**
 * Triggers keep text index, history and versions true for every writer, other tools included, and refuse what the engine could
 * not read. The engine checks its own rows before; they are known by the id or version they bring.
 */
export const TRIGGERS = `
CREATE TRIGGER IF NOT EXISTS memories_insert_checked BEFORE INSERT ON memories WHEN NEW.ulid IS NULL BEGIN
  -- Replacing a row would delete it behind the triggers' back.
  SELECT RAISE(ABORT, 'a memory with this id exists already: use UPDATE') WHERE EXISTS (SELECT 1 FROM memories WHERE id = NEW.id);
  ${REFUSE(() => '')}
END;

CREATE TRIGGER IF NOT EXISTS memories_update_checked
BEFORE UPDATE OF id, ulid, scope_id, scope_key, ${RULES.map(([column]) => column).join(', ')} ON memories
WHEN OLD.ulid IS NOT NULL AND NEW.version = OLD.version BEGIN
  SELECT RAISE(ABORT, 'id, ulid, scope, scope_id and identifiers of a memory cannot change')
    WHERE NEW.id IS NOT OLD.id OR NEW.ulid IS NOT OLD.ulid OR NEW.scope IS NOT OLD.scope OR NEW.scope_id IS NOT OLD.scope_id
      OR NEW.scope_key IS NOT OLD.scope_key OR NEW.identifiers IS NOT OLD.identifiers;
  ${REFUSE((column) => `NEW.${column} IS NOT OLD.${column} AND`)}
END;

-- Of the engine's rows, complete as they come.
CREATE TRIGGER IF NOT EXISTS memories_inserted AFTER INSERT ON memories WHEN NEW.ulid IS NOT NULL BEGIN
  INSERT INTO memories_fts (rowid, scope, observation, labels)
    VALUES (NEW.id, 's' || NEW.scope_key, NEW.observation, ${LABELS('NEW')});
  INSERT INTO changes (memory, row_id, version, operation, at, by, before, after)
    SELECT NEW.ulid, NEW.id, NEW.version, 'create', NEW.updated_at, NEW.changed_by, NULL, ${STATE('NEW')}
    WHERE NEW.changed_by <> '@import';
  UPDATE memories SET changed_by = 'import' WHERE id = NEW.id AND NEW.changed_by = '@import';
END;

CREATE TRIGGER IF NOT EXISTS memories_adopted AFTER INSERT ON memories WHEN NEW.ulid IS NULL BEGIN
  ${COMPLETE_ROW('id = NEW.id')}
  ${INDEX_TEXT}
  ${RECORD_CREATION('m.id = NEW.id')}
END;

CREATE TRIGGER IF NOT EXISTS memories_reindexed
AFTER UPDATE OF observation, service, tags ON memories
WHEN NEW.observation IS NOT OLD.observation OR NEW.service IS NOT OLD.service OR NEW.tags IS NOT OLD.tags
BEGIN
  ${UNINDEX_TEXT}
  ${INDEX_TEXT}
  -- Another tool changed the text: its vector no longer speaks for it.
  ${REMOVE_FROM_PAGE} AND NEW.observation IS NOT OLD.observation AND NEW.embedding_id IS OLD.embedding_id;
  UPDATE memories SET embedding_id = NULL, vector_page = NULL
    WHERE id = NEW.id AND NEW.observation IS NOT OLD.observation AND NEW.embedding_id IS OLD.embedding_id;
END;

CREATE TRIGGER IF NOT EXISTS memories_timed AFTER UPDATE OF created_at, updated_at ON memories
WHEN NEW.created_at IS NOT ${TIME('NEW.created_at')} OR NEW.updated_at IS NOT ${TIME('NEW.updated_at')}
BEGIN
  UPDATE memories SET created_at = ${ISO('created_at')}, updated_at = ${ISO('updated_at')} WHERE id = NEW.id;
END;

CREATE TRIGGER IF NOT EXISTS memories_updated
AFTER UPDATE OF observation, category, service, source, tags, metadata, anchor, importance, confidence, active, tier, expires_at
ON memories WHEN OLD.ulid IS NOT NULL
BEGIN
  UPDATE memories SET version = OLD.version + 1, changed_by = 'sql', created_at = ${ISO('created_at')}, updated_at = ${ISO('updated_at')},
      decayed_weeks = CASE WHEN NEW.updated_at IS OLD.updated_at THEN decayed_weeks ELSE 0 END
    WHERE id = NEW.id AND NEW.version = OLD.version;
  INSERT INTO changes (memory, row_id, version, operation, at, by, before, after)
    SELECT m.ulid, m.id, m.version, 'update', ${NOW}, m.changed_by, ${STATE('OLD')}, ${STATE('m')}
    FROM memories m WHERE m.id = NEW.id;
END;

-- The engine leaves the name of who deletes behind an @ before it deletes.
CREATE TRIGGER IF NOT EXISTS memories_deleted AFTER DELETE ON memories BEGIN
  ${UNINDEX_TEXT}
  ${REMOVE_FROM_PAGE};
  INSERT INTO changes (memory, row_id, version, operation, at, by, before, after)
    VALUES (OLD.ulid, OLD.id, OLD.version + 1, 'delete', ${NOW},
      CASE WHEN OLD.changed_by LIKE '@%' THEN substr(OLD.changed_by, 2) ELSE 'sql' END, ${STATE('OLD')}, NULL);
END;

CREATE TRIGGER IF NOT EXISTS sessions_inserted AFTER INSERT ON sessions WHEN NEW.key IS NULL BEGIN
  UPDATE sessions SET key = CAST(id AS TEXT) WHERE id = NEW.id AND NOT EXISTS (SELECT 1 FROM sessions WHERE key = CAST(NEW.id AS TEXT));
END;
`
