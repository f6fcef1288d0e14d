import { expect, it } from 'vitest'
import { askedKind } from './asked-kind.ts'

it.each([
  ['how long does a build take?', 'The build takes 12 minutes', 'The build runs on every push'],
  ['how long does version 3 take', 'It takes 12 minutes', 'There is a version 3 of it'],
  ['how long is the timeout', 'The timeout is 30 s', 'The timeout is set in part 3 of the file'],
  ['how long are logs kept', 'Logs are kept for half a day', 'Logs go to Loki'],
  ['when are deploys forbidden', 'No deploys on Fridays', 'Deploys need an approval'],
  ['which port does postgres use', 'local pg = 55432', 'postgres runs in a container'],
  ['how many shards are there', 'Two shards by region', 'Shards are split by region'],
  ['which version of ruff', 'ruff pinned 0.4.10', 'ruff is pinned'],
  ['wie lange dauert der Build', 'Der Build braucht 12 Minuten', 'Der Build läuft nachts'],
])('%s: told by "%s", not by "%s"', (query, told, other) => {
  const tells = askedKind(query)!
  expect([tells(told), tells(other)]).toEqual([true, false])
})

it('wants no kind where the question names none', () => {
  for (const query of ['how do we deploy', 'why is worker-imports solo', 'database backup']) {
    expect(askedKind(query)).toBeNull()
  }
})
