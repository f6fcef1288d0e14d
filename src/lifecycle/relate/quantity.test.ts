import { describe, expect, test } from 'vitest'
import { normalize } from './normalize.ts'
import { comparable, compareQuantities, type Quantity, readQuantities } from './quantity.ts'

function read(text: string): Quantity {
  const { quantities } = readQuantities(normalize(text))
  expect(quantities, text).toHaveLength(1)
  return quantities[0] as Quantity
}

function compare(a: string, b: string): string {
  const [one, two] = [read(a), read(b)]
  return comparable(one, two) ? compareQuantities(one, two) : 'incomparable'
}

describe('quantities', () => {
  test.each([
    ['takes 2 minutes', 'takes 120s'],
    ['takes an hour', 'takes 60 min'],
    ['takes half an hour', 'takes thirty minutes'],
    ['runs daily', 'runs every 24 hours'],
    ['runs quarterly', 'runs every three months'],
    ['scrapes every 15s', 'interval is 15 seconds'],
    ['runs at 2 am', 'runs at 02:00'],
    ['runs at midnight', 'runs at 0:00'],
    ['needs 2GB', 'needs 2048 MB'],
    ['holds 10k rows', 'holds 10,000 rows'],
    ['fails one time in ten', 'fails 10% of the time'],
    ['allows 60 requests per minute', 'allows 1 request per second'],
    ['takes about 60s', 'takes 65 seconds'],
    ['listens on port 80', 'listens on 80'],
    ['needs Node 20 or newer', 'needs at least Node 20'],
    ['stay on 14.x', 'stay on version 14'],
  ])('%s equals %s', (a, b) => {
    expect(compare(a, b)).toBe('equal')
  })

  test.each([
    ['takes 60s', 'takes 90s'],
    ['takes at most 10s', 'takes 30s'],
    ['at most 3 retries', 'at most 5 retries'],
    ['runs weekly', 'runs hourly'],
    ['listens on port 80', 'listens on port 8080'],
    ['stay on 1.8.2', 'stay on 1.9.0'],
    ['the size is unlimited', 'the size is 5 MB'],
  ])('%s differs from %s', (a, b) => {
    expect(compare(a, b)).toBe('different')
  })

  test.each([
    ['takes at most 60s', 'takes 45s', 'compatible'],
    ['runs on version 3.11', 'runs on version 3.11.4', 'compatible'],
    ['takes 30s', 'runs every 30s', 'incomparable'],
    ['has 4 nodes', 'has 4 GB', 'incomparable'],
    ['runs Python 3.11', 'runs OpenSSL 3.2', 'incomparable'],
  ])('%s and %s are %s', (a, b, expected) => {
    expect(compare(a, b)).toBe(expected)
  })
})
