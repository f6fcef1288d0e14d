import { describe, expect, it } from 'vitest'
import { captureEvent } from './workflow-events.ts'

const place = { projectId: 'shop', sectionId: 'S2', taskId: 'T7' }
const only = (event: object, options = {}) => {
  const { candidates, refusals } = captureEvent({ ...place, ...event }, options)
  expect(refusals).toEqual([])
  expect(candidates).toHaveLength(1)
  return candidates[0]!
}
const reason = (event: object) => {
  const { candidates, refusals } = captureEvent({ ...place, ...event })
  expect(candidates).toEqual([])
  return refusals[0]?.reason
}

describe('captureEvent', () => {
  it('[C03] keeps a submission with its commit and changed files', () => {
    expect(
      only({ type: 'submission', commit: 'ab12cd', changedFiles: ['src/a.ts', 'src/b.ts'], summary: 'Adds retries' }),
    ).toEqual({
      content: 'Submitted ab12cd: Adds retries — 2 files: src/a.ts, src/b.ts',
      category: 'submission',
      service: null,
      source: 'coder',
      tags: [],
      metadata: { commit: 'ab12cd', changedFiles: ['src/a.ts', 'src/b.ts'], fileCount: 2 },
      anchor: 'task_id:T7|section_id:S2|commit:ab12cd',
      importance: 40,
      layer: 'task',
      identifiers: place,
    })
  })

  it('tells many files by their folders', () => {
    const changedFiles = ['README.md', ...Array.from({ length: 8 }, (_, i) => `src/x/${i}.ts`), 'test/a.ts']
    expect(only({ type: 'submission', changedFiles }).content).toBe(
      'Submitted: 10 files, most in src/x (8), . (1), test (1)',
    )
  })

  it('[C04] keeps a rejection with cycle and notes', () => {
    const candidate = only({
      type: 'rejection',
      cycle: 3,
      notes: '- No test for the empty list\n- Typo in the name',
      commit: 'ab12cd',
    })
    expect(candidate).toMatchObject({
      content: 'Rejected (cycle 3): No test for the empty list; Typo in the name',
      category: 'rejection',
      source: 'reviewer',
      metadata: { cycle: 3, commit: 'ab12cd' },
    })
  })

  it('[C05] keeps an approval and each follow-up it spawned', () => {
    const { candidates } = captureEvent({
      ...place,
      type: 'approval',
      commit: 'ab12cd',
      notes: 'LGTM',
      followUps: ['Remove the flag', { title: 'Document the limit', taskId: 'T9' }],
    })
    expect(candidates.map(({ category, content }) => [category, content])).toEqual([
      ['approval', 'Approved at ab12cd: 2 follow-ups spawned'],
      ['follow_up', 'Follow-up: Remove the flag'],
      ['follow_up', 'Follow-up: Document the limit'],
    ])
    expect(candidates[2]).toMatchObject({ metadata: { followUpTaskId: 'T9', commit: 'ab12cd' }, layer: 'task' })
  })

  it.each([
    ['guide_coder', 'Coordinator guides the coder after 2 rejections: Use the existing parser'],
    ['override_reviewer', 'Coordinator overrides the reviewer after 2 rejections: Use the existing parser'],
    ['narrow_scope', 'Coordinator narrows the scope after 2 rejections: Use the existing parser'],
  ])('[C06] keeps the coordinator guidance %s', (decision, content) => {
    expect(only({ type: 'decision', decision, cycle: 2, notes: 'Use the existing parser' })).toMatchObject({
      content,
      category: 'decision',
      source: 'coordinator',
      tags: [decision],
      importance: 80,
    })
  })

  it('keeps commit, wont_fix and dispute under their category, with the word as a tag', () => {
    expect(only({ type: 'commit', commit: 'ab12cd' })).toMatchObject({ category: 'submission', tags: ['commit'] })
    const wontFix = only({ type: 'wont_fix', notes: 'The API is frozen', tags: ['api', 'wont_fix'] })
    expect(wontFix).toMatchObject({ category: 'decision', tags: ['wont_fix', 'api'], source: 'coder' })
    const dispute = only({ type: 'dispute', notes: 'The test is wrong', source: 'coder' })
    expect(dispute).toMatchObject({
      category: 'decision',
      tags: ['dispute'],
      source: 'coder',
      content: 'Disputed: The test is wrong',
    })
  })

  it('lands in the nearest scope that is named', () => {
    const hint = { type: 'hint', summary: 'Use pnpm', taskId: null }
    expect(only(hint)).toMatchObject({ layer: 'section', identifiers: { projectId: 'shop', sectionId: 'S2' } })
    expect(only({ ...hint, sectionId: undefined })).toMatchObject({ layer: 'project', anchor: null })
  })

  it('[C20] shortens a long summary between words', () => {
    const { content } = only({ type: 'hint', summary: 'word '.repeat(1_000) })
    expect(content.length).toBeLessThanOrEqual(800)
    expect(content).toMatch(/word…$/)
    expect(only({ type: 'hint', summary: 'one two three' }, { maxSummaryLength: 9 }).content).toBe('one two…')
  })

  it.each(['LGTM', 'lgtm!!', 'ok thanks', 'Looks good to me, thanks!', '👍', '+1', 'Great work 🎉'])(
    '[C07] refuses the chatter %s',
    (notes) => {
      expect(reason({ type: 'rejection', cycle: 1, notes })).toContain('chatter')
      expect(reason({ type: 'approval', notes })).toContain('chatter')
    },
  )

  it('[C07] cuts a pasted log to what was said about it', () => {
    const frames = Array.from({ length: 40 }, (_, i) => `    at run (/srv/app/index.js:${i}:7)`).join('\n')
    const notes = `The parser fails on empty input:\nTypeError: x is undefined\n${frames}\n2026-01-02 10:00:00 INFO done\n`
    expect(only({ type: 'rejection', cycle: 1, notes }).content).toBe(
      'Rejected (cycle 1): The parser fails on empty input: TypeError: x is undefined',
    )
    expect(reason({ type: 'rejection', cycle: 1, notes: frames })).toContain('only log output')
    expect(reason({ type: 'hint', summary: `\`\`\`\n${frames}\n\`\`\`` })).toContain('only log output')
  })

  it('[C07] refuses raw prompts, responses and blobs', () => {
    expect(reason({ type: 'hint', summary: 'Human: fix it\n\nAssistant: sure' })).toContain('raw prompt or response')
    expect(reason({ type: 'hint', summary: '{"type":"assistant","message":{}}' })).toContain('raw JSON')
    expect(reason({ type: 'hint', summary: 'a sentence. '.repeat(2_000) })).toContain('a raw text of 24,000 characters')
  })

  it('keeps a time or a name that a note starts with', () => {
    expect(only({ type: 'hint', summary: 'User: cannot log in' }).content).toBe('User: cannot log in')
    expect(only({ type: 'hint', summary: '10:30:00 UTC is the deploy window' }).content).toContain('10:30:00')
  })

  it.each([
    ['an unknown type', { type: 'party' }, 'type'],
    ['no project', { type: 'hint', summary: 'x y', projectId: undefined }, 'projectId'],
    ['a cycle of zero', { type: 'rejection', notes: 'x y', cycle: 0 }, 'cycle'],
    ['a huge importance', { type: 'hint', summary: 'x y', importance: 1e9 }, 'importance'],
    ['a date that is none', { type: 'hint', summary: 'x y', expiresAt: '2026-02-31T00:00:00Z' }, 'expiresAt'],
    ['a date in words', { type: 'hint', summary: 'x y', expiresAt: 'tomorrow' }, 'expiresAt'],
    ['an unknown field', { type: 'hint', summary: 'x y', prompt: 'raw' }, 'prompt'],
    ['a bad commit', { type: 'commit', commit: 'a b|c' }, 'commit'],
    ['a control character in an identifier', { type: 'hint', summary: 'x y', taskId: 'T\n7' }, 'taskId'],
    ['a prototype key', JSON.parse('{"type":"hint","summary":"x y","details":{"__proto__":{}}}'), '__proto__'],
    ['a function', { type: 'hint', summary: () => 'x' }, 'function'],
  ])('refuses %s, naming the field', (_name, event, field) => {
    expect(reason(event)).toContain(field)
  })

  it('refuses what is no event, cycles included', () => {
    const loop: Record<string, unknown> = { type: 'hint' }
    loop.details = loop
    for (const event of [null, undefined, 'hint', 7, [], loop]) {
      expect(captureEvent(event)).toMatchObject({ candidates: [], refusals: [{ reason: expect.any(String) }] })
    }
  })

  it('gives an expiry in UTC with milliseconds', () => {
    const candidate = only({ type: 'hint', summary: 'x y', expiresAt: '2030-01-01T02:00:00+02:00' })
    expect(candidate.expiresAt).toBe('2030-01-01T00:00:00.000Z')
  })
})

it.each([
  [
    'vitest',
    ' FAIL  src/retry.test.ts > stops\nAssertionError: expected 4 to be 3\n ❯ src/retry.test.ts:9:17\n Test Files  1 failed (1)',
  ],
  [
    'jest',
    'FAIL src/retry.test.js\n  ● stops\n    Expected: 3\n    Received: 4\n      at Object.<anonymous> (src/retry.test.js:9:17)',
  ],
  [
    'pytest',
    'FAILED tests/test_retry.py::test_stops - assert 4 == 3\nE       assert 4 == 3\ntests/test_retry.py:9: AssertionError',
  ],
  ['tsc', "src/retry.ts(3,7): error TS2304: Cannot find name 'limit'."],
  ['gradle', '> Task :test FAILED\n3 tests completed, 1 failed\nBUILD FAILED in 4s'],
  [
    'a stack trace',
    'Exception in thread "main" java.lang.IllegalStateException: no limit\n\tat shop.Retry.run(Retry.java:9)\nCaused by: java.io.IOException: closed',
  ],
])('what %s prints is no note of a reviewer', (_, notes) => {
  const { candidates, refusals } = captureEvent({ type: 'rejection', projectId: 'shop', taskId: 'T7', cycle: 1, notes })
  expect(candidates).toEqual([])
  expect(refusals[0]?.reason).toContain('log output')
})

it('a reviewer’s own words beside such output are kept', () => {
  const notes =
    'The retry has no limit:\nFAIL src/retry.test.ts\nAssertionError: expected 4 to be 3\n ❯ src/retry.test.ts:9:17\n Test Files  1 failed (1)'
  const { candidates } = captureEvent({ type: 'rejection', projectId: 'shop', taskId: 'T7', cycle: 1, notes })
  expect(candidates[0]?.content).toBe('Rejected (cycle 1): The retry has no limit: AssertionError: expected 4 to be 3')
})
