import { LAYERS, REQUIRED_IDENTIFIER } from '../../model/layer.ts'
import { CATEGORIES, SOURCES } from '../../model/memory.ts'

/**
 * The tables, as SQL. `migrate.ts` decides what runs when. The tables are shared with other tools, whose SQLite may be years
 * older than ours: nothing in the schema may need more than SQLite 3.38.
 */

/** Operational memory as other tools know it, and the sessions that it refers to. */
export const OPERATIONAL_TABLES = `
CREATE TABLE IF NOT EXISTS sessions (id INTEGER PRIMARY KEY AUTOINCREMENT);
CREATE TABLE IF NOT EXISTS memories (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  service TEXT,
  category TEXT NOT NULL,
  observation TEXT NOT NULL,
  confidence REAL NOT NULL DEFAULT 0.7,
  active INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  session_id INTEGER REFERENCES sessions(id),
  tier INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX IF NOT EXISTS idx_memories_service_active ON memories (service, active);
CREATE INDEX IF NOT EXISTS idx_memories_confidence_active ON memories (confidence, active);
CREATE INDEX IF NOT EXISTS idx_memories_category ON memories (category);
`

/** Columns that the engine adds to tables which may exist already. */
export const ADDED_COLUMNS: Record<string, Record<string, string>> = {
  sessions: {
    key: 'TEXT',
    agent: 'TEXT',
    project: 'TEXT',
    tier: 'INTEGER',
    role: 'TEXT',
    started_at: 'TEXT',
    ended_at: 'TEXT',
    exit_code: 'INTEGER',
    outcome: 'TEXT',
  },
  events: {
    at: 'TEXT',
    type: 'TEXT',
    session_id: 'INTEGER',
    identifiers: `TEXT NOT NULL DEFAULT '{}'`,
    data: `TEXT NOT NULL DEFAULT '{}'`,
  },
  memories: {
    ulid: 'TEXT',
    scope: `TEXT NOT NULL DEFAULT 'project'`,
    scope_id: `TEXT NOT NULL DEFAULT 'default'`,
    scope_key: 'INTEGER REFERENCES scopes(id)',
    identifiers: `TEXT NOT NULL DEFAULT '{"projectId":"default"}'`,
    source: `TEXT NOT NULL DEFAULT 'system'`,
    tags: `TEXT NOT NULL DEFAULT '[]'`,
    metadata: `TEXT NOT NULL DEFAULT '{}'`,
    anchor: 'TEXT',
    importance: 'NUMERIC NOT NULL DEFAULT 50',
    expires_at: 'TEXT',
    last_recalled_at: 'TEXT',
    recall_count: 'INTEGER NOT NULL DEFAULT 0',
    version: 'INTEGER NOT NULL DEFAULT 1',
    // Whole weeks of decay already taken from the confidence since updated_at.
    decayed_weeks: 'INTEGER NOT NULL DEFAULT 0',
    embedding_id: 'INTEGER REFERENCES embeddings(id)',
    vector_page: 'INTEGER',
    changed_by: `TEXT NOT NULL DEFAULT 'sql'`,
  },
}

export const ENGINE_TABLES = `
CREATE TABLE IF NOT EXISTS scopes (
  id INTEGER PRIMARY KEY,
  layer TEXT NOT NULL,
  owner TEXT NOT NULL,
  project TEXT NOT NULL DEFAULT ''  -- '' is no project: NULLs would not be unique
);
CREATE UNIQUE INDEX IF NOT EXISTS scopes_place ON scopes (layer, owner, project);

CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS embeddings (
  id INTEGER PRIMARY KEY,
  model INTEGER NOT NULL REFERENCES models(id),
  hash BLOB NOT NULL,    -- of the text
  vector BLOB NOT NULL   -- float32, little-endian
);
CREATE UNIQUE INDEX IF NOT EXISTS embeddings_text ON embeddings (model, hash);

-- Vectors of one scope, quantised and packed, so that a cold process reads few large rows instead of many small ones.
-- The codes stand apart: removing an entry rewrites only the keys.
CREATE TABLE IF NOT EXISTS vector_pages (
  id INTEGER PRIMARY KEY,
  scope_key INTEGER NOT NULL REFERENCES scopes(id),
  model INTEGER NOT NULL REFERENCES models(id),
  keys BLOB NOT NULL,
  scales BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS vector_pages_scope ON vector_pages (scope_key, model);
CREATE TABLE IF NOT EXISTS vector_page_codes (page INTEGER PRIMARY KEY REFERENCES vector_pages(id), codes BLOB NOT NULL);

-- Entries of pages that other tools made untrue. Readers leave them out; the next write takes them out.
CREATE TABLE IF NOT EXISTS vector_removals (page INTEGER NOT NULL, key INTEGER NOT NULL, PRIMARY KEY (page, key)) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  memory TEXT NOT NULL,
  row_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  operation TEXT NOT NULL,
  at TEXT NOT NULL,
  by TEXT NOT NULL,
  before TEXT,
  after TEXT
);
CREATE UNIQUE INDEX IF NOT EXISTS changes_memory ON changes (memory, version);

CREATE TABLE IF NOT EXISTS injections (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions(id),
  memory TEXT NOT NULL,
  position INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  format TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS injections_session ON injections (session_id, position);
CREATE INDEX IF NOT EXISTS injections_memory ON injections (memory);

CREATE TABLE IF NOT EXISTS personalities (
  agent_name TEXT PRIMARY KEY,
  display_name TEXT NOT NULL,
  persona TEXT NOT NULL,
  traits TEXT NOT NULL DEFAULT '[]',
  communication_style TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS events (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  type TEXT NOT NULL,
  session_id INTEGER REFERENCES sessions(id),
  identifiers TEXT NOT NULL DEFAULT '{}',
  data TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX IF NOT EXISTS events_at ON events (at);

CREATE TABLE IF NOT EXISTS directory (
  layer TEXT NOT NULL,
  id TEXT NOT NULL,
  team_id TEXT,
  org_id TEXT,
  company_id TEXT,
  PRIMARY KEY (layer, id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO settings VALUES ('vector_epoch', '0'), ('default_project', 'default');

CREATE UNIQUE INDEX IF NOT EXISTS sessions_key ON sessions (key);
CREATE UNIQUE INDEX IF NOT EXISTS memories_ulid ON memories (ulid);
CREATE INDEX IF NOT EXISTS memories_session ON memories (session_id);
CREATE INDEX IF NOT EXISTS memories_newest ON memories (created_at DESC, ulid DESC);
CREATE INDEX IF NOT EXISTS memories_scope_newest ON memories (scope_key, active, created_at DESC, ulid DESC, expires_at);
-- Vectors not yet packed into a page, and the entries of pages that a reader may not see.
CREATE INDEX IF NOT EXISTS memories_unpacked ON memories (scope_key) WHERE embedding_id IS NOT NULL AND vector_page IS NULL;
CREATE INDEX IF NOT EXISTS memories_hidden ON memories (scope_key) WHERE active = 0 OR expires_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS memories_unembedded ON memories (ulid) WHERE embedding_id IS NULL;

CREATE INDEX IF NOT EXISTS idx_agent_memories_scope ON memories (scope, scope_id, importance DESC, created_at DESC);
CREATE INDEX IF NOT EXISTS idx_agent_memories_event_type ON memories (category, scope);
CREATE INDEX IF NOT EXISTS idx_agent_memories_expires_at ON memories (expires_at);
CREATE INDEX IF NOT EXISTS idx_agent_memories_source ON memories (source, created_at);

-- The scope is a token of its own, so that a search reads only the postings of the scopes it may see.
CREATE VIRTUAL TABLE IF NOT EXISTS memories_fts USING fts5(
  scope, observation, labels, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE IF NOT EXISTS memories_terms USING fts5vocab(memories_fts, row);
`

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** A ULID in SQL, for rows that other tools insert. */
const NEW_ULID = [
  ...[9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map(
    (i) =>
      `substr('${ALPHABET}', ((CAST((julianday('now') - 2440587.5) * 86400000.0 AS INTEGER) >> ${5 * i}) & 31) + 1, 1)`,
  ),
  ...Array.from({ length: 16 }, () => `substr('${ALPHABET}', (random() & 31) + 1, 1)`),
].join(' || ')

const NOW = `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`
const TIME = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column})`
const ISO = (column: string) => `coalesce(${TIME(column)}, ${NOW})`
const WORDS = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ')

/** The columns that make up a memory: a change to any of them is history. Recall counters are not. */
export const MEMORY_COLUMNS = [
  'ulid',
  'observation',
  'scope',
  'identifiers',
  'category',
  'service',
  'source',
  'tags',
  'metadata',
  'anchor',
  'importance',
  'confidence',
  'active',
  'tier',
  'expires_at',
  'last_recalled_at',
  'recall_count',
  'created_at',
  'updated_at',
  'version',
] as const

export const SESSION_OF = (row: string) =>
  `(SELECT coalesce(s.key, CAST(s.id AS TEXT)) FROM sessions s WHERE s.id = ${row}.session_id)`

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

function isJson(value: string, type: 'object' | 'array'): string {
  return `CASE WHEN json_valid(${value}) THEN json_type(${value}) = '${type}' ELSE 0 END`
}

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
  ${REFUSE(() => '')}
END;

CREATE TRIGGER IF NOT EXISTS memories_update_checked
BEFORE UPDATE OF ulid, scope_id, scope_key, ${RULES.map(([column]) => column).join(', ')} ON memories
WHEN OLD.ulid IS NOT NULL AND NEW.version = OLD.version BEGIN
  SELECT RAISE(ABORT, 'ulid, scope, scope_id and identifiers of a memory cannot change')
    WHERE NEW.ulid IS NOT OLD.ulid OR NEW.scope IS NOT OLD.scope OR NEW.scope_id IS NOT OLD.scope_id
      OR NEW.scope_key IS NOT OLD.scope_key OR NEW.identifiers IS NOT OLD.identifiers;
  ${REFUSE((column) => `NEW.${column} IS NOT OLD.${column} AND`)}
END;

CREATE TRIGGER IF NOT EXISTS memories_inserted AFTER INSERT ON memories BEGIN
  ${COMPLETE_ROW('id = NEW.id AND ulid IS NULL')}
  ${INDEX_TEXT}
  ${RECORD_CREATION(`m.id = NEW.id AND NEW.changed_by <> '@import'`)}
  UPDATE memories SET changed_by = 'import' WHERE id = NEW.id AND changed_by = '@import';
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
  UPDATE memories SET version = OLD.version + 1, changed_by = 'sql', created_at = ${ISO('created_at')}, updated_at = ${ISO('updated_at')}
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

const TAG_LIST = (list: string) => `(SELECT json_group_array(DISTINCT trim(value)) FROM
    json_each('[' || replace(json_quote(${list}), ',', '","') || ']') WHERE trim(value) <> '')`

/** Older words for an event, kept as a tag. */
const EVENT_CATEGORY = (type: string) =>
  `CASE ${type} WHEN 'commit' THEN 'submission' WHEN 'wont_fix' THEN 'decision' WHEN 'dispute' THEN 'decision' ELSE ${type} END`
const EVENT_TAGS = (type: string, list: string) =>
  TAG_LIST(
    `(coalesce(${list}, '') || CASE WHEN ${type} IN ('commit', 'wont_fix', 'dispute') THEN ',' || ${type} ELSE '' END)`,
  )
const PROJECT = `(SELECT value FROM settings WHERE name = 'default_project')`
const IDENTIFIERS = (row: string) =>
  `json_object(CASE ${row}.scope WHEN 'task' THEN 'taskId' WHEN 'section' THEN 'sectionId' ELSE 'projectId' END,
    coalesce(${row}.scope_id, ${PROJECT}))`
const EVENT_TYPES = [...CATEGORIES, 'commit', 'wont_fix', 'dispute']
/** What a workflow row must not be, and what to say when it is. */
const WORKFLOW_FAULTS = (row: string): readonly (readonly [fault: string, rule: string])[] => [
  [
    `${row}.scope IS NULL OR ${row}.scope NOT IN ('task', 'section', 'project')`,
    'scope must be task, section or project',
  ],
  [`${row}.scope <> 'project' AND coalesce(${row}.scope_id, '') = ''`, 'scope_id is required for a task or section'],
  [
    `${row}.event_type IS NULL OR ${row}.event_type NOT IN (${WORDS(EVENT_TYPES)})`,
    'event_type must be submission, rejection, approval, decision, follow_up or hint',
  ],
  [
    `${row}.source IS NULL OR ${row}.source NOT IN (${WORDS(SOURCES)})`,
    'source must be coder, reviewer, orchestrator or coordinator',
  ],
  [`trim(coalesce(${row}.summary, '')) = ''`, 'summary is required'],
  [
    `${row}.importance IS NOT NULL AND (typeof(${row}.importance) NOT IN ('integer', 'real') OR ${row}.importance NOT BETWEEN 0 AND 100)`,
    'importance must be from 0 to 100',
  ],
  [`${row}.expires_at IS NOT NULL AND ${TIME(`${row}.expires_at`)} IS NULL`, 'expires_at must be a time'],
]
const REFUSE_BAD_ROW = [
  ...WORKFLOW_FAULTS('NEW'),
  [
    `NEW.details_json IS NOT NULL AND NOT ${isJson('NEW.details_json', 'object')}`,
    'details_json must be a JSON object',
  ],
]
  .map(([fault, rule]) => `SELECT RAISE(ABORT, '${rule}') WHERE ${fault};`)
  .join('\n  ')

/** Workflow memory as other tools know it: a view that reads and writes the one table. */
export const WORKFLOW_VIEW = `
CREATE VIEW IF NOT EXISTS agent_memories AS SELECT
  id, scope, CASE scope WHEN 'project' THEN NULL ELSE scope_id END AS scope_id, category AS event_type, source, anchor,
  observation AS summary, nullif(metadata, '{}') AS details_json,
  (SELECT group_concat(value, ',') FROM json_each(tags)) AS tags, importance, expires_at, last_recalled_at, recall_count, created_at, updated_at
FROM memories WHERE scope IN ('task', 'section', 'project');

CREATE TRIGGER IF NOT EXISTS agent_memories_insert INSTEAD OF INSERT ON agent_memories BEGIN
  ${REFUSE_BAD_ROW}
  INSERT INTO memories (id, scope, scope_id, identifiers, category, source, anchor, observation, metadata, tags, importance,
    expires_at, last_recalled_at, recall_count, created_at, updated_at, tier)
  VALUES (NEW.id, NEW.scope, coalesce(NEW.scope_id, ${PROJECT}), ${IDENTIFIERS('NEW')}, ${EVENT_CATEGORY('NEW.event_type')},
    NEW.source, NEW.anchor, NEW.summary, coalesce(NEW.details_json, '{}'), ${EVENT_TAGS('NEW.event_type', 'NEW.tags')},
    coalesce(NEW.importance, 50), ${TIME('NEW.expires_at')}, ${TIME('NEW.last_recalled_at')},
    coalesce(NEW.recall_count, 0), coalesce(NEW.created_at, ${NOW}), coalesce(NEW.updated_at, NEW.created_at, ${NOW}), 1);
END;

CREATE TRIGGER IF NOT EXISTS agent_memories_update INSTEAD OF UPDATE ON agent_memories BEGIN
  ${REFUSE_BAD_ROW}
  SELECT RAISE(ABORT, 'scope and scope_id cannot change') WHERE NEW.scope IS NOT OLD.scope OR NEW.scope_id IS NOT OLD.scope_id;
  UPDATE memories SET category = ${EVENT_CATEGORY('NEW.event_type')}, source = NEW.source, anchor = NEW.anchor,
    observation = NEW.summary, metadata = coalesce(NEW.details_json, '{}'), tags = ${EVENT_TAGS('NEW.event_type', 'NEW.tags')},
    importance = NEW.importance, expires_at = ${TIME('NEW.expires_at')},
    last_recalled_at = ${TIME('NEW.last_recalled_at')}, recall_count = NEW.recall_count,
    updated_at = CASE WHEN NEW.updated_at IS OLD.updated_at THEN ${NOW} ELSE ${ISO('NEW.updated_at')} END
  WHERE id = OLD.id;
END;

CREATE TRIGGER IF NOT EXISTS agent_memories_delete INSTEAD OF DELETE ON agent_memories BEGIN
  DELETE FROM memories WHERE id = OLD.id;
END;
`

const IS_SOUND = `NOT coalesce(${WORKFLOW_FAULTS('b')
  .map(([fault]) => `(${fault})`)
  .join(' OR ')}, 1)`

/**
 * Moves the rows of a workflow-memory table that an older tool left behind. Details that are no object are kept inside one. A
 * row that is no memory (no such scope, no text) stays where it is, rather than keeping the file from being opened.
 */
export const COPY_WORKFLOW_ROWS = `
INSERT INTO agent_memories SELECT id + (SELECT coalesce(max(id), 0) FROM memories), scope, scope_id, event_type, source, anchor, summary,
  CASE WHEN details_json IS NULL OR ${isJson('details_json', 'object')} THEN details_json
    WHEN json_valid(details_json) THEN json_object('details', json(details_json)) ELSE json_object('details', details_json) END,
  tags, importance, expires_at, last_recalled_at, recall_count, created_at, updated_at
FROM agent_memories_before b WHERE ${IS_SOUND} ORDER BY id;
DELETE FROM agent_memories_before AS b WHERE ${IS_SOUND};
`
