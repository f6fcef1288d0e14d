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
