import { describe, expect, test } from 'vitest'
import { addsTo, differenceOf, isReordered, sameButRedacted, sameWording } from './wording.ts'

describe('sameWording', () => {
  test.each([
    ['Start takes 1 min 30 s', 'Start takes 90 s'],
    ['Start takes 1m30s', 'Start takes 90 seconds'],
    ['Builds in 1 hour and 5 minutes', 'Builds in 65 min'],
    ['It lasts 2h 0m', 'It lasts 2 hours'],
    ['Runs at 9:00', 'Runs at 09:00'],
    ['Takes 60s to start after restart', 'Takes about 60 seconds to start after a restart'],
    ['Takes 1 minute to start', 'takes ~60 s to start.'],
    ['Stops after five attempts', 'Stops after 5 attempts'],
    ['At most 10,000 messages', 'At most 10k messages'],
    ['It can’t be undone', 'It cannot be undone'],
    ['Kept for 7 days', 'Kept for one week'],
    ['A 60-second timeout', 'A 60 second timeout'],
    ['Runs `npm test` first', 'Runs npm test first'],
    ['Limited to 0.5 MB', 'Limited to 500 KB'],
    ['The API is at v3', 'the API is at 3'],
    ['20% stay free', '20 percent stay free'],
    ['  Two   spaces ', 'two spaces'],
    ['Polls each 1500 ms', 'Polls each 1.5s'],
    ['Waits 5m', 'Waits 5 minutes'],
    ['Takes 60s to start', 'Takes about a minute to start'],
    ['Ends in an hour', 'Ends in 60 min'],
    ['Needs Node 22', 'needs node 22.'],
    ['Uploads up to 100 MB are accepted', 'Uploads of up to 100 MB are accepted'],
    ['Needs 1 GB of memory', 'Needs 1024 MB of memory'],
    ['At most one hundred rows', 'At most 100 rows'],
    ['Holds 1,000,000 rows', 'Holds 1 million rows'],
    ['Kept for thirty-one days', 'Kept for 31 days'],
    ["The delimiter is ';'.", "The delimiter is ';'"],
    ['Runs at noon', 'Runs at 12:00'],
    ['Closes at 9 pm', 'Closes at 21:00'],
    ['Takes half an hour', 'Takes 30 minutes'],
    ['Rotated every year', 'Rotated every 12 months'],
  ])('%j and %j', (a, b) => {
    expect(sameWording(a, b)).toBe(true)
    expect(sameWording(b, a)).toBe(true)
  })

  test.each([
    ['Takes 60s to start', 'Takes 90s to start'],
    ['Takes 60s to start', 'Takes 60 minutes to start'],
    ['Use rsync instead of scp', 'Use scp instead of rsync'],
    ['Pinned to 3.2', 'Pinned to 3.20'],
    ['It can be undone', 'It cannot be undone'],
    ['Unpack with tar -x', 'Unpack with tar -X'],
    ['Port 80', 'Port 81'],
    ['Is at 10.0.0.1', 'Is at 10.0.0.10'],
    ['Kept for 5 d', 'Kept for 5 days'],
    ['See #5', 'See #6'],
    ["The delimiter is ';'.", "The delimiter is ','."],
    ['The leak is fixed', 'The leak was fixed'],
    ['It is on', 'It is not on'],
    ['It must be on', 'It may be on'],
    ['It is', 'This is'],
    ['Limited to 512 KiB', 'Limited to 512 KB'],
    ['Link runs at 100 Mb/s', 'Link runs at 100 MB/s'],
    ['Clean up with rm -r', 'Clean up with rm -R'],
    ['Data lives in /Data', 'Data lives in /data'],
    ['Config is in ~/.config/app', 'Config is in /.config/app'],
    ['No restart is needed', 'No, restart is needed'],
    ['Do not restart; wait', 'Do not; restart, wait'],
    ['', ''],
    ['...', '!'],
  ])('not %j and %j', (a, b) => {
    expect(sameWording(a, b)).toBe(false)
  })

  test('a redacted text has the words of no other, not even of itself', () => {
    const text = 'The token is [REDACTED:github-token]'
    expect(sameWording(text, text)).toBe(false)
    expect(sameWording(text, 'The token is x')).toBe(false)
  })
})

test('two texts that lost something have the same words, and may have differed', () => {
  const text = 'Deploys need DEPLOY_TOKEN=[REDACTED:github-token] in the environment'
  expect(sameButRedacted(text, text)).toBe(true)
  expect(sameButRedacted(text, `${text}, always`)).toBe(false)
  expect(sameButRedacted('Plain', 'Plain')).toBe(false)
})

describe('addsTo', () => {
  test.each([
    ['SSH to the bastion needs a key', 'SSH to the bastion needs a key and a connection through the VPN'],
    ['cargo test hangs on mac.', 'Cargo test hangs on mac when jemalloc is on'],
    ['Renders are slow', 'Renders are slow, because every font is embedded'],
  ])('%j and %j', (a, b) => {
    expect(addsTo(a, b)).toBe(true)
    expect(addsTo(b, a)).toBe(true)
  })

  test.each([
    // The continuation may take it back, give another value, or close an open list.
    ['Gold customers get a reply in 2 hours', 'Gold customers get a reply in 2 hours no longer: it is half an hour'],
    ['The rate limit is 100 a minute', 'The rate limit is 100 a minute, raised to 250'],
    ['The cache is shared by tenants', 'The cache is shared by tenants: wrong, each has its own'],
    ['The app talks to Redis', 'The app talks to Redis, replaced by Valkey in June'],
    ['The export runs at night', 'The export runs at night and was switched off in May'],
    ['The worker has 4 GB', 'The worker has 4 GB and 8 GB in production'],
    ['CORS allows only app.acme.io', 'CORS allows only app.acme.io and admin.acme.io'],
    // A different word, not an addition.
    ['The new cache is on', 'The new cache is on hold'],
    ['The temperature is 0', 'The temperature is 0.7, with five samples'],
    ['It is on', 'It is off, and stays so'],
    ['It is new', 'It is new'],
    ['Use tabs', 'Use tabs and spaces in Python'],
  ])('not %j and %j', (a, b) => {
    expect(addsTo(a, b)).toBe(false)
    expect(addsTo(b, a)).toBe(false)
  })
})

describe('differenceOf', () => {
  test.each([
    ['names', 'ff_50 is on in staging', 'ff_37 is on in staging'],
    ['names', 'VM 12 is down for repair', 'VM 14 is down for repair'],
    ['names', 'Host web-12 has a bad disk', 'Host web-14 has a bad disk'],
    ['values', 'Retention is 30 days', 'Retention is thirty-one days'],
    ['values', 'Drift is +3 seconds a day', 'Drift is -3 seconds a day'],
    ['values', 'The server is in UTC+1', 'The server is in UTC-1'],
    ['values', 'Pinned to ^2.0.0', 'Pinned to ~2.0.0'],
    ['values', 'Needs Python >= 3.10', 'Needs Python < 3.10'],
    ['marks', 'Threshold is 0.80', 'Threshold is .8'],
    ['code', 'The path is /var/log/app', 'The path is /var/logs/app'],
    ['code', 'It is 20 °C inside', 'It is 20 °F inside'],
    ['values', 'Set retries=3', 'Set retries=5'],
    ['marks', 'Run it with -v', 'Run it with -V'],
    ['marks', 'Sev1 pages the lead', 'Sev-1 pages the lead'],
    // Another name in the predicate makes another claim.
    [undefined, 'Bond0 is active, eth1 is the standby', 'Bond0 is active, eth0 is the standby'],
    [undefined, 'Needs Python3 here', 'Needs Python2 here'],
    [undefined, 'Nothing was skipped in run 4411', 'Nothing was skipped in run 4409'],
    [undefined, 'It is on', 'It is off'],
    [undefined, 'It is on', 'It is on today'],
  ])('%s: %j and %j', (kind, a, b) => {
    expect(differenceOf(a, b)?.kind).toBe(kind)
    expect(differenceOf(b, a)?.kind).toBe(kind)
  })
})

test('a difference tells its places and what stands there', () => {
  expect(differenceOf('Retries: 3, waits 5 s', 'Retries: 4, waits 6 s')).toEqual({
    kind: 'values',
    places: 2,
    one: '3, 5s',
    other: '4, 6s',
  })
  expect(differenceOf('Set a=1 with -v', 'Set a=2 with -V')).toBeNull()
  expect(differenceOf('It is on', 'It is on')).toBeNull()
})

test('a name counts as what is spoken of in the first two words, and no further', () => {
  expect(differenceOf('Old web-1 fails', 'Old web-2 fails')?.kind).toBe('names')
  expect(differenceOf('Very old web-1 fails', 'Very old web-2 fails')?.kind).toBe('names')
  expect(differenceOf('Old slow web-1 fails', 'Old slow web-2 fails')).toBeNull()
  expect(differenceOf('Rack 3 fails', 'Rack 4 fails')?.kind).toBe('names')
  expect(differenceOf('Old rack 3 fails', 'Old rack 4 fails')).toBeNull()
})

describe('isReordered', () => {
  test.each([
    ['A calls B', 'B calls A'],
    ['After a restart, it waits', 'It waits after a restart'],
  ])('%j and %j', (a, b) => expect(isReordered(a, b)).toBe(true))
  test.each([
    ['A calls B', 'a calls b'],
    ['A calls B', 'A calls C'],
    ['A, calls B', 'A calls B'],
  ])('not %j and %j', (a, b) => expect(isReordered(a, b)).toBe(false))
})

test('texts of 2000 characters are compared, longer ones never', () => {
  const [whole, over] = [1998, 1999].map((length) => ['1', '2'].map((end) => `${'x'.repeat(length)} ${end}`)) as [
    [string, string],
    [string, string],
  ]
  expect(sameWording(whole[0], whole[0])).toBe(true)
  expect(sameWording(over[0], over[0])).toBe(false)
  expect(sameWording('Short', over[0])).toBe(false)
  expect(differenceOf(...whole)?.kind).toBe('values')
  expect(differenceOf(...over)).toBeNull()
  const turned = (text: string) => text.split(' ').reverse().join(' ')
  expect(isReordered(whole[0], turned(whole[0]))).toBe(true)
  expect(isReordered(over[0], turned(over[0]))).toBe(false)
  const said = (length: number) => `It is ${'x'.repeat(length - 6)}`
  expect(addsTo(said(2000), `${said(2000)} and x`)).toBe(true)
  expect(addsTo(said(2001), `${said(2001)} and x`)).toBe(false)
})
