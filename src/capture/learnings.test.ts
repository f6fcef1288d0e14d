import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { captureLearnings } from './learnings.ts'

const contents = (text: string) => captureLearnings(text).candidates.map((each) => each.content)
const fixture = (name: string) =>
  readFileSync(new URL(`../../test/fixtures/claude-code/${name}`, import.meta.url), 'utf8')

describe('captureLearnings', () => {
  it('[A07] makes one candidate of each learning, source extraction', () => {
    expect(
      captureLearnings('["Use the replica", {"content":"Cache is cold at 6","category":"timing","service":"web"}]'),
    ).toEqual({
      candidates: [
        {
          content: 'Use the replica',
          category: 'learning',
          service: null,
          source: 'extraction',
          tags: [],
          metadata: {},
          anchor: null,
          importance: 50,
        },
        expect.objectContaining({ content: 'Cache is cold at 6', category: 'timing', service: 'web' }),
      ],
      refusals: [],
    })
  })

  it.each([
    ['fenced', 'Here you are:\n```json\n["a b", "c"]\n```\nHope it helps.'],
    ['in prose, with other brackets', 'See [1] and {x}: ["a b", "c"] as asked [2].'],
    ['under a key', '{"learnings": ["a b", {"content": "c", "confidence": 0.9, "category": null}]}'],
    ['with brackets in strings', 'ok ["a b", "c"]]] {'],
    ['as a Claude Code result', JSON.stringify({ is_error: false, result: '```\n["a b","c"]\n```', type: 'result' })],
    ['as a list of events', JSON.stringify([{ type: 'system' }, { type: 'result', result: '["a b","c"]' }])],
    ['as stream-json', `{"type":"system","tools":["Bash"]}\n{"result":"[\\"a b\\",\\"c\\"]","type":"result"}\n`],
  ])('[B07] understands JSON %s', (_name, text) => {
    expect(contents(text)).toEqual(['a b', 'c'])
    expect(captureLearnings(text).refusals).toEqual([])
  })

  it('prefers the structured output of a result', () => {
    expect(captureLearnings(fixture('json-structured.jsonl')).candidates).toMatchObject([
      { content: 'The staging database is reset every night', category: 'maintenance', service: 'postgres' },
      { content: 'Use the read replica for reports', category: 'learning' },
    ])
  })

  it('[B07] refuses what is over five, and keeps the first five', () => {
    const { candidates, refusals } = captureLearnings(JSON.stringify(['1a', '2a', '3a', '4a', '5a', '6a', '7a']))
    expect(candidates).toHaveLength(5)
    expect(refusals.map((each) => each.text)).toEqual(['6a', '7a'])
    expect(refusals[0]?.reason).toContain('more than 5')
  })

  it('counts only what it accepts towards the five', () => {
    const entries = ['1a', '2a', { content: 5 }, '', '1a', '3a', '4a', '5a', '6a']
    const { candidates, refusals } = captureLearnings(JSON.stringify(entries))
    expect(candidates.map((each) => each.content)).toEqual(['1a', '2a', '3a', '4a', '5a'])
    expect(refusals.map((each) => each.reason.slice(0, 10))).toEqual([3, 4, 5, 9].map((n) => `Learning ${n}`))
  })

  it('[A09] takes an empty list as nothing learned', () => {
    expect(captureLearnings('```json\n[]\n```')).toEqual({ candidates: [], refusals: [] })
  })

  it.each([
    ['nothing', '  \n', 'returned nothing'],
    ['prose', 'I learned a lot today.', 'no JSON array'],
    ['cut off JSON', '["a", "b', 'no JSON array'],
    ['a number', '42', 'no JSON array'],
    ['a failed call', fixture('json-max-budget.jsonl'), 'failed: error_max_budget_usd'],
    [
      'an API error',
      '{"type":"result","subtype":"success","is_error":true,"result":"API Error: 529"}',
      'API Error: 529',
    ],
    ['deep nesting', '['.repeat(100_000), 'no JSON array'],
    ['fences without end', '```a\n'.repeat(100_000), 'no JSON array'],
    ['too much', `["${'x'.repeat(1_100_000)}"]`, 'more than 1 MiB'],
  ])('refuses %s without throwing', (_name, text, reason) => {
    const { candidates, refusals } = captureLearnings(text)
    expect(candidates).toEqual([])
    expect(refusals.map((each) => each.reason)).toEqual([expect.stringContaining(reason)])
  })

  it('refuses bad entries one by one', () => {
    const entries = [
      { content: 5 },
      { content: 'x', category: 'rejection' },
      { content: 'y', service: 'a b', evidence: null, replaces: null },
      'good',
      'good',
    ]
    const { candidates, refusals } = captureLearnings(JSON.stringify(entries))
    expect(candidates).toMatchObject([
      { content: 'x', category: 'learning' },
      { content: 'y', service: null },
      { content: 'good' },
    ])
    expect(refusals.map((each) => each.reason)).toEqual([
      expect.stringMatching(/^Learning 1: content: /),
      'Learning 5: repeats an earlier one.',
    ])
  })

  it('understands declared relations', () => {
    expect(captureLearnings('["Deploys take 9 min (was: deploys take 4 min)"]').candidates[0]).toMatchObject({
      content: 'Deploys take 9 min',
      declares: { relation: 'corrects', text: 'deploys take 4 min' },
    })
  })
})

describe('held against what is known of the run', () => {
  const jellyfin = { id: 'm1', content: 'Takes 60s to start', category: 'timing', service: 'jellyfin' } as const
  const prices = { id: 'm2', content: 'Prices are in cents', category: 'learning', service: null } as const
  const known = {
    said: 'I restarted it. It was up 92 s later, the port answered.\nThe invoice had 1250 in its total, which is 12.50 EUR.',
    shown: [jellyfin, prices],
    recorded: [{ content: 'The queue must be drained first', category: 'dependency', service: null } as const],
  }
  const read = (answer: object, given: Partial<typeof known> = {}) =>
    captureLearnings(JSON.stringify(answer), { ...known, ...given })
  const reasons = (answer: object) => read(answer).refusals.map(({ reason }) => reason)
  const EVIDENCE = 'It was up 92 s later'

  it('a replacement with the words that show it corrects the memory of that number by its id', () => {
    const learnings = [{ content: 'Takes 92s to start', evidence: EVIDENCE, replaces: 1 }]
    expect(read({ learnings }).candidates).toMatchObject([
      {
        content: 'Takes 92s to start',
        category: 'timing',
        service: 'jellyfin',
        declares: { relation: 'corrects', text: 'Takes 60s to start', memory: 'm1' },
      },
    ])
  })

  it('a confirmation with the words that show it confirms the memory by its id, once', () => {
    const confirmed = [
      { memory: 2, evidence: '1250 in its total, which is 12.50 EUR' },
      { memory: 2, evidence: 'The invoice had 1250 in its total' },
    ]
    const { candidates, refusals } = read({ learnings: [], confirmed })
    expect(candidates).toMatchObject([
      { content: 'Prices are in cents', category: 'learning', declares: { relation: 'confirms', memory: 'm2' } },
    ])
    expect(refusals).toEqual([])
    expect(read({ confirmed }).candidates).toHaveLength(1)
  })

  it.each([
    [
      'invented words',
      { learnings: [{ content: 'Takes 9s', replaces: 1, evidence: 'it took only 9 seconds' }] },
      /not in/,
    ],
    ['no words', { learnings: [{ content: 'Takes 9s to start', replaces: 1 }] }, /no evidence/],
    ['invented words for something new', { learnings: [{ content: 'A b c', evidence: 'nobody said this' }] }, /not in/],
    [
      'a number that nobody was shown',
      { learnings: [{ content: 'X y', replaces: 3, evidence: EVIDENCE }] },
      /no memory 3/,
    ],
    [
      'the number of something else',
      { learnings: [{ content: 'Takes 9s to start', service: 'web', replaces: 1, evidence: EVIDENCE }] },
      /memory 1 is about jellyfin/,
    ],
    ['the number 0', { learnings: [], confirmed: [{ memory: 0, evidence: EVIDENCE }] }, /no memory 0/],
    ['invented words', { learnings: [], confirmed: [{ memory: 1, evidence: 'it took 60 seconds again' }] }, /not in/],
    ['nothing at all', { learnings: [], confirmed: [3] }, /needs the number/],
  ])('a claim with %s counts for nothing', (_, answer, reason) => {
    expect(read(answer).candidates).toEqual([])
    expect(reasons(answer)).toEqual([expect.stringMatching(reason)])
  })

  it('the words of a memory handed back confirm nothing', () => {
    const said = 'I know that jellyfin takes 60s to start, so I waited.'
    const answer = { learnings: [], confirmed: [{ memory: 1, evidence: 'I know that jellyfin takes 60s to start' }] }
    const { candidates, refusals } = read(answer, { said })
    expect(candidates).toEqual([])
    expect(refusals[0]?.reason).toContain('only repeats')
  })

  it('a correction in words without evidence is kept as something new alone', () => {
    const [learning] = read(['Deploys take 9 min (was: deploys take 4 min)']).candidates
    expect(learning).toMatchObject({ content: 'Deploys take 9 min', metadata: { was: 'deploys take 4 min' } })
    expect(learning).not.toHaveProperty('declares')
  })

  it('what was recorded or shown is not learned again, whatever its category', () => {
    const learnings = ['The queue must be drained first.', 'Jellyfin takes 60s to start', 'Something new']
    const { candidates, refusals } = read({ learnings })
    expect(candidates.map(({ content }) => content)).toEqual(['Something new'])
    expect(refusals).toEqual([])
  })

  it('what the run has declared itself is not declared again, and what is replaced is not confirmed too', () => {
    const declares = { relation: 'corrects', text: 'Takes 60s to start', memory: 'm1' } as const
    const recorded = [{ content: 'Takes 92s to start', category: 'timing', service: 'jellyfin', declares } as const]
    const learnings = [{ content: 'Needs a minute and a half', evidence: EVIDENCE, replaces: 1 }]
    const confirmed = [{ memory: 1, evidence: 'It was up 92 s later, the port answered' }]
    expect(read({ learnings, confirmed }, { recorded: recorded as never })).toEqual({ candidates: [], refusals: [] })
    expect(read({ learnings, confirmed }).candidates).toMatchObject([{ declares: { relation: 'corrects' } }])
  })
})
