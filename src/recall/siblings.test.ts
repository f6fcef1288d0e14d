import { expect, it } from 'vitest'
import { siblingOf } from './siblings.ts'

const isSibling = (query: string, content: string) => siblingOf(query)?.(content) ?? null

it.each([
  ['what is TRF-2093 about', 'TRF-2092: the tariff table is loaded twice'],
  ['when is v2 switched off', 'v1 is switched off on 3 March'],
  ['PAY_018', 'POST /payments without a key answers PAY_017'],
  ['who has taken port 904', 'Port 903 is taken by the proxy of team 3'],
  ['what broke in 2.4.1', 'Release 2.4.0 broke the import'],
  ['restart broker-3', 'broker-2 ran out of disk'],
])('%s: "%s" speaks of a sibling', (query, content) => expect(isSibling(query, content)).toBe(true))

it.each([
  ['what is TRF-2093 about', 'TRF-2093 follows from TRF-2092'],
  ['what is trf-2093 about', 'The tariff table is loaded twice'],
  ['can I roll back to 4.6.0', 'Never roll back below 4.7.0'],
  ['why does it time out after 60s', 'The proxy cuts requests after 90s'],
  ['import of 60000 rows hangs', 'Imports above 50000 rows are rejected (422)'],
  ['what did we decide on May 8', 'On May 12 we decided to wait'],
  ['after completing 15 problems', 'After completing 12 problems it went well'],
  ['what is E4017', `E4016 ${'and much else '.repeat(50)}`],
])('%s: "%s" does not', (query, content) => expect(isSibling(query, content)).not.toBe(true))

it('says nothing of a query that names no code', () => expect(siblingOf('how do we deploy')).toBeNull())
