import type { Nokosu } from '../../../src/engine/nokosu.ts'
import type { ErrorCode } from '../../../src/model/errors.ts'
import type { BadValue } from './bad-values.ts'

export interface BadCall {
  /** Which field is wrong in which way. */
  title: string
  /** The field in `details.field`; with `within`, also one below it. */
  field: string
  within?: boolean
  code: ErrorCode
  call(engine: Nokosu, existingId: string): Promise<unknown>
}

export interface BadOperation {
  operation: string
  calls: BadCall[]
}

/** Fields in which `details.field` may be more specific. */
const OPEN_FIELDS = new Set(['metadata', 'filter', 'vector'])

export type Send = (engine: Nokosu, input: object, existingId: string) => Promise<unknown>

/** One call per bad value of each field, with all other fields valid. */
export function fieldCalls(
  base: object,
  fields: Record<string, readonly BadValue[]>,
  send: Send,
  prefix = '',
): BadCall[] {
  return Object.entries(fields).flatMap(([name, values]) =>
    values.map(({ label, value, code = 'INVALID_INPUT', at = '' }) => ({
      title: `${prefix}${name}: ${label}`,
      field: `${prefix}${name}${at}`,
      within: OPEN_FIELDS.has(name),
      code,
      call: (engine: Nokosu, existingId: string) => send(engine, { ...base, [name]: value }, existingId),
    })),
  )
}

/** Calls with one bad argument, named `field`. */
export function argumentCalls(
  field: string,
  values: readonly BadValue[],
  send: (engine: Nokosu, value: never) => Promise<unknown>,
): BadCall[] {
  return values.map(({ label, value, code = 'INVALID_INPUT', at = '' }) => ({
    title: `${field}: ${label}`,
    field: `${field}${at}`,
    code,
    call: (engine) => send(engine, value as never),
  }))
}

export function unknownFields(base: object, names: readonly string[], send: Send): BadCall[] {
  return names.map((name) => ({
    title: `unknown field ${name}`,
    field: name,
    code: 'INVALID_INPUT',
    call: (engine, existingId) =>
      send(engine, Object.defineProperty({ ...base }, name, { value: 'x', enumerable: true }), existingId),
  }))
}
