/** The tables, as SQL. `migrate.ts` decides what runs when; everything here may run twice. */

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
    importance: 'REAL NOT NULL DEFAULT 50',
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
  scope, observation, labels, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE IF NOT EXISTS memories_terms USING fts5vocab(memories_fts, row);
`

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** A ULID in SQL, for rows that other tools insert. */
const NEW_ULID = [
  ...[9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map(
    (i) => `substr('${ALPHABET}', ((CAST(unixepoch('subsec') * 1000 AS INTEGER) >> ${5 * i}) & 31) + 1, 1)`,
  ),
  ...Array.from({ length: 16 }, () => `substr('${ALPHABET}', (random() & 31) + 1, 1)`),
].join(' || ')

const NOW = `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`
const ISO = (column: string) => `coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', ${column}), ${NOW})`

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

const INDEX_TEXT = `
  INSERT INTO memories_fts (rowid, scope, observation, labels)
    SELECT id, 's' || scope_key, observation,
      coalesce(service, '') || ' ' || coalesce((SELECT group_concat(value, ' ') FROM json_each(tags)), '')
    FROM memories WHERE id = NEW.id;`

/** Completes a row that another tool wrote: identity, scope, times. */
const COMPLETE_ROW = (where: string) => `
  INSERT OR IGNORE INTO scopes (layer, owner, project)
    SELECT scope, scope_id, CASE WHEN scope IN ('agent', 'task', 'section') THEN coalesce(identifiers ->> 'projectId', '') ELSE '' END
    FROM memories WHERE ${where};
  UPDATE memories SET
    ulid = ${NEW_ULID},
    scope_key = (SELECT c.id FROM scopes c WHERE c.layer = scope AND c.owner = scope_id AND c.project =
      CASE WHEN scope IN ('agent', 'task', 'section') THEN coalesce(identifiers ->> 'projectId', '') ELSE '' END),
    created_at = ${ISO('created_at')},
    updated_at = ${ISO('updated_at')}
  WHERE ${where};`

/** Brings rows of an older file up to the record. */
export const COMPLETE_EXISTING_ROWS = `
INSERT OR IGNORE INTO sessions (id, key, started_at)
  SELECT DISTINCT session_id, CAST(session_id AS TEXT), ${NOW} FROM memories WHERE session_id IS NOT NULL;
${COMPLETE_ROW('ulid IS NULL')}
INSERT INTO memories_fts (rowid, scope, observation, labels)
  SELECT id, 's' || scope_key, observation, coalesce(service, '') FROM memories;
`

/** Triggers keep text index, history and versions true for every writer, other tools included. */
export const TRIGGERS = `
CREATE TRIGGER IF NOT EXISTS memories_inserted AFTER INSERT ON memories BEGIN
  ${COMPLETE_ROW('id = NEW.id AND ulid IS NULL')}
  ${INDEX_TEXT}
  INSERT INTO changes (memory, row_id, version, operation, at, by, before, after)
    SELECT m.ulid, m.id, m.version, 'create', m.updated_at, m.changed_by, NULL, ${STATE('m')}
    FROM memories m WHERE m.id = NEW.id AND NEW.changed_by <> '@import';
END;

CREATE TRIGGER IF NOT EXISTS memories_reindexed
AFTER UPDATE OF observation, service, tags, scope_key ON memories
WHEN NEW.observation IS NOT OLD.observation OR NEW.service IS NOT OLD.service OR NEW.tags IS NOT OLD.tags
  OR (NEW.scope_key IS NOT OLD.scope_key AND OLD.scope_key IS NOT NULL)
BEGIN
  DELETE FROM memories_fts WHERE rowid = NEW.id;
  ${INDEX_TEXT}
  -- Another tool changed the text: its vector no longer speaks for it.
  UPDATE memories SET embedding_id = NULL
    WHERE id = NEW.id AND NEW.observation IS NOT OLD.observation AND NEW.embedding_id IS OLD.embedding_id;
END;

CREATE TRIGGER IF NOT EXISTS memories_updated
AFTER UPDATE OF observation, scope, scope_id, identifiers, category, service, source, tags, metadata, anchor, importance,
  confidence, active, tier, expires_at ON memories
WHEN OLD.ulid IS NOT NULL AND NEW.changed_by <> '@import'
BEGIN
  UPDATE memories SET version = OLD.version + 1, changed_by = 'sql' WHERE id = NEW.id AND NEW.version = OLD.version;
  INSERT INTO changes (memory, row_id, version, operation, at, by, before, after)
    SELECT m.ulid, m.id, m.version, 'update', ${NOW}, m.changed_by, ${STATE('OLD')}, ${STATE('m')}
    FROM memories m WHERE m.id = NEW.id;
END;

CREATE TRIGGER IF NOT EXISTS memories_deleted AFTER DELETE ON memories BEGIN
  DELETE FROM memories_fts WHERE rowid = OLD.id;
  INSERT INTO changes (memory, row_id, version, operation, at, by, before, after)
    VALUES (OLD.ulid, OLD.id, OLD.version + 1, 'delete', ${NOW}, OLD.changed_by, ${STATE('OLD')}, NULL);
END;
`

const TAG_LIST = (list: string) => `(SELECT json_group_array(DISTINCT trim(value)) FROM
    json_each('["' || replace(replace(replace(coalesce(${list}, ''), '\\', ''), '"', ''), ',', '","') || '"]') WHERE trim(value) <> '')`

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
const REFUSE_BAD_ROW = `
  SELECT RAISE(ABORT, 'scope must be task, section or project') WHERE NEW.scope IS NULL OR NEW.scope NOT IN ('task', 'section', 'project');
  SELECT RAISE(ABORT, 'scope_id is required for a task or section') WHERE NEW.scope <> 'project' AND NEW.scope_id IS NULL;
  SELECT RAISE(ABORT, 'event_type must be submission, rejection, approval, decision, follow_up or hint')
    WHERE NEW.event_type IS NULL OR ${EVENT_CATEGORY('NEW.event_type')} NOT IN
      ('submission', 'rejection', 'approval', 'decision', 'follow_up', 'hint', 'timing', 'dependency', 'behavior', 'remediation', 'maintenance', 'learning');
  SELECT RAISE(ABORT, 'source is required') WHERE NEW.source IS NULL;
  SELECT RAISE(ABORT, 'summary is required') WHERE coalesce(NEW.summary, '') = '';
  SELECT RAISE(ABORT, 'details_json must be a JSON object')
    WHERE NEW.details_json IS NOT NULL AND (NOT json_valid(NEW.details_json) OR json_type(NEW.details_json) <> 'object');`

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
    coalesce(NEW.importance, 50), strftime('%Y-%m-%dT%H:%M:%fZ', NEW.expires_at), strftime('%Y-%m-%dT%H:%M:%fZ', NEW.last_recalled_at),
    coalesce(NEW.recall_count, 0), coalesce(NEW.created_at, ${NOW}), coalesce(NEW.updated_at, NEW.created_at, ${NOW}), 1);
END;

CREATE TRIGGER IF NOT EXISTS agent_memories_update INSTEAD OF UPDATE ON agent_memories BEGIN
  ${REFUSE_BAD_ROW}
  SELECT RAISE(ABORT, 'scope and scope_id cannot change') WHERE NEW.scope IS NOT OLD.scope OR NEW.scope_id IS NOT OLD.scope_id;
  UPDATE memories SET category = ${EVENT_CATEGORY('NEW.event_type')}, source = NEW.source, anchor = NEW.anchor,
    observation = NEW.summary, metadata = coalesce(NEW.details_json, '{}'), tags = ${EVENT_TAGS('NEW.event_type', 'NEW.tags')},
    importance = NEW.importance, expires_at = strftime('%Y-%m-%dT%H:%M:%fZ', NEW.expires_at),
    last_recalled_at = strftime('%Y-%m-%dT%H:%M:%fZ', NEW.last_recalled_at), recall_count = NEW.recall_count,
    updated_at = CASE WHEN NEW.updated_at IS OLD.updated_at THEN ${NOW} ELSE ${ISO('NEW.updated_at')} END
  WHERE id = OLD.id;
END;

CREATE TRIGGER IF NOT EXISTS agent_memories_delete INSTEAD OF DELETE ON agent_memories BEGIN
  UPDATE memories SET changed_by = 'sql' WHERE id = OLD.id;
  DELETE FROM memories WHERE id = OLD.id;
END;
`

/** Moves the rows of a workflow-memory table that an older tool left behind. */
export const COPY_WORKFLOW_ROWS = `
INSERT INTO agent_memories SELECT id + (SELECT coalesce(max(id), 0) FROM memories), scope, scope_id, event_type, source, anchor,
  summary, CASE WHEN json_valid(details_json) AND json_type(details_json) = 'object' THEN details_json END, tags, importance,
  expires_at, last_recalled_at, recall_count, created_at, updated_at FROM agent_memories_before ORDER BY id;
DROP TABLE agent_memories_before;
`
