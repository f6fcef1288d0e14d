import { describe, expect, it } from 'vitest'
import { captureSuggestions } from './suggestions.ts'

const good = {
  scope: 'section',
  event_type: 'hint',
  summary: 'Run the migration twice',
  importance: 70,
  tags: ['db'],
  details: { table: 'orders' },
}
const block = (json: string, fence = '```json') => `Done.\n\n## MEMORY_SUGGESTIONS\n\n${fence}\n${json}\n\`\`\`\nbye`
const capture = (...entries: unknown[]) => captureSuggestions(block(JSON.stringify(entries)))

describe('captureSuggestions', () => {
  it('[C12] reads the entries of a strict block', () => {
    expect(capture(good)).toEqual({
      candidates: [
        {
          content: 'Run the migration twice',
          category: 'hint',
          service: null,
          source: 'extraction',
          tags: ['db'],
          metadata: { table: 'orders' },
          anchor: null,
          importance: 70,
          layer: 'section',
        },
      ],
      refusals: [],
    })
  })

  it('[C12] keeps good entries beside bad ones, and names each bad one', () => {
    const { candidates, refusals } = capture({ ...good, scope: 'galaxy' }, good, 7, {
      ...good,
      event_type: 'rejection',
    })
    expect(candidates).toHaveLength(1)
    expect(refusals.map((each) => each.reason)).toEqual([
      expect.stringMatching(/^Suggestion 1: scope: /),
      expect.stringMatching(/^Suggestion 3: entry: /),
      expect.stringMatching(/^Suggestion 4: event_type: /),
    ])
  })

  it.each([
    ['importance below 0', { importance: -1 }, 'importance'],
    ['huge importance', { importance: 1e300 }, 'importance'],
    ['fractional importance', { importance: 1.5 }, 'importance'],
    ['importance as text', { importance: '70' }, 'importance'],
    ['an unknown field', { color: 'red' }, 'color'],
    ['a summary that is no text', { summary: ['x'] }, 'summary'],
    ['an invisible summary', { summary: ' \u200b ' }, 'summary'],
    ['a long summary', { summary: 'y'.repeat(801) }, 'summary has 801 characters; at most 800'],
    ['tags that are no list', { tags: 'a,b' }, 'tags'],
    ['a tag with a comma', { tags: ['a,b'] }, 'tags.0'],
    ['details that are a list', { details: [] }, 'details'],
    ['long details', { details: { x: 'y'.repeat(9_000) } }, 'details'],
  ])('[C12] refuses %s', (_name, change, reason) => {
    const { candidates, refusals } = capture({ ...good, ...change })
    expect(candidates).toEqual([])
    expect(refusals.map((each) => each.reason)).toEqual([expect.stringContaining(reason)])
  })

  it('refuses prototype keys at any depth, and deep nesting', () => {
    const entry = JSON.stringify(good).slice(0, -1)
    const poisoned = [`${entry},"__proto__":{"x":1}}`, entry.replace('"table"', '"constructor"').concat('}')]
    const deep = `${entry.replace('"orders"', `${'['.repeat(5_000)}${']'.repeat(5_000)}`)}}`
    const { candidates, refusals } = captureSuggestions(
      block(`[${[...poisoned, deep, JSON.stringify(good)].join(',')}]`),
    )
    expect(candidates).toHaveLength(1)
    expect(refusals.map((each) => each.reason)).toEqual([
      'Suggestion 1: has the forbidden key "__proto__".',
      'Suggestion 2: has the forbidden key "constructor".',
      'Suggestion 3: is nested deeper than 32 levels.',
    ])
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  it('takes what may be left out from the defaults', () => {
    const { candidates } = capture({ scope: 'task', event_type: 'hint', summary: 'x' })
    expect(candidates[0]).toMatchObject({ importance: 50, tags: [], metadata: {} })
  })

  it('follows maxSummaryLength', () => {
    const text = block(JSON.stringify([good]))
    expect(captureSuggestions(text, { maxSummaryLength: 10 }).refusals[0]?.reason).toContain('at most 10')
  })

  it.each([
    ['prose before the block', `## MEMORY_SUGGESTIONS\nHere:\n\`\`\`json\n[]\n\`\`\``, 'without a fenced JSON array'],
    ['no block', '## MEMORY_SUGGESTIONS\n', 'without a fenced JSON array'],
    ['another language', `## MEMORY_SUGGESTIONS\n\`\`\`yaml\n[]\n\`\`\``, 'without a fenced JSON array'],
    ['an open block', '## MEMORY_SUGGESTIONS\n```\n[{}', 'not closed'],
    ['broken JSON', block('[{"scope":'), 'not valid JSON'],
    ['an object', block('{}'), 'not a JSON array'],
    ['a huge block', block(`["${'z\n'.repeat(200_000)}"]`), 'longer than 262,144'],
  ])('refuses %s', (_name, text, reason) => {
    const { candidates, refusals } = captureSuggestions(text)
    expect(candidates).toEqual([])
    expect(refusals.map((each) => each.reason)).toEqual([expect.stringContaining(reason)])
  })

  it.each([
    ['a heading of another level', block('[]').replace('##', '###')],
    ['a heading with more words', block('[]').replace('SUGGESTIONS', 'SUGGESTIONS (none)')],
    ['a heading inside code', `\`\`\`\`\n${block('[{}]')}\n\`\`\`\``],
    ['an empty list', block('[]', '```')],
  ])('finds nothing to say about %s', (_name, text) => {
    expect(captureSuggestions(text)).toEqual({ candidates: [], refusals: [] })
  })
})
