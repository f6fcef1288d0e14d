import { expect, test } from 'vitest'
import { dynamodbOptions } from './store-url.ts'

test.each([
  ['dynamodb://EU-West-1', { region: 'eu-west-1' }],
  ['dynamodb:// eu-west-1 ?prefix= prod- ', { region: 'eu-west-1', prefix: 'prod-' }],
  ['dynamodb://?endpoint=http://127.0.0.1:8000', { endpoint: 'http://127.0.0.1:8000' }],
])('%s is read', (url, options) => {
  expect(dynamodbOptions(url)).toEqual(options)
})

test.each([
  'dynamodb:eu-west-1',
  'dynamodb://AKIA:hush@eu-west-1',
  'dynamodb://eu_west',
  'dynamodb://eu-west-1?prefix="a b"',
  'dynamodb://eu-west-1?endpoint=127.0.0.1:8000',
  'dynamodb://eu-west-1?Prefix=a-',
])('%s is refused', (url) => {
  const failure = attempt(() => dynamodbOptions(url))
  expect(failure).toMatchObject({ code: 'CONFIGURATION_ERROR' })
  expect(failure.message).not.toContain('hush')
})

function attempt(work: () => unknown): Error & { details?: unknown } {
  try {
    return new Error(`no failure: ${JSON.stringify(work())}`)
  } catch (error) {
    return error as Error
  }
}
