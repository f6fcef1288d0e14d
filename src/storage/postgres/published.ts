/**
 * What other programs read: nothing that is held, inactive, expired, faded or corrected. A memory that another one
 * contradicts is left out, unless the other is hidden itself. An agent does not hide what an operator said, except where
 * an operator settled it so. Rows that other programs insert, into the view or the table, are completed by a trigger;
 * their tokens are made when a search needs them (foreign-rows.ts).
 */
const NOW = `to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const FADED_NEVER = '9999-12-31T23:59:59.999Z'

export const PUBLISHED = `
DROP VIEW agent_memories;
CREATE VIEW agent_memories AS SELECT
  m.id, m.scope, CASE m.scope WHEN 'project' THEN NULL ELSE m.scope_id END AS scope_id, m.category AS event_type, m.source, m.anchor,
  m.observation AS summary, nullif(m.metadata::text, '{}') AS details_json, nullif(array_to_string(m.tags, ','), '') AS tags,
  m.importance, m.expires_at, m.last_recalled_at, m.recall_count, m.created_at, m.updated_at, m.active, m.trust
FROM memories m WHERE m.scope IN ('task', 'section', 'project') AND m.active = 1 AND m.visible_until > ${NOW}
  AND NOT EXISTS (SELECT 1 FROM json_array_elements(m.links) AS l(link) JOIN memories o ON o.ulid = l.link ->> 'memory'
    WHERE l.link ->> 'relation' = 'contradictedBy' AND o.visible_until > ${NOW} AND (m.trust <> 'operator' OR o.trust = 'operator'))
  AND NOT EXISTS (SELECT 1 FROM json_array_elements(CASE json_typeof(m.metadata -> 'settled') WHEN 'array' THEN m.metadata -> 'settled' ELSE '[]' END)
    AS s(verdict) WHERE CASE json_typeof(s.verdict) WHEN 'object' THEN s.verdict ->> 'as' END = 'replaced');

-- The program's table of categories, for the triggers; it is brought up to date when a store is opened (migrate.ts).
CREATE TABLE memory_categories (name TEXT PRIMARY KEY, stored_as TEXT NOT NULL);

-- Rows of other programs whose tokens are still to be made.
CREATE TABLE unindexed_memories (id BIGINT PRIMARY KEY);

CREATE FUNCTION nokosu_time(given TEXT, otherwise TEXT) RETURNS TEXT LANGUAGE sql STABLE SET timezone = 'UTC' AS $$
  SELECT coalesce(to_char(given::timestamptz, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), otherwise) $$;

CREATE FUNCTION nokosu_refuse_unless(holds BOOLEAN, message TEXT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN IF holds IS NOT TRUE THEN RAISE EXCEPTION '%', message USING ERRCODE = 'check_violation'; END IF; END $$;

CREATE FUNCTION nokosu_complete_row() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  alphabet CONSTANT TEXT := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  moment BIGINT := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  now_text TEXT := nokosu_time(clock_timestamp()::text, NULL);
  own_project TEXT;
BEGIN
  NEW.scope := coalesce(NEW.scope, 'project');
  NEW.scope_id := coalesce(NEW.scope_id, 'default');
  NEW.source := coalesce(NEW.source, 'system');
  NEW.identifiers := coalesce(NEW.identifiers, '{}');
  PERFORM nokosu_refuse_unless(NEW.scope IN ('agent', 'user', 'session', 'task', 'section', 'project', 'team', 'org', 'company'),
      'scope must be one of agent, user, session, task, section, project, team, org, company'),
    nokosu_refuse_unless(trim(NEW.scope_id) <> '', 'scope_id must not be empty'),
    nokosu_refuse_unless(trim(NEW.observation) <> '' AND length(NEW.observation) <= 16384, 'observation must have 1 to 16384 characters'),
    nokosu_refuse_unless(NEW.category IN (SELECT stored_as FROM memory_categories), 'category must be one of those in memory_categories'),
    nokosu_refuse_unless(NEW.source IN ('extraction', 'manual', 'system', 'coder', 'reviewer', 'orchestrator', 'coordinator', 'observed'),
      'source must be one of extraction, manual, system, coder, reviewer, orchestrator, coordinator, observed'),
    nokosu_refuse_unless(NEW.confidence BETWEEN 0 AND 1, 'confidence must be from 0 to 1'),
    nokosu_refuse_unless(NEW.active IN (0, 1), 'active must be 0 or 1'),
    nokosu_refuse_unless(NEW.tier BETWEEN 0 AND 3, 'tier must be 0, 1, 2 or 3'),
    nokosu_refuse_unless(NEW.importance BETWEEN 0 AND 100, 'importance must be from 0 to 100'),
    nokosu_refuse_unless(json_typeof(NEW.identifiers) = 'object', 'identifiers must be a JSON object'),
    nokosu_refuse_unless(json_typeof(NEW.metadata) = 'object', 'metadata must be a JSON object'),
    nokosu_refuse_unless(NEW.links::text = '[]' AND NEW.thread_id IS NULL, 'links and threads cannot be set here');
  SELECT string_agg(substr(alphabet, ((moment >> (5 * i)) & 31)::int + 1, 1), '' ORDER BY i DESC) INTO NEW.ulid FROM generate_series(0, 9) AS i;
  NEW.ulid := NEW.ulid || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 16));
  NEW.identifiers := (NEW.identifiers::jsonb || jsonb_build_object(NEW.scope || 'Id', NEW.scope_id))::json;
  own_project := CASE WHEN NEW.scope IN ('agent', 'task', 'section') THEN coalesce(NEW.identifiers ->> 'projectId', '') ELSE '' END;
  INSERT INTO scopes (layer, owner, project) VALUES (NEW.scope, NEW.scope_id, own_project) ON CONFLICT DO NOTHING;
  SELECT id INTO NEW.scope_key FROM scopes WHERE layer = NEW.scope AND owner = NEW.scope_id AND project = own_project;
  NEW.created_at := nokosu_time(NEW.created_at, now_text);
  NEW.updated_at := nokosu_time(NEW.updated_at, NEW.created_at);
  NEW.expires_at := nokosu_time(NEW.expires_at, NULL);
  NEW.last_recalled_at := nokosu_time(NEW.last_recalled_at, NULL);
  -- The guard has not seen this text.
  NEW.trust := CASE NEW.trust WHEN 'quarantined' THEN NEW.trust ELSE 'flagged' END;
  NEW.visible_until := CASE WHEN NEW.active = 0 OR NEW.trust = 'quarantined' THEN '' ELSE coalesce(NEW.expires_at, '${FADED_NEVER}') END;
  NEW.version := 1;
  INSERT INTO unindexed_memories VALUES (NEW.id);
  INSERT INTO counts (what, key, shard, n) SELECT what, NEW.scope_key, pg_backend_pid() % 16, 1
    FROM (VALUES ('memories', 1), ('active', NEW.active)) AS c(what, n) WHERE c.n = 1
    ON CONFLICT (what, key, shard) DO UPDATE SET n = counts.n + 1;
  INSERT INTO changes (memory, version, operation, at, by, after) VALUES (NEW.ulid, 1, 'create', NEW.updated_at, 'sql', json_build_object(
    'id', NEW.ulid, 'content', NEW.observation, 'layer', NEW.scope, 'identifiers', NEW.identifiers, 'category', NEW.category,
    'service', NEW.service, 'source', NEW.source, 'tags', NEW.tags, 'metadata', NEW.metadata, 'anchor', NEW.anchor,
    'importance', NEW.importance, 'confidence', NEW.confidence, 'active', NEW.active = 1, 'decayedWeeks', NEW.decayed_weeks,
    'tier', NEW.tier, 'trust', NEW.trust, 'links', NEW.links, 'thread', NULL, 'occurredAt', NEW.occurred_at,
    'session', (SELECT s.key FROM sessions s WHERE s.id = NEW.session_id), 'expiresAt', NEW.expires_at,
    'lastRecalledAt', NEW.last_recalled_at, 'recallCount', NEW.recall_count, 'pinned', NEW.pinned = 1, 'useCount', NEW.use_count,
    'lastUsedAt', NEW.last_used_at, 'createdAt', NEW.created_at, 'updatedAt', NEW.updated_at, 'version', 1));
  RETURN NEW;
END $$;
CREATE TRIGGER memories_completed BEFORE INSERT ON memories FOR EACH ROW WHEN (NEW.ulid IS NULL) EXECUTE FUNCTION nokosu_complete_row();

CREATE FUNCTION nokosu_insert_workflow_row() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE stored TEXT := (SELECT stored_as FROM memory_categories WHERE name = NEW.event_type);
BEGIN
  PERFORM nokosu_refuse_unless(NEW.scope IN ('task', 'section', 'project'), 'scope must be task, section or project'),
    nokosu_refuse_unless(NEW.scope = 'project' OR coalesce(NEW.scope_id, '') <> '', 'scope_id is required for a task or section'),
    nokosu_refuse_unless(stored IS NOT NULL, 'event_type must be one of those in memory_categories'),
    nokosu_refuse_unless(NEW.source IS NOT NULL, 'source must be coder, reviewer, orchestrator or coordinator'),
    nokosu_refuse_unless(trim(NEW.summary) <> '', 'summary is required'),
    nokosu_refuse_unless(NEW.trust IS NULL, 'trust cannot be set here: the guard decides');
  INSERT INTO memories (category, observation, scope, scope_id, source, anchor, metadata, importance, active, expires_at, last_recalled_at,
    recall_count, created_at, updated_at, tags)
  VALUES (stored, NEW.summary, NEW.scope, NEW.scope_id, NEW.source, NEW.anchor, coalesce(NEW.details_json, '{}')::json,
    coalesce(NEW.importance, 50), coalesce(NEW.active, 1), NEW.expires_at, NEW.last_recalled_at, coalesce(NEW.recall_count, 0),
    NEW.created_at, NEW.updated_at,
    ARRAY(SELECT trim(word) FROM unnest(string_to_array(concat_ws(',', NEW.tags, CASE WHEN stored <> NEW.event_type THEN NEW.event_type END), ','))
      WITH ORDINALITY AS w(word, i) WHERE trim(word) <> '' GROUP BY trim(word) ORDER BY min(i)));
  RETURN NEW;
END $$;
CREATE TRIGGER agent_memories_insert INSTEAD OF INSERT ON agent_memories FOR EACH ROW EXECUTE FUNCTION nokosu_insert_workflow_row();

-- A plain view would let these through to the table, past the history.
CREATE FUNCTION nokosu_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'agent_memories takes new rows only: change and delete memories with nokosu' USING ERRCODE = 'feature_not_supported'; END $$;
CREATE TRIGGER agent_memories_change INSTEAD OF UPDATE OR DELETE ON agent_memories FOR EACH ROW EXECUTE FUNCTION nokosu_refuse_change();
`
