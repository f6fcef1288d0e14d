import { ACTIVE_CONFIDENCE, DECAY, WORKFLOW_CATEGORIES } from '../../model/memory.ts'
import { MEMORY_COLUMNS, SESSION_OF } from './schema.ts'

/** Pieces of SQL that the schema's triggers are made of. */

/** This instant, as the record writes times. */
export const NOW = `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`
/** A time in any form that SQLite reads, as the record writes it; NULL when it is none. */
export const TIME = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column})`
/** The same, where there must be one. */
export const ISO = (column: string) => `coalesce(${TIME(column)}, ${NOW})`
export const WORDS = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ')

/** Whether a text is JSON of this type; never an error. */
export function isJson(value: string, type: 'object' | 'array'): string {
  return `CASE WHEN json_valid(${value}) THEN json_type(${value}) = '${type}' ELSE 0 END`
}

const ALWAYS = `'9999-12-31T23:59:59.999Z'`
const HUNDREDTHS_ABOVE = (row: string) => `CAST(round((${row}.confidence - ${ACTIVE_CONFIDENCE}) * 100) AS INTEGER)`
const FADES_AFTER_DAYS = (row: string, weeks: string) =>
  `${DECAY.graceDays} + ${DECAY.stepDays} * (${weeks} + max(1, ${HUNDREDTHS_ABOVE(row)} / ${DECAY.step * 100} + 1))`

/** What `visibleUntil` of the lifecycle says of a row that another tool wrote. `weeks` are those already taken. */
export function visibleUntil(row: string, weeks = `${row}.decayed_weeks`): string {
  return `CASE WHEN ${row}.active = 0 OR ${row}.trust = 'quarantined' THEN '' ELSE min(
      coalesce(${row}.expires_at, ${ALWAYS}),
      CASE WHEN ${row}.category IN (${WORDS(WORKFLOW_CATEGORIES)}) THEN ${ALWAYS} ELSE coalesce(strftime(
        '%Y-%m-%dT%H:%M:%fZ', ${ISO(`${row}.updated_at`)}, '+' || (${FADES_AFTER_DAYS(row, weeks)}) || ' days'), ${ALWAYS}) END) END`
}

/** A memory's state as `changes.after` keeps it. The recall counters come from the row of `changes` that it completes. */
export function stateOf(row: string): string {
  const value = (column: string) =>
    column === 'recall_count' || column === 'last_recalled_at' ? `changes.${column}` : `${row}.${column}`
  return `json_object(${MEMORY_COLUMNS.map((column) => `'${column}', ${value(column)}`).join(', ')}, 'session', ${SESSION_OF(row)})`
}
