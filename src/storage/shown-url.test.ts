import { expect, test } from 'vitest'
import { openStorage } from './open-storage.ts'
import { shownUrl } from './shown-url.ts'

test.each([
  ['postgres://app:hush@db:5432/shop', 'postgres://app:***@db:5432/shop'],
  ['postgres://app:hu/sh@hu:sh@db/shop', 'postgres://app:***@db/shop'],
  ['POSTGRES://:hush@db/shop', 'POSTGRES://:***@db/shop'],
  ['postgres://db/shop?user=app&password=hush&x=1', 'postgres://db/shop?user=app&password=***&x=1'],
  ['postgres://app@db:5432/shop?host=/run', 'postgres://app@db:5432/shop?host=/run'],
  ['"postgres://app:hush@db/shop', '"postgres://app:***@db/shop'],
  ['postgres:app:hush@db/shop', 'postgres:app:***@db/shop'],
  ['sqlite:/tmp/a:b@c.db', 'sqlite:/tmp/a:b@c.db'],
])('%s is shown without its password', (url, shown) => {
  expect(shownUrl(url)).toBe(shown)
})

test('a URL that cannot be opened is named without its password', async () => {
  await expect(openStorage('mysql://app:hush@db/shop')).rejects.toThrow(/'mysql:\/\/app:\*\*\*@db\/shop'/)
})
