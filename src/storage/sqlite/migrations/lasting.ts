import { PIN_COLUMNS } from './pins.ts'
import { viewsWith } from './views.ts'

/** Learnings and operator statements do not fade, as SQL. Frozen: see tables.ts. */
export const LASTING_VIEWS = viewsWith("pinned = 1 OR trust = 'operator' OR ", Object.keys(PIN_COLUMNS))

/** Makes those visible again that were hidden, or would have been, by age. */
export const SHOW_LASTING = `UPDATE memories SET visible_until = (SELECT v.until FROM memory_visibility v WHERE v.id = memories.id)
  WHERE ulid IS NOT NULL AND (trust = 'operator' OR category = 'learning')`
