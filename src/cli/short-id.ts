/** Characters of an id that people read and type. */
const SHORT = 8
/** Shorter ids are not looked up. */
export const LEAST_OF_ID = 6

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/i

/** Whether this can only be a whole id of ours. */
export function isWholeId(text: string): boolean {
  return ULID.test(text)
}

/**
 * The ids of a table, shortened. Memory ids begin with the time, so ids of one run begin alike: their end is shown.
 * If two in the table would look the same, they are shown whole.
 */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const shorts = new Map(ids.map((id) => [id, shorten(id)]))
  const seen = new Map<string, number>()
  for (const short of shorts.values()) seen.set(short, (seen.get(short) ?? 0) + 1)
  return new Map([...shorts].map(([id, short]) => [id, seen.get(short) === 1 ? short : id]))
}

export function shorten(id: string): string {
  if (isWholeId(id)) return id.slice(-SHORT)
  // The beginning of a UUID is as good as its end, and is what people expect.
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(id) ? id.slice(0, SHORT) : id
}
