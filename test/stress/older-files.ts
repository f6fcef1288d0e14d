import { DatabaseSync } from 'node:sqlite'

/** The operational tool's table as it created it. */
export const OPERATIONAL_TABLE = `CREATE TABLE memories (
  id INTEGER PRIMARY KEY AUTOINCREMENT, service TEXT, category TEXT NOT NULL, observation TEXT NOT NULL,
  confidence REAL NOT NULL DEFAULT 0.7, active INTEGER NOT NULL DEFAULT 1, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  session_id INTEGER REFERENCES sessions(id), tier INTEGER NOT NULL DEFAULT 1);
CREATE INDEX idx_memories_service_active ON memories(service, active);
CREATE INDEX idx_memories_confidence_active ON memories(confidence, active);
CREATE INDEX idx_memories_category ON memories(category);`

/** Its runs and events, with columns that must be filled. */
export const OPERATIONAL_NEIGHBOURS = `
CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, tier INTEGER NOT NULL, model TEXT NOT NULL, prompt_file TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'running', started_at TEXT NOT NULL, ended_at TEXT, exit_code INTEGER, log_file TEXT,
  parent INTEGER REFERENCES sessions(id));
CREATE INDEX idx_sessions_status ON sessions(status);
CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE,
  level TEXT NOT NULL, service TEXT, message TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE INDEX idx_events_created ON events(created_at);
INSERT INTO sessions (id, tier, model, prompt_file, started_at) VALUES
  (3, 1, 'small', 'tier1.md', '2026-01-01 00:00:00'), (42, 2, 'large', 'tier2.md', '2026-01-02 00:00:00');
INSERT INTO events (session_id, level, message, created_at) VALUES (42, 'info', 'looked around', '2026-01-02 00:00:05');`

export const OPERATIONAL_ROWS = `INSERT INTO memories (id, service, category, observation, confidence, active, created_at, updated_at, session_id, tier) VALUES
  (1, 'plex', 'timing', 'Scans take ninety seconds on Sundays', 0.9, 1, '2026-01-02 03:04:05', '2026-01-03 03:04:05', 42, 2),
  (2, NULL, 'behavior', 'The router drops packets at noon', 0.2, 0, '2026-02-02T03:04:05Z', '2026-02-03T03:04:05Z', 777, 1),
  (7, 'mail', 'remediation', 'Restart the relay before the queue', 0.7, 1, '2026-03-02T03:04:05.123Z', '2026-03-03T03:04:05.123Z', NULL, 3);`

/** The workflow tool's table as it created it. */
export const WORKFLOW_TABLE = `CREATE TABLE agent_memories (
  id INTEGER PRIMARY KEY, scope TEXT NOT NULL, scope_id TEXT, event_type TEXT NOT NULL, source TEXT NOT NULL, anchor TEXT,
  summary TEXT NOT NULL, details_json TEXT, tags TEXT, importance INTEGER DEFAULT 50, expires_at TEXT, last_recalled_at TEXT,
  recall_count INTEGER DEFAULT 0, created_at TEXT DEFAULT (datetime('now')), updated_at TEXT DEFAULT (datetime('now')));
CREATE INDEX idx_agent_memories_scope ON agent_memories(scope, scope_id, importance DESC, created_at DESC);
CREATE INDEX idx_agent_memories_event_type ON agent_memories(event_type, scope);
CREATE INDEX idx_agent_memories_expires_at ON agent_memories(expires_at);
CREATE INDEX idx_agent_memories_source ON agent_memories(source, created_at);
CREATE INDEX "of ""late"" ones" ON agent_memories(expires_at, scope);`

export const WORKFLOW_ROWS = `INSERT INTO agent_memories VALUES
  (4, 'task', 'T1', 'rejection', 'reviewer', 'task_id:T1', 'Tests are missing for the parser', '{"cycle":2,"files":["a.ts"]}', 'tests, parser', 80,
    '2099-01-01 00:00:00', '2026-01-05 01:02:03', 6, '2026-01-04 01:02:03', '2026-01-05 01:02:03'),
  (5, 'section', 'S1', 'wont_fix', 'coder', NULL, 'The lint rule stays off', '["not","an","object"]', NULL, 20, NULL, NULL, 0,
    '2026-01-06T01:02:03.000Z', '2026-01-06T01:02:03.000Z'),
  (9, 'project', NULL, 'decision', 'coordinator', 'commit:ab12', 'Ship the smaller scope first', NULL, '', NULL, NULL, NULL, NULL, NULL, NULL);`

/** Its own record of migrations, and other tables. */
export const WORKFLOW_NEIGHBOURS = `
CREATE TABLE _migrations (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, checksum TEXT NOT NULL, applied_at TEXT NOT NULL DEFAULT (datetime('now')));
INSERT INTO _migrations (id, name, checksum) VALUES (5, '005_add_disputes', 'c5'), (17, '017_agent_memories', 'c17'), (18, '018_more', 'c18');
CREATE TABLE tasks (id TEXT PRIMARY KEY, title TEXT NOT NULL);
INSERT INTO tasks VALUES ('T1', 'Write the parser');
CREATE VIEW important AS SELECT id, summary FROM agent_memories WHERE importance >= 50;`

export function writeFile(path: string, ...parts: readonly string[]): void {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  for (const part of parts) db.exec(part)
  db.close()
}

/** Every row of a query, as plain objects. */
export function query(path: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(path)
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    db.close()
  }
}
