import { NOW } from './views.ts'
import { workflowViewWith } from './workflow-view.ts'

/** What other programs read: nothing that is held, inactive, expired, faded or corrected. Frozen: see tables.ts. */

/**
 * A memory that another one contradicts is left out, unless the other is hidden itself. An agent does not hide what an
 * operator said, except where an operator settled it so.
 */
const CORRECTED = `EXISTS (SELECT 1 FROM json_each(memories.links) l
  JOIN memories o ON o.ulid = CASE WHEN l.type = 'object' AND l.value ->> 'relation' = 'contradictedBy' THEN l.value ->> 'memory' END
  WHERE o.visible_until > ${NOW} AND (memories.trust <> 'operator' OR o.trust = 'operator'))
  OR EXISTS (SELECT 1 FROM json_each(memories.metadata, '$.settled') s
    WHERE CASE WHEN s.type = 'object' THEN s.value ->> 'as' END = 'replaced')`

/** The view with two more columns. It shows what every reader of the engine may see. */
export const PUBLISHED_VIEW = workflowViewWith({
  columns: ', active, trust',
  inserted: [', active', ', coalesce(NEW.active, 1)'],
  updated: ', active = NEW.active',
  rules: {
    insert: `
  SELECT RAISE(ABORT, 'trust cannot be set here: the guard decides') WHERE NEW.trust IS NOT NULL;`,
    update: `
  SELECT RAISE(ABORT, 'trust cannot be changed here: use nokosu review') WHERE NEW.trust IS NOT OLD.trust;`,
  },
  where: ` AND active = 1 AND visible_until > ${NOW} AND NOT (${CORRECTED})`,
})
