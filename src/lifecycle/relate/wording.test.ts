import { describe, expect, test } from 'vitest'
import { sameWording } from './wording.ts'

describe('sameWording', () => {
  test.each([
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
