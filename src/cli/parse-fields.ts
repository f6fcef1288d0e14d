import { InvalidArgumentError } from 'commander'
import type { Filter, FilterCondition, FilterScalar } from '../model/filter.ts'
import type { JsonObject, JsonValue, Thread } from '../model/memory.ts'
import { jsonOr } from '../text/json.ts'
import type { Reader } from './command.ts'
import { invalid } from './parse-flags.ts'

const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** A time (`2026-01-31`, `2026-01-31T12:00:00Z`) or a span from now (`30d`, `12h`, `2w`), as ISO 8601. */
export const futureTime: Reader<string> = (text, _, flag) => readTime(text, { flag, field: 'expiresAt', sign: 1 })

/** A past time: a span means that long ago. */
export const pastTime: Reader<string> = (text, _, flag) => readTime(text, { flag, field: 'occurredAt', sign: -1 })

interface TimeFlag {
  flag: string
  field: string
  sign: 1 | -1
}

/** `never`, which removes a time, is passed on: commander has no null. */
function readTime(text: string, { flag, field, sign }: TimeFlag): string {
  if (text === 'never') return text
  const span = /^(\d{1,6})\s*([smhdw])$/.exec(text.trim())
  const time = span ? Date.now() + sign * Number(span[1]) * UNITS_MS[span[2]!]! : parseIso(text.trim())
  if (!Number.isNaN(time) && Math.abs(time) <= 8.64e15) return new Date(time).toISOString()
  const forms = 'a time such as 2026-01-31T12:00:00Z nor a span such as 30d, 12h or 2w'
  throw invalid(flag, `'${text}' is neither ${forms}`, field)
}

/** A position in a thread: `incident-7:4`, or `incident-7` for the first; `none` removes the memory from its thread. */
export const threadPlace: Reader<Thread | 'none'> = (text, _, flag) => {
  if (text === 'none') return text
  const [, id, index = '0'] = /^(.*?)(?::([^:]*))?$/s.exec(text)!
  if (!/^\d+$/.test(index)) throw invalid(flag, `'${text}' must end with a number, such as incident-7:4`)
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
  const [, path, operator, value] = /^([^=<>~]+)((?:>=|<=|>|<)(?![=<>~])|=(?![=>])|~)(.*)$/s.exec(text) ?? []
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
  // 007 or "a"b" only looks like JSON: it is text.
  return /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|".*")$/s.test(text)
    ? (jsonOr(text, text) as FilterScalar)
    : text
}
