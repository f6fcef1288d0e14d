import { expect, test } from 'vitest'
import { overlapFinder } from '../../eval/overlap/find.ts'
import { withoutOverlap } from '../../eval/search/without-overlap.ts'

const find = overlapFinder([
  { text: 'Takes 60s to start after a restart of the host', file: 'a' },
  { text: 'Port 80 open', file: 'b' },
])

test.each([
  ['takes 60s to start after a restart of the host!', 1],
  ['It takes 60s to start after a restart of the host', 10 / 11],
  ['port 80, open', 1],
])('found: %s', (text, alike) => {
  expect(find(text)?.alike).toBeCloseTo(alike)
})

test.each(['Takes 90s to stop after a crash of the host', 'Port 80 closed', 'Port 80 is open', 'Port'])(
  'not found, since it is another, or too short to tell: %s',
  (text) => {
    expect(find(text)).toBeNull()
  },
)

test('questions about what a model was trained on are not counted, and their memory stays as one that may be found instead', () => {
  const trained = 'Jellyfin takes about 90 seconds to come up after a restart.'
  const items = [
    { key: 'trained', content: trained },
    { key: 'fresh', content: 'The zeppelin of accounting is moored on the roof every other leap year' },
  ]
  const asks = ['trained', 'fresh'].map((key) => ({
    query: `what about ${key} things`,
    answers: [key],
    category: 'any',
  }))
  const { collections, leftOut } = withoutOverlap([{ name: 'one', items, asks }])
  expect(collections[0]!.items).toHaveLength(2)
  expect(collections[0]!.asks.map(({ answers }) => answers)).toEqual([['fresh']])
  expect(leftOut).toContain('1 of 2 questions')
})
