import { type ErrorCode, invalidInput, MemoryError } from '../model/errors.ts'
import { didYouMean } from '../model/suggest.ts'
import type { Reader } from './command.ts'
import { note } from './output.ts'

export const text: Reader<string> = (given) => given

/** A number within bounds. The error names the flag; `field` is the library's name. */
export function number(least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): Reader<number> {
  return (text, _, flag) => within(text, Number(text), { least, most, flag, kind: 'a number' })
}

export function whole(least: number, most = Number.POSITIVE_INFINITY, field?: string): Reader<number> {
  return (text, _, flag) => {
    const value = /^\s*-?\d+\s*$/.test(text) ? Number(text) : Number.NaN
    return within(text, value, { least, most, flag, field, kind: 'a whole number' })
  }
}

/** A number limited to bounds: a value beyond them becomes the bound, with a note. */
export function boundedNumber(least: number, most: number): Reader<number> {
  return (text, before, flag) => {
    const value = number()(text, before, flag)
    const kept = Math.min(most, Math.max(least, value))
    if (kept !== value) note(`${flag} must be from ${least} to ${most}: ${value} was changed to ${kept}.`)
    return kept
  }
}

interface Bounds {
  least: number
  most: number
  flag: string
  field?: string | undefined
  kind: string
}

function within(text: string, value: number, { least, most, flag, field, kind }: Bounds): number {
  if (text.trim() !== '' && Number.isFinite(value) && value >= least && value <= most) return value
  const upward = Number.isFinite(least) ? ` of ${least} or more` : ''
  const bounds = Number.isFinite(most) ? ` from ${least} to ${most}` : upward
  throw invalid(flag, `'${text}' is not ${kind}${bounds}`, field)
}

/** One of a fixed set of values. Otherwise the error suggests the closest value and lists them all. */
export function oneOf<const Value extends string>(values: readonly Value[], code?: ErrorCode): Reader<Value> {
  const read = (text: string, _: unknown, flag: string) => requireOneOf(values, text, flag, code)
  return Object.assign(read, { choices: values })
}

/** Several of a fixed set, as `a,b`; may be repeated. */
export function severalOf<const Value extends string>(values: readonly Value[], code?: ErrorCode): Reader<Value[]> {
  const read = (text: string, before: readonly Value[] = [], flag: string) => [
    ...before,
    ...collectList(text).map((part) => requireOneOf(values, part, flag, code)),
  ]
  return Object.assign(read, { choices: values })
}

function requireOneOf<Value extends string>(
  values: readonly Value[],
  text: string,
  flag: string,
  code?: ErrorCode,
): Value {
  const found = values.find((value) => value === text)
  if (found !== undefined) return found
  const meant = didYouMean(text, values)
  const message = `Invalid ${flag}: '${text}' is not one of its values.${meant === null ? '' : ` ${meant}`}`
  const details = { field: flag.replace(/^--/, ''), choices: values, hint: `Use one of ${values.join(', ')}.` }
  throw new MemoryError(code ?? 'INVALID_INPUT', message, { details })
}

/** The error for a flag's value. `field` is the library's name. */
export function invalid(flag: string, problem: string, field = camelCase(flag)): MemoryError {
  return invalidInput(field, `Invalid ${flag}: ${problem}.`)
}

function camelCase(flag: string): string {
  return flag.replace(/^--/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text]
}

/** For an option such as `a,b` that may be given more than once. */
export function collectList(text: string, before: readonly string[] = []): string[] {
  const parts = text.split(',').map((part) => part.trim())
  return [...before, ...parts.filter((part) => part !== '')]
}
