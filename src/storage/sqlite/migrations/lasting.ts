import { PIN_COLUMNS } from './pins.ts'
import { viewsWith } from './views.ts'

/** Learnings and what an operator said do not fade, as SQL. Frozen: see tables.ts. */
export const LASTING_VIEWS = viewsWith("pinned = 1 OR trust = 'operator' OR ", Object.keys(PIN_COLUMNS))

/** What would leave the read paths for its age, or has, is shown as long as it lasts. */
export const SHOW_LASTING = `UPDATE memories SET visible_until = (SELECT v.until FROM memory_visibility v WHERE v.id = memories.id)
  WHERE ulid IS NOT NULL AND (trust = 'operator' OR category = 'learning')`
