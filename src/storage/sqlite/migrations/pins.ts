import { isTime, oneOf, type Rule, SOURCES, triggersWith } from './triggers.ts'
import { viewsWith } from './views.ts'

/** The columns for pins, uses and observed lessons, as SQL. Frozen: see tables.ts. */
export const PIN_COLUMNS = {
  pinned: 'INTEGER NOT NULL DEFAULT 0',
  use_count: 'INTEGER NOT NULL DEFAULT 0',
  last_used_at: 'TEXT',
}

const SOURCES_NOW = `${SOURCES}, 'observed'`

/**
 * Base for later migrations of the triggers.
 * @public
 */
export const PIN_RULES: readonly Rule[] = [
  ['source', (value) => `${value} IN (${SOURCES_NOW})`, oneOf(SOURCES_NOW)],
  ['pinned', (value) => `${value} IN (0, 1)`, 'must be 0 or 1'],
  ['use_count', (value) => `typeof(${value}) = 'integer' AND ${value} >= 0`, 'must be a whole number from 0'],
  ['last_used_at', isTime, 'must be a time such as 2026-01-31T12:00:00.000Z'],
]

/** The views and triggers that replace the earlier ones. */
export const PIN_VIEWS = viewsWith('pinned = 1 OR ', Object.keys(PIN_COLUMNS))
export const PIN_TRIGGERS = triggersWith(PIN_RULES)
