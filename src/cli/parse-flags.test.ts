import { afterEach, describe, expect, it, vi } from 'vitest'
import { collectFilter, collectMetadata, futureTime } from './parse-fields.ts'
import { collectList, number, whole } from './parse-flags.ts'

const NOW = new Date('2026-03-01T00:00:00.000Z')

describe('futureTime', () => {
  const read = (text: string) => {
    vi.useFakeTimers({ now: NOW })
    return futureTime(text, undefined, '--expires')
  }
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['30d', '2026-03-31T00:00:00.000Z'],
    ['12h', '2026-03-01T12:00:00.000Z'],
    ['2w', '2026-03-15T00:00:00.000Z'],
    ['90m', '2026-03-01T01:30:00.000Z'],
    ['2026-12-31', '2026-12-31T00:00:00.000Z'],
    ['2026-12-31T12:00:00+02:00', '2026-12-31T10:00:00.000Z'],
  ])('reads %s', (text, time) => expect(read(text)).toBe(time))

  it.each(['', '5', 'tomorrow', '30x', '2026-02-30', '2026-13-01', '-3d', '2026-01-01T99:00:00Z'])(
    'refuses %s',
    (text) => expect(() => read(text)).toThrow('--expires'),
  )
})

describe('collectMetadata', () => {
  it('keeps numbers, booleans and null, and quoted text as text', () => {
    const given = ['a=1', 'b=true', 'c=null', 'd="5"', 'e=x=y', 'f=', 'g=007', 'h=-1.5e3']
    expect(given.reduce((before, text) => collectMetadata(text, before), {})).toEqual({
      a: 1,
      b: true,
      c: null,
      d: '5',
      e: 'x=y',
      f: '',
      g: '007',
      h: -1500,
    })
  })

  it('merges JSON objects, and refuses what is neither', () => {
    expect(collectMetadata('{"a": {"b": [1]}}', { c: 1 })).toEqual({ a: { b: [1] }, c: 1 })
    expect(() => collectMetadata('{"a": ')).toThrow('JSON')
    expect(() => collectMetadata('nothing')).toThrow('key=value')
  })

  it('does not lose a key named __proto__, so that the engine can refuse it', () => {
    expect(Object.keys(collectMetadata('__proto__=1'))).toEqual(['__proto__'])
  })
})

describe('collectFilter', () => {
  it.each([
    ['a=1', { a: { eq: 1 } }],
    ['a.b=x', { 'a.b': { eq: 'x' } }],
    ['a>5', { a: { gt: 5 } }],
    ['a>=5', { a: { gte: 5 } }],
    ['a<5', { a: { lt: 5 } }],
    ['a<=2026-01-01', { a: { lte: '2026-01-01' } }],
    ['a~5', { a: { contains: '5' } }],
    ['a=b>c', { a: { eq: 'b>c' } }],
    ['{"a": {"contains": 5}}', { a: { contains: 5 } }],
  ])('reads %s', (text, filter) => expect(collectFilter(text)).toEqual(filter))

  it('joins two tests on one path', () => {
    expect(collectFilter('a<9', collectFilter('a>5'))).toEqual({ a: { gt: 5, lt: 9 } })
  })

  it('refuses what has no operator', () => expect(() => collectFilter('a')).toThrow('path=value'))
})

it('reads numbers strictly', () => {
  expect(number()('0.5', undefined, '--x')).toBe(0.5)
  for (const text of ['', ' ', 'x', '1x', 'NaN', 'Infinity']) {
    expect(() => number()(text, undefined, '--x')).toThrow('number')
  }
  expect(() => whole(0)('1.5', undefined, '--x')).toThrow('whole number of 0 or more')
  expect(collectList('a, b,', ['c'])).toEqual(['c', 'a', 'b'])
})
