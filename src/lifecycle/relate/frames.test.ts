import { expect, test } from 'vitest'
import { areBothPossible, areFramedApart } from './frames.ts'

test.each([
  ['Locally, jobs run inline', 'In production a worker runs the jobs', true],
  ['On Windows the path is C:\\acme', 'Under Linux everything is in /opt/acme', true],
  ['In the staging cluster mail is sent', 'In production no mail leaves', true],
  ['Chrome blocks the popup', 'Safari opens the popup in a tab', true],
  ['On Mondays the digest is long', 'On Fridays there is no digest', true],
  ['With Python 3.8 the wheel is compiled', 'Python 3.12 finds a ready wheel', true],
  ['v2 of the API signs with HMAC', 'v3 of the API uses mutual TLS', true],
  ['The read timeout is 60 s', 'The write timeout is 10 s', true],
  ['The soft limit is 80', 'The hard limit is 120', true],
  ['Before the login the menu has two entries', 'After the login, the menu has nine', true],
  ['While a migration runs, writes are refused', 'Once the migration is done, writes are accepted', true],
  // Approximate values.
  ['In production jobs run inline', 'In prod a worker runs the jobs', false],
  ['On Ubuntu the path is /opt', 'On Linux the path is /srv', false],
  ['In staging and production mail is sent', 'Production sends no mail', false],
  ['Python 3.12 finds a ready wheel', 'Python 3.12 compiles the wheel', false],
  ['Before the login the menu is empty', 'Before the login the menu has two entries', false],
  // Only the value differs.
  ['The job runs on Linux', 'The job runs on Windows', false],
  ['On Mondays the digest is sent', 'On Fridays the digest is sent', false],
  ['Python 3.8 is required', 'Python 3.12 is required by the build', false],
  ['Java 11 is what we use', 'Java 17 replaced Java 11', false],
  ['Staging only', 'Production is where it runs', false],
  ['The soft limit is 80', 'The hard limit is 80', false],
  ['The minimum length is 12', 'The min length is 14', false],
  ['Until the login, use the token', 'After the login the token works', false],
])('%s, %s: each in a frame of its own: %s', (a, b, expected) => {
  expect([areFramedApart(a, b), areFramedApart(b, a)]).toEqual([expected, expected])
})

test.each([
  ['Logs can be filtered by level', 'Logs can be searched by request id', true],
  ['Guests may read comments', 'Guests may like a post', true],
  ['Guests may read comments', 'Members may write comments', false],
  ['Uploads can be 20 MB large', 'Uploads can be fifty MB large', false],
  ['Jobs can run before the migration', 'Jobs can run after the migration', false],
  ['Logs can be deleted', 'Logs can never be deleted', false],
])('%s, %s: two possibilities: %s', (a, b, expected) => {
  expect([areBothPossible(a, b), areBothPossible(b, a)]).toEqual([expected, expected])
})
