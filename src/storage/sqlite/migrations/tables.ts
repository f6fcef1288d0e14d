/**
 * The tables, as SQL. Frozen: nothing here is computed from the rest of the program, and SQL that a released version
 * has run does not change. A schema change is a new migration. Other tools share these tables with SQLite versions
 * years older than ours, so everything they run (tables, indexes, triggers, views) must work with SQLite 3.38. They
 * never touch the token index, which needs a newer one.
 */

/** Operational memory in the layout of other tools, with the sessions it refers to. */
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

/** Columns the engine adds to tables that may already exist, in this order. */
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
    // Start time in the record's format; other tools write started_at in their own. NULL: only the name is known.
    begun_at: 'TEXT',
  },
  events: {
    at: 'TEXT',
    type: 'TEXT',
    session_id: 'INTEGER',
    identifiers: `TEXT NOT NULL DEFAULT '{}'`,
    data: `TEXT NOT NULL DEFAULT '{}'`,
    key: 'TEXT',
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
    // '@' while the engine deletes the row; otherwise unused.
    changed_by: `TEXT NOT NULL DEFAULT 'sql'`,
    trust: `TEXT NOT NULL DEFAULT 'agent'`,
    links: `TEXT NOT NULL DEFAULT '[]'`,
    thread_id: 'TEXT',
    thread_index: 'INTEGER',
    occurred_at: 'TEXT',
    // Visible before this time; '' means hidden.
    visible_until: `TEXT NOT NULL DEFAULT ''`,
  },
}

/** Tables added with the second edition of the storage contract. */
export const SECOND_EDITION_TABLES = `
-- Commits that were applied, the newest some thousands, so that one that is repeated is known.
CREATE TABLE IF NOT EXISTS commit_keys (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  changed INTEGER NOT NULL,
  note TEXT
);
-- What may happen once in the life of the store, with the memory that it happened to.
CREATE TABLE IF NOT EXISTS once_keys (key TEXT PRIMARY KEY, memory TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS access_documents (id TEXT PRIMARY KEY, document TEXT NOT NULL) WITHOUT ROWID;

-- Rows that other tools wrote, changed or deleted: SQL cannot make tokens, so the next commit or search indexes them.
CREATE TABLE IF NOT EXISTS unindexed_memories (id INTEGER PRIMARY KEY);

-- The engine's tokens, each behind its scope: 'token_scope'. They must come out as they went in.
CREATE VIRTUAL TABLE IF NOT EXISTS memory_tokens USING fts5(
  tokens, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_~'"
);
`

export const CATEGORY_TABLE = `
-- The categories and other names for them, from the program's own table: written whenever it opens the file and knows more.
CREATE TABLE IF NOT EXISTS memory_categories (name TEXT PRIMARY KEY, stored_as TEXT NOT NULL, decays INTEGER NOT NULL) WITHOUT ROWID;
`

export const ENGINE_TABLES = `${CATEGORY_TABLE}
CREATE TABLE IF NOT EXISTS scopes (
  id INTEGER PRIMARY KEY,
  layer TEXT NOT NULL,
  owner TEXT NOT NULL,
  project TEXT NOT NULL DEFAULT '',  -- '' is no project: NULLs would not be unique
  memories INTEGER NOT NULL DEFAULT 0,
  active INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX IF NOT EXISTS scopes_place ON scopes (layer, owner, project);

CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, memories INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS embeddings (
  id INTEGER PRIMARY KEY,
  model INTEGER NOT NULL REFERENCES models(id),
  hash BLOB NOT NULL,    -- of the text
  vector BLOB NOT NULL   -- float16, little-endian
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

-- Entries of pages that deletions made untrue. Readers leave them out; the next commit takes them out.
CREATE TABLE IF NOT EXISTS vector_removals (page INTEGER NOT NULL, key INTEGER NOT NULL, PRIMARY KEY (page, key)) WITHOUT ROWID;

-- What each change left. The state of a memory's current version is the memory itself, its recall counters apart; a later
-- change writes it down in \`after\`.
CREATE TABLE IF NOT EXISTS changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  memory TEXT NOT NULL,
  row_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  operation TEXT NOT NULL,
  at TEXT NOT NULL,
  by TEXT NOT NULL,
  after TEXT,
  recall_count INTEGER NOT NULL DEFAULT 0,
  last_recalled_at TEXT
);

CREATE TABLE IF NOT EXISTS injections (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions(id),
  memory TEXT NOT NULL,
  position INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  format TEXT NOT NULL,
  at TEXT NOT NULL,
  key TEXT
);

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
  data TEXT NOT NULL DEFAULT '{}',
  key TEXT
);

CREATE TABLE IF NOT EXISTS directory (
  layer TEXT NOT NULL,
  id TEXT NOT NULL,
  team_id TEXT,
  org_id TEXT,
  company_id TEXT,
  PRIMARY KEY (layer, id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO settings VALUES ('vector_epoch', '0'), ('default_project', 'default'), ('sessions', '0');
${SECOND_EDITION_TABLES}`

export const INDEXES = `
CREATE UNIQUE INDEX IF NOT EXISTS sessions_key ON sessions (key);
CREATE INDEX IF NOT EXISTS sessions_newest ON sessions (begun_at, key) WHERE begun_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS sessions_project ON sessions (project, begun_at, key) WHERE begun_at IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS changes_memory ON changes (memory, version);
CREATE UNIQUE INDEX IF NOT EXISTS injections_key ON injections (key);
CREATE INDEX IF NOT EXISTS injections_shown ON injections (session_id, at, position, key);
CREATE INDEX IF NOT EXISTS injections_memory ON injections (memory);
CREATE UNIQUE INDEX IF NOT EXISTS events_key ON events (key);
CREATE INDEX IF NOT EXISTS events_at ON events (at, key);
CREATE INDEX IF NOT EXISTS events_project ON events (identifiers ->> 'projectId', at, key) WHERE type IS NOT NULL;
CREATE INDEX IF NOT EXISTS events_session ON events (session_id, at, key) WHERE type IS NOT NULL;

CREATE UNIQUE INDEX IF NOT EXISTS memories_ulid ON memories (ulid);
CREATE INDEX IF NOT EXISTS memories_session ON memories (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS memories_newest ON memories (created_at, ulid);
CREATE INDEX IF NOT EXISTS memories_scope_newest ON memories (scope_key, created_at, ulid, visible_until);
CREATE INDEX IF NOT EXISTS memories_visible ON memories (scope_key, visible_until);
-- Vectors not yet packed into a page.
CREATE INDEX IF NOT EXISTS memories_unpacked ON memories (scope_key) WHERE embedding_id IS NOT NULL AND vector_page IS NULL;
CREATE INDEX IF NOT EXISTS memories_updated ON memories (updated_at) WHERE active = 1;
CREATE INDEX IF NOT EXISTS memories_section ON memories (identifiers ->> 'sectionId') WHERE scope = 'task' AND identifiers ->> 'sectionId' IS NOT NULL;
-- Holds all that a search asks of the places around what it found.
CREATE INDEX IF NOT EXISTS memories_places ON memories (thread_id, thread_index, scope_key, visible_until) WHERE thread_id IS NOT NULL;

CREATE INDEX IF NOT EXISTS idx_agent_memories_scope ON memories (scope, scope_id, importance DESC, created_at DESC);
CREATE INDEX IF NOT EXISTS idx_agent_memories_event_type ON memories (category, scope);
CREATE INDEX IF NOT EXISTS idx_agent_memories_expires_at ON memories (expires_at);
CREATE INDEX IF NOT EXISTS idx_agent_memories_source ON memories (source, created_at);
`
