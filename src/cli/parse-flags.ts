import { InvalidArgumentError } from 'commander'
import { MemoryError } from '../model/errors.ts'
import type { Filter, FilterCondition, FilterScalar } from '../model/filter.ts'
import type { JsonObject, JsonValue, Thread } from '../model/memory.ts'
import { note } from './output.ts'

export function parseNumber(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('It must be a number.')
  return number
}

export function parseWhole(text: string): number {
  const number = parseNumber(text)
  if (!Number.isInteger(number)) throw new InvalidArgumentError('It must be a whole number.')
  return number
}

/** A number within bounds. The error names the flag, and `field` as the library calls it. */
export function numberIn(flag: string, least: number, most: number, field = camelCase(flag)): (text: string) => number {
  return (text) => within(flag, field, text, Number(text), least, most, 'a number')
}

/** A whole number within bounds. */
export function wholeIn(flag: string, least: number, most: number, field = camelCase(flag)): (text: string) => number {
  const kind = 'a whole number'
  return (text) => within(flag, field, text, /^\s*-?\d+\s*$/.test(text) ? Number(text) : Number.NaN, least, most, kind)
}

/** A number that is kept within bounds: what is beyond them is said, and counts as the bound. */
export function boundedNumber(flag: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const number = numberIn(flag, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)(text)
    const kept = Math.min(most, Math.max(least, number))
    if (kept !== number) note(`${flag} is from ${least} to ${most}: ${number} is kept as ${kept}.`)
    return kept
  }
}

function within(
  ...[flag, field, text, number, least, most, kind]: [string, string, string, number, number, number, string]
): number {
  if (text.trim() !== '' && number >= least && number <= most) return number
  const bounds = !Number.isFinite(most)
    ? ''
    : most === Number.MAX_SAFE_INTEGER
      ? ` of ${least} or more`
      : ` from ${least} to ${most}`
  throw new MemoryError('INVALID_INPUT', `Invalid ${flag}: '${text}' is not ${kind}${bounds}.`, { details: { field } })
}

function camelCase(flag: string): string {
  return flag.replace(/^--/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** For an option that may be given more than once. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text]
}

/** For an option such as `a,b` that may be given more than once. */
export function collectList(text: string, before: readonly string[] = []): string[] {
  const parts = text.split(',').map((part) => part.trim())
  return [...before, ...parts.filter((part) => part !== '')]
}

const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** A time (`2026-01-31`, `2026-01-31T12:00:00Z`) or a span from now on (`30d`, `12h`, `2w`), as ISO 8601. */
export function parseTime(text: string, now: Date = new Date()): string {
  return readTime(text, now.getTime(), 1, { flag: '--expires', field: 'expiresAt' })
}

/** The same for a time that is over: a span is that long ago. */
export function parsePastTime(text: string, now: Date = new Date()): string {
  return readTime(text, now.getTime(), -1, { flag: '--happened', field: 'occurredAt' })
}

function readTime(text: string, now: number, sign: number, { flag, field }: { flag: string; field: string }): string {
  const span = /^(\d{1,6})\s*([smhdw])$/.exec(text.trim())
  const time = span ? now + sign * Number(span[1]) * UNITS_MS[span[2]!]! : parseIso(text.trim())
  if (Number.isNaN(time) || Math.abs(time) > 8.64e15) {
    throw new MemoryError(
      'INVALID_INPUT',
      `Invalid ${flag}: '${text}' is neither a time such as 2026-01-31T12:00:00Z nor a span such as 30d, 12h or 2w.`,
      { details: { field } },
    )
  }
  return new Date(time).toISOString()
}

/** A place in a thread: `incident-7:4`, or `incident-7` for its first. */
export function parseThread(text: string): Thread {
  const [, id, index = '0'] = /^(.*?)(?::([^:]*))?$/s.exec(text)!
  if (!/^\d+$/.test(index)) {
    throw new MemoryError(
      'INVALID_INPUT',
      `Invalid --thread: '${text}' must end with a number, such as incident-7:4.`,
      {
        details: { field: 'thread' },
      },
    )
  }
  return { id: id!, index: Number(index) }
}

/** Only ISO 8601: `Date.parse` alone would read '5' as a year. */
function parseIso(text: string): number {
  const iso = /^\d{4}-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(text)
  const time = iso ? Date.parse(text) : Number.NaN
  // 30 February would roll over into March.
  const day = iso ? new Date(Date.UTC(Number(text.slice(0, 4)), Number(iso[1]) - 1, Number(iso[2]))) : null
  return day?.getUTCDate() === Number(iso?.[2]) ? time : Number.NaN
}

/** `key=value` or a JSON object; several are merged. Numbers, true, false and null mean themselves; quote them for text. */
export function collectMetadata(text: string, before: JsonObject = {}): JsonObject {
  if (text.trimStart().startsWith('{')) return { ...before, ...parseObject(text) }
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (key === undefined) throw new InvalidArgumentError('Use key=value, or a JSON object.')
  // An assignment would silently drop a key named __proto__. This way the engine refuses it.
  return Object.fromEntries([...Object.entries(before), [key.trim(), parseScalar(value!)]])
}

const OPERATORS: Record<string, keyof FilterCondition> = {
  '=': 'eq',
  '~': 'contains',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
}

/** `path=value`, `path>5`, `path<=5`, `path~text` or a JSON object; all of them must hold. */
export function collectFilter(text: string, before: Filter = {}): Filter {
  if (text.trimStart().startsWith('{')) return { ...before, ...(parseObject(text) as Filter) }
  const [, path, operator, value] = /^([^=<>~]+)(>=|<=|=|>|<|~)(.*)$/s.exec(text) ?? []
  if (path === undefined) throw new InvalidArgumentError("Use 'path=value', 'path>5', 'path~text', or a JSON object.")
  const name = OPERATORS[operator!]!
  const known = before[path.trim()]
  const conditions = typeof known === 'object' && known !== null ? known : known === undefined ? {} : { eq: known }
  const operand = name === 'contains' ? value! : parseScalar(value!)
  return { ...before, [path.trim()]: { ...conditions, [name]: operand } }
}

function parseObject(text: string): JsonObject {
  let value: JsonValue
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new InvalidArgumentError(`Not valid JSON: ${(error as Error).message}`)
  }
  return value as JsonObject
}

function parseScalar(text: string): FilterScalar {
  if (/^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|".*")$/s.test(text)) {
    try {
      return JSON.parse(text)
    } catch {
      // 007 or "a"b" only looks like JSON: it is text.
      return text
    }
  }
  return text
}
