import type { ErrorCode } from '../../../src/model/errors.ts'
import { LIMITS } from '../../../src/model/limits.ts'
import type { JsonObject } from '../../../src/model/memory.ts'

/** An invalid value for a field. */
export interface BadValue {
  label: string
  value: unknown
  /** Default INVALID_INPUT. */
  code?: ErrorCode
  /** Suffix of `details.field`: `[0]` or `.teamid`. */
  at?: string
}

/** Values of every type; the caller leaves out the right ones. */
function wrongTypes(...right: string[]): BadValue[] {
  const values: [string, unknown][] = [
    ['number', 42],
    ['string', 'text'],
    ['boolean', true],
    ['null', null],
    ['object', { a: 1 }],
    ['array', ['a']],
    ['function', () => 1],
    ['symbol', Symbol('s')],
    ['bigint', 1n],
  ]
  return values.filter(([type]) => !right.includes(type)).map(([type, value]) => ({ label: `a ${type}`, value }))
}

/** For a string field of at most `max` characters. */
export function badTexts(
  max: number,
  { tooLong, nullable = false }: { tooLong?: ErrorCode; nullable?: boolean } = {},
): BadValue[] {
  return [
    ...wrongTypes('string', ...(nullable ? ['null'] : [])),
    { label: 'empty', value: '' },
    { label: 'blank', value: ' \n\t ' },
    { label: 'too long', value: 'x'.repeat(max + 1), ...(tooLong ? { code: tooLong } : {}) },
    { label: 'NUL', value: 'a\0b' },
    { label: 'a control character', value: 'a\x1b[31mb' },
    { label: 'DEL', value: 'a\x7f' },
    { label: 'a lone high surrogate', value: 'a\ud800' },
    { label: 'a lone low surrogate', value: '\udc00a' },
  ]
}

export function badNumbers(min: number, max: number, { whole = false } = {}): BadValue[] {
  return [
    ...wrongTypes('number'),
    { label: 'NaN', value: Number.NaN },
    { label: 'Infinity', value: Number.POSITIVE_INFINITY },
    { label: '-Infinity', value: Number.NEGATIVE_INFINITY },
    { label: 'a number in a string', value: String(min) },
    { label: 'too small', value: min - 1 },
    ...(Number.isFinite(max) ? [{ label: 'too large', value: max + 1 }] : []),
    ...(whole ? [{ label: 'a fraction', value: min + 0.5 }] : []),
  ]
}

export const badBooleans: BadValue[] = [
  ...wrongTypes('boolean'),
  { label: "'true'", value: 'true' },
  { label: '1', value: 1 },
]

/** For an enum field. */
export const badWords: BadValue[] = [
  ...wrongTypes('string'),
  { label: 'an unknown word', value: 'gossip' },
  { label: 'empty', value: '' },
  { label: 'a name of Object.prototype', value: 'constructor' },
]

export const badLayers: BadValue[] = [
  ...wrongTypes('string'),
  { label: 'unknown', value: 'galaxy' },
  { label: 'empty', value: '' },
  { label: 'another case', value: 'Project' },
  { label: 'a name of Object.prototype', value: 'toString' },
  { label: 'an escape sequence', value: '\x1b[2J' },
].map((bad) => ({ ...bad, code: 'INVALID_LAYER' }))

export const badTimes: BadValue[] = [
  ...wrongTypes('string', 'null'),
  { label: 'a word', value: 'tomorrow' },
  { label: 'empty', value: '' },
  { label: 'a day that is not', value: '2026-02-30T00:00:00Z' },
  { label: 'an hour that is not', value: '2026-01-01T25:00:00Z' },
  { label: 'no zone', value: '2026-01-01T00:00:00' },
  { label: 'no date', value: new Date(Number.NaN) },
]

export const badTags: BadValue[] = [
  ...wrongTypes('array'),
  { label: 'too many', value: Array.from({ length: LIMITS.tags + 1 }, (_, i) => `t${i}`) },
  ...badTexts(LIMITS.tag).map((bad) => ({
    ...bad,
    label: `one that is ${bad.label}`,
    value: ['fine', bad.value],
    at: '[1]',
  })),
  { label: 'a comma', value: ['a,b'], at: '[0]' },
  { label: 'a line break', value: ['a\nb'], at: '[0]' },
]

export const badIdentifiers: BadValue[] = [
  ...wrongTypes('object'),
  { label: 'an unknown name', value: { projectId: 'shop', teamid: 'x' }, at: '.teamid' },
  { label: '__proto__ as a name', value: JSON.parse('{"projectId": "shop", "__proto__": "x"}'), at: '.__proto__' },
  ...badTexts(LIMITS.identifier).map((bad) => ({
    ...bad,
    label: `one that is ${bad.label}`,
    value: { projectId: bad.value },
    at: '.projectId',
  })),
]

/** Problems in metadata may be reported at the field or below it. */
export const badMetadata: BadValue[] = [
  ...wrongTypes('object'),
  { label: 'NaN inside', value: { a: Number.NaN } },
  { label: 'Infinity inside', value: { a: [Number.POSITIVE_INFINITY] } },
  { label: 'undefined inside', value: { a: [undefined] } },
  { label: 'a function inside', value: { a: () => 1 } },
  { label: 'a bigint inside', value: { a: 1n } },
  { label: 'a Date inside', value: { a: new Date(0) } },
  { label: 'a Map inside', value: { a: new Map() } },
  { label: 'NUL in a value', value: { a: { b: 'x\0' } } },
  { label: 'NUL in a key', value: { 'a\0': 1 } },
  { label: 'a lone surrogate in a value', value: { a: ['\ud800'] } },
  { label: 'a lone surrogate in a key', value: { '\udfff': 1 } },
  { label: '__proto__', value: JSON.parse('{"__proto__": {"polluted": true}}') },
  { label: '__proto__ deep inside', value: JSON.parse('{"a": [{"__proto__": {"polluted": true}}]}') },
  { label: 'constructor', value: { a: { constructor: 1 } } },
  { label: 'too deep', value: nested(LIMITS.metadataDepth + 2) },
  { label: 'very deep', value: nested(5000) },
  { label: 'too large', value: { a: 'x'.repeat(LIMITS.metadata) } },
  { label: 'a cycle', value: cycle() },
]

/** Problems in a filter may be reported at the field or below it. */
export const badFilters: BadValue[] = [
  ...wrongTypes('object'),
  { label: 'an unknown operator', value: { a: { like: 'x' } } },
  { label: 'an unknown operator beside a known one', value: { a: { gt: 1, $where: 'x' } } },
  { label: 'no operator', value: { a: {} } },
  { label: 'a list', value: { a: [1] } },
  { label: 'undefined', value: { a: undefined } },
  { label: 'NaN', value: { a: Number.NaN } },
  { label: 'Infinity', value: { a: { lt: Number.POSITIVE_INFINITY } } },
  { label: 'a range over a boolean', value: { a: { gt: true } } },
  { label: 'a range over null', value: { a: { lte: null } } },
  { label: 'contains null', value: { a: { contains: null } } },
  { label: 'an object as the value', value: { a: { eq: { b: 1 } } } },
  { label: 'an empty path', value: { '': 1 } },
  { label: 'an empty step', value: { 'a..b': 1 } },
  { label: 'a leading dot', value: { '.a': 1 } },
  { label: 'a trailing dot', value: { 'a.': 1 } },
  { label: 'a quote in the path', value: { 'a"b': 1 } },
  { label: 'NUL in the path', value: { 'a\0': 1 } },
  { label: 'a lone surrogate in the path', value: { '\ud800': 1 } },
  { label: 'NUL in the value', value: { a: 'x\0' } },
  { label: 'a lone surrogate in the value', value: { a: { contains: '\ud800' } } },
  { label: '__proto__ as the path', value: JSON.parse('{"__proto__": 1}') },
  { label: 'a path that is too long', value: { ['a'.repeat(300)]: 1 } },
  {
    label: 'too many paths',
    value: Object.fromEntries(Array.from({ length: LIMITS.filterPaths + 1 }, (_, i) => [`p${i}`, 1])),
  },
]

export const badCursors: BadValue[] = [
  ...wrongTypes('string'),
  { label: 'empty', value: '' },
  { label: 'garbage', value: 'garbage!' },
  { label: 'NUL', value: 'a\0b' },
  { label: 'too long', value: 'x'.repeat(2000) },
  { label: 'JSON in base64 that is not ours', value: Buffer.from('{"offset": 10}').toString('base64url') },
  { label: 'a list in base64 that is not ours', value: Buffer.from('["n1", 5, {}]').toString('base64url') },
  { label: 'null in base64', value: Buffer.from('null').toString('base64url') },
]

/** For an input that must be an object; the problem is the input itself. */
export const badObjects: BadValue[] = wrongTypes('object')

function nested(depth: number): JsonObject {
  let value: JsonObject = {}
  for (let i = 0; i < depth; i++) value = { a: value }
  return value
}

function cycle(): unknown {
  const value: Record<string, unknown> = {}
  value.self = value
  return value
}
