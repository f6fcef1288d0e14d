import { SOURCES } from './triggers.ts'
import { ISO, isJson, NOW, TIME } from './views.ts'

/** Workflow memory in the layout of other tools, as SQL. Frozen: see tables.ts. */

const PROJECT = `(SELECT value FROM settings WHERE name = 'default_project')`
const CATEGORY = '(SELECT stored_as FROM memory_categories WHERE name = NEW.event_type)'
/** Comma-separated words as a JSON array, including an event's other name. */
const TAGS = `(SELECT json_group_array(DISTINCT trim(value)) FROM json_each('[' || replace(json_quote(
    coalesce(NEW.tags, '') || CASE WHEN ${CATEGORY} <> NEW.event_type THEN ',' || NEW.event_type ELSE '' END
  ), ',', '","') || ']') WHERE trim(value) <> '')`

/** Invalid workflow rows, and the message for each. */
const FAULTS = (row: string): readonly (readonly [fault: string, rule: string])[] => [
  [
    `${row}.scope IS NULL OR ${row}.scope NOT IN ('task', 'section', 'project')`,
    'scope must be task, section or project',
  ],
  [`${row}.scope <> 'project' AND coalesce(${row}.scope_id, '') = ''`, 'scope_id is required for a task or section'],
  [
    `${row}.event_type IS NULL OR ${row}.event_type NOT IN (SELECT name FROM memory_categories)`,
    'event_type must be one of those in memory_categories',
  ],
  [
    `${row}.source IS NULL OR ${row}.source NOT IN (${SOURCES})`,
    'source must be coder, reviewer, orchestrator or coordinator',
  ],
  [`trim(coalesce(${row}.summary, '')) = ''`, 'summary is required'],
  [
    `${row}.importance IS NOT NULL AND (typeof(${row}.importance) NOT IN ('integer', 'real') OR ${row}.importance NOT BETWEEN 0 AND 100)`,
    'importance must be from 0 to 100',
  ],
  [`${row}.expires_at IS NOT NULL AND ${TIME(`${row}.expires_at`)} IS NULL`, 'expires_at must be a time'],
]
const NOT_AN_OBJECT = `NEW.details_json IS NOT NULL AND NOT ${isJson('NEW.details_json', 'object')}`
const REFUSE_BAD_ROW = [...FAULTS('NEW'), [NOT_AN_OBJECT, 'details_json must be a JSON object']]
  .map(([fault, rule]) => `SELECT RAISE(ABORT, '${rule}') WHERE ${fault};`)
  .join('\n  ')

/** What a later migration adds to the view: columns with the same name in the table, rules and a condition on the rows. */
interface Additions {
  columns: string
  inserted: readonly string[]
  updated: string
  rules: { insert: string; update: string }
  where: string
}

const NOTHING: Additions = {
  columns: '',
  inserted: ['', ''],
  updated: '',
  rules: { insert: '', update: '' },
  where: '',
}

/** A view that reads and writes the shared table. */
export function workflowViewWith({ columns, inserted, updated, rules, where }: Additions): string {
  return `
CREATE VIEW IF NOT EXISTS agent_memories AS SELECT
  id, scope, CASE scope WHEN 'project' THEN NULL ELSE scope_id END AS scope_id, category AS event_type, source, anchor,
  observation AS summary, nullif(metadata, '{}') AS details_json,
  (SELECT group_concat(value, ',') FROM json_each(tags)) AS tags, importance, expires_at, last_recalled_at, recall_count, created_at, updated_at${columns}
FROM memories WHERE scope IN ('task', 'section', 'project')${where};

CREATE TRIGGER IF NOT EXISTS agent_memories_insert INSTEAD OF INSERT ON agent_memories BEGIN
  ${REFUSE_BAD_ROW}${rules.insert}
  INSERT INTO memories (id, scope, scope_id, identifiers, category, source, anchor, observation, metadata, tags, importance,
    expires_at, last_recalled_at, recall_count, created_at, updated_at, tier${inserted[0]})
  VALUES (NEW.id, NEW.scope, coalesce(NEW.scope_id, ${PROJECT}),
    json_object(NEW.scope || 'Id', coalesce(NEW.scope_id, ${PROJECT})), ${CATEGORY},
    NEW.source, NEW.anchor, NEW.summary, coalesce(NEW.details_json, '{}'), ${TAGS},
    coalesce(NEW.importance, 50), ${TIME('NEW.expires_at')}, ${TIME('NEW.last_recalled_at')},
    coalesce(NEW.recall_count, 0), coalesce(NEW.created_at, ${NOW}), coalesce(NEW.updated_at, NEW.created_at, ${NOW}), 1${inserted[1]});
END;

CREATE TRIGGER IF NOT EXISTS agent_memories_update INSTEAD OF UPDATE ON agent_memories BEGIN
  ${REFUSE_BAD_ROW}${rules.update}
  SELECT RAISE(ABORT, 'scope and scope_id cannot change') WHERE NEW.scope IS NOT OLD.scope OR NEW.scope_id IS NOT OLD.scope_id;
  UPDATE memories SET category = ${CATEGORY}, source = NEW.source, anchor = NEW.anchor,
    observation = NEW.summary, metadata = coalesce(NEW.details_json, '{}'), tags = ${TAGS},
    importance = NEW.importance, expires_at = ${TIME('NEW.expires_at')},
    last_recalled_at = ${TIME('NEW.last_recalled_at')}, recall_count = NEW.recall_count,
    updated_at = CASE WHEN NEW.updated_at IS OLD.updated_at THEN ${NOW} ELSE ${ISO('NEW.updated_at')} END${updated}
  WHERE id = OLD.id;
END;

CREATE TRIGGER IF NOT EXISTS agent_memories_delete INSTEAD OF DELETE ON agent_memories BEGIN
  DELETE FROM memories WHERE id = OLD.id;
END;
`
}

export const WORKFLOW_VIEW = workflowViewWith(NOTHING)

const IS_SOUND = `NOT coalesce(${FAULTS('b')
  .map(([fault]) => `(${fault})`)
  .join(' OR ')}, 1)`

/**
 * Moves the rows of an older tool's workflow-memory table. Details that are not an object are wrapped in one. Invalid
 * rows (unknown scope, no text) stay where they are, so that the file can still be opened.
 */
export const COPY_WORKFLOW_ROWS = `
INSERT INTO agent_memories SELECT id + (SELECT coalesce(max(id), 0) FROM memories), scope, scope_id, event_type, source, anchor, summary,
  CASE WHEN details_json IS NULL OR ${isJson('details_json', 'object')} THEN details_json
    WHEN json_valid(details_json) THEN json_object('details', json(details_json)) ELSE json_object('details', details_json) END,
  tags, importance, expires_at, last_recalled_at, recall_count, created_at, updated_at
FROM agent_memories_before b WHERE ${IS_SOUND} ORDER BY id;
DELETE FROM agent_memories_before AS b WHERE ${IS_SOUND};
`
