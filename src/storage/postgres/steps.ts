import { PUBLISHED } from './published.ts'
import {
  COVERING_INDEX,
  ENGINE_TABLES,
  MEMORY_TABLES,
  PINS_AND_USES,
  SHOW_LASTING,
  TOKEN_INDEX,
  VECTOR_PLACES,
  WORKFLOW_VIEW,
} from './schema.ts'

/** One change of the schema. A step is frozen once it is released. */
export interface Step {
  id: number
  name: string
  /** Statements that take no time on a large table. Without them the program works, if slower. */
  sql?: string
  /** An UPDATE of memories without an end, so that `AND id BETWEEN ...` bounds it; repeating it changes nothing. */
  rows?: string
  /** An index of memories that replaces the one of this name. An upgrade builds it CONCURRENTLY. */
  index?: { name: string; on: string }
}

/** Forward only. The first two have the numbers of the older tools' tables, as on SQLite. */
export const STEPS: readonly Step[] = [
  { id: 5, name: '005_memories', sql: MEMORY_TABLES },
  { id: 17, name: '017_agent_memories', sql: WORKFLOW_VIEW },
  { id: 18, name: '018_engine', sql: ENGINE_TABLES },
  { id: 19, name: '019_covering_index', index: COVERING_INDEX },
  { id: 20, name: '020_pins_and_uses', sql: PINS_AND_USES },
  { id: 21, name: '021_lasting', rows: SHOW_LASTING },
  { id: 22, name: '022_published', sql: PUBLISHED },
  { id: 23, name: '023_token_index', index: TOKEN_INDEX },
  { id: 24, name: '024_vector_places', index: VECTOR_PLACES },
]
export const NEWEST = STEPS.at(-1)!.id

/**
 * The newest step that the previous release knows; it works beside this one. Steps up to it are recorded in
 * `_migrations`, and a program refuses a store with a step there that it does not know. Later steps are recorded in
 * `_expansions`: they may add, and take away only what the previous release does not use. A release that sets this to
 * its predecessor's newest step may therefore take away what only older programs used.
 */
export const PREVIOUS = 19
