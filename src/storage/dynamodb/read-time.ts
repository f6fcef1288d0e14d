const WRITTEN = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s?(?:([Zz])|([+-]\d\d):?(\d\d))?$/

/** Seconds since 1970 currently have ten digits, milliseconds thirteen. */
const COUNTED = /^(?:\d{10}|\d{13})$/

/**
 * Converts times of other programs to the record's format: ISO 8601 with or without a time of day, fraction and zone
 * (default UTC), or a count since 1970. null if it is not a time.
 */
export function readTime(value: unknown): string | null {
  const text = typeof value === 'number' ? String(Math.floor(value)) : value
  if (typeof text !== 'string') return null
  if (COUNTED.test(text)) return exact(Number(text) * (text.length === 10 ? 1000 : 1))
  const [found, day, minute = '00:00', second = '00', fraction = '', , hours, minutes] = WRITTEN.exec(text) ?? []
  if (found === undefined) return null
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`
  // An invalid day such as 30 February would be read as another one.
  if (exact(Date.parse(`${day}T00:00:00.000Z`))?.slice(0, 10) !== day) return null
  return exact(Date.parse(`${day}T${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`))
}

function exact(time: number): string | null {
  if (Number.isNaN(time)) return null
  const text = new Date(time).toISOString()
  return text.length === 24 ? text : null
}
