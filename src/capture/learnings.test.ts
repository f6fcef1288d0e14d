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
      { content: 'x', service: 'a b' },
      'good',
      'good',
    ]
    const { candidates, refusals } = captureLearnings(JSON.stringify(entries))
    expect(candidates.map((each) => each.content)).toEqual(['good'])
    expect(refusals.map((each) => each.reason)).toEqual([
      expect.stringMatching(/^Learning 0: content: /),
      expect.stringMatching(/^Learning 1: category: /),
      expect.stringMatching(/^Learning 2: service: /),
      'Learning 4: repeats an earlier one.',
    ])
  })

  it('understands declared relations', () => {
    expect(captureLearnings('["Deploys take 9 min (was: deploys take 4 min)"]').candidates[0]).toMatchObject({
      content: 'Deploys take 9 min',
      declares: { relation: 'corrects', text: 'deploys take 4 min' },
    })
  })
})
