import { expect, test } from 'vitest'
import { dynamodbOptions } from './dynamodb/store-url.ts'
import { openStorage } from './open-storage.ts'
import { storeAddress } from './store-address.ts'

test.each([
  ['memory.db', 'sqlite:memory.db'],
  ['./notes:today.db', 'sqlite:./notes:today.db'],
  ['C:\\data\\memory.db', 'sqlite:C:\\data\\memory.db'],
  ['SQLite:memory.db', 'sqlite:memory.db'],
  ['/var//data/memory.db', 'sqlite:/var//data/memory.db'],
  ["'my file.db'", 'sqlite:my file.db'],
  ['"postgres://app:hush@db/shop"', 'postgres://app:hush@db/shop'],
  ['  Postgres://app:hush@db/shop\n', 'postgres://app:hush@db/shop'],
  ['DynamoDB://eu-west-1?prefix=a-', 'dynamodb://eu-west-1?prefix=a-'],
  ["'dynamodb://eu-west-1'", 'dynamodb://eu-west-1'],
  ['memory:', 'memory:'],
  ['HTTPS://memory.example.com', 'https://memory.example.com'],
])('%s is %s', (given, url) => {
  expect(storeAddress(given).url).toBe(url)
})

test('an engine of its own is not opened on another server’s store', async () => {
  for (const url of ['http://localhost:4816', 'https://memory.example.com'])
    await expect(openStorage(url)).rejects.toMatchObject({ code: 'UNSUPPORTED', details: { key: 'db' } })
})

test.each([
  'mysql://app:hush@db/shop',
  '"postgres://app:hush@db/shop',
  'postgress://app:hush@db/shop',
  'app:hush@db/shop',
  '‘postgres://app:hush@db/shop’',
  '"app hush',
  'postgres//app:hush@db/shop',
  'postgres:app:hush@db/shop',
  'postgres//db/shop',
  'dynamo//eu-west-1',
  'sqlite:postgres://app:hush@db/shop',
  '=postgres://app:hush@db/shop',
])('%s is refused, and its password is not told', (given) => {
  const failure = attempt(() => storeAddress(given))
  expect(failure).toMatchObject({ code: 'CONFIGURATION_ERROR', details: { key: 'db' } })
  expect(JSON.stringify([failure.message, failure.details])).not.toContain('hush')
})

test.each([
  ['dynamodb://EU-West-1', { region: 'eu-west-1' }],
  ['dynamodb:// eu-west-1 ?prefix= prod- ', { region: 'eu-west-1', prefix: 'prod-' }],
  ['dynamodb://?endpoint=http://127.0.0.1:8000', { endpoint: 'http://127.0.0.1:8000' }],
  ['dynamodb://eu-west-1?timeoutMs=250', { region: 'eu-west-1', timeoutMs: 250 }],
  ['dynamodb://?vectors=memories', { vectors: { bucket: 'memories' } }],
  ['dynamodb://?vectors=memories&vectorsFrom=9000', { vectors: { bucket: 'memories', from: 9000 } }],
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
  'dynamodb://eu-west-1?timeoutMs=soon',
  'dynamodb://eu-west-1?timeoutMs=0',
  'dynamodb://eu-west-1?vectors=My_Bucket',
  'dynamodb://eu-west-1?vectors=memories&vectorsFrom=many',
  'dynamodb://eu-west-1?vectors=',
  'dynamodb://eu-west-1?vectorsFrom=9000',
  'dynamodb://eu-west-1?vectors=memories&vectors=others',
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
