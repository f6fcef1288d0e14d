import { describe, expect, it } from 'vitest'
import { cpuTime } from '../../test/cpu-time.ts'
import { OPERATIONAL_CATEGORIES } from '../model/categories.ts'
import { captureMarkers } from './marker-scanner.ts'
import { MARKER_PATTERN } from './markers.ts'
import { recordingInstructions } from './recording-instructions.ts'

const only = (text: string) => {
  const { candidates, refusals } = captureMarkers(text)
  expect(refusals).toEqual([])
  expect(candidates).toHaveLength(1)
  return candidates[0]!
}
const VALID = OPERATIONAL_CATEGORIES.join(', ')
const reasons = (text: string) => captureMarkers(text).refusals.map((refusal) => refusal.reason)

describe('the marker pattern', () => {
  it('[E10] is the published expression, and takes category, service and observation', () => {
    expect(MARKER_PATTERN.source).toBe(
      '\\[MEMORY:(timing|dependency|behavior|remediation|maintenance)(?::([a-zA-Z0-9_-]+))?\\]\\s*(.+)',
    )
    expect(MARKER_PATTERN.flags).toBe('')
    const match = MARKER_PATTERN.exec('[MEMORY:dependency:postgres] Dependents should wait 10s after postgres restart')
    expect(match?.slice(1)).toEqual(['dependency', 'postgres', 'Dependents should wait 10s after postgres restart'])
    expect(MARKER_PATTERN.test('[MEMORY:unknown] Some observation')).toBe(false)
  })
})

describe('captureMarkers', () => {
  it.each(['timing', 'dependency', 'behavior', 'remediation', 'maintenance'])('[E03] accepts %s', (category) => {
    expect(only(`[MEMORY:${category}] seen once`).category).toBe(category)
  })

  it('[E04] refuses an unknown category, naming it and the valid ones', () => {
    const { candidates, refusals } = captureMarkers('fine\n[MEMORY:misc:web] whatever\n[MEMORY:timing] kept')
    expect(candidates.map((each) => each.content)).toEqual(['kept'])
    expect(refusals).toEqual([
      {
        reason: `Unknown category "misc"; valid are ${VALID}.`,
        text: '[MEMORY:misc:web] whatever',
        line: 2,
      },
    ])
  })

  it.each([' timing', 'time of day', '', 'Timing'])('refuses the category "%s", and never in silence', (category) => {
    expect(reasons(`[MEMORY:${category}] seen once`)).toEqual([`Unknown category "${category}"; valid are ${VALID}.`])
  })

  it('[E05] makes a marker without a service general', () => {
    expect(only('[MEMORY:remediation] Retry a failed DNS check once -- then escalate')).toEqual({
      content: 'Retry a failed DNS check once -- then escalate',
      category: 'remediation',
      service: null,
      source: 'extraction',
      tags: [],
      metadata: {},
      anchor: null,
      importance: 50,
    })
  })

  it('[E06] takes the service, anywhere in a line and with CRLF', () => {
    const candidate = only('Noted.\r\n- Also: [MEMORY:timing:media-box_2]Takes a minute to start  \r\n')
    expect(candidate).toMatchObject({ service: 'media-box_2', content: 'Takes a minute to start' })
  })

  it('keeps a second marker on the line as part of the first', () => {
    expect(only('[MEMORY:timing] one [MEMORY:behavior] two').content).toBe('one [MEMORY:behavior] two')
  })

  it('reports a bad marker that stands before a good one', () => {
    const { candidates, refusals } = captureMarkers('[MEMORY:misc] a [MEMORY:timing] b')
    expect(candidates.map((each) => each.content)).toEqual(['b'])
    expect(refusals[0]?.reason).toContain('"misc"')
  })

  it.each([
    ['no text', '[MEMORY:timing]', 'no observation'],
    ['blank text', '[MEMORY:timing:web]   ', 'no observation'],
    ['only zero-width text', '[MEMORY:timing] \u200b\u2060\ufeff\u202e', 'no observation'],
    ['a placeholder', '[MEMORY:timing:web] <observation>', 'placeholder'],
    ['a service with spaces', '[MEMORY:timing:my web] slow', 'Invalid service name "my web"'],
    ['an empty service', '[MEMORY:timing:] slow', 'Invalid service name'],
    ['a megabyte', `[MEMORY:timing] ${'x'.repeat(1_000_000)}`, 'has 1,000,000 characters; at most 8,192'],
  ])('refuses %s', (_name, text, reason) => {
    expect(captureMarkers(text).candidates).toEqual([])
    expect(reasons(text)).toEqual([expect.stringContaining(reason)])
  })

  it('keeps right-to-left text as it is', () => {
    expect(only('[MEMORY:behavior] השרת מגיב לאט').content).toBe('השרת מגיב לאט')
  })

  it('does not see a marker that invisible characters break up', () => {
    expect(captureMarkers('[MEM\u200bORY:timing] x')).toEqual({ candidates: [], refusals: [] })
  })

  it('refuses markers in code that holds something else, with the line of each, and goes on after it', () => {
    const text =
      '```\nA line is\n[MEMORY:timing] example\n````\n[MEMORY:timing] real\n~~~md\n[MEMORY:timing] a\n```\n[MEMORY:misc] shown\n~~~\n'
    const { candidates, refusals } = captureMarkers(text)
    expect(candidates.map((each) => each.content)).toEqual(['real'])
    expect(refusals.map((each) => [each.line, each.reason])).toEqual([
      [3, expect.stringContaining('fenced code')],
      [7, expect.stringContaining('fenced code')],
      [9, expect.stringContaining('fenced code')],
    ])
  })

  it('takes a block of code that holds nothing but markers, closed or not', () => {
    const text =
      'Noted:\n\n```text\n[MEMORY:timing:web] Takes 5s\n\n[MEMORY:misc] odd\n- [MEMORY:behavior] Retries once\n```\n~~~\n[MEMORY:timing] Open'
    const { candidates, refusals } = captureMarkers(text)
    expect(candidates.map((each) => each.content)).toEqual(['Takes 5s', 'Retries once', 'Open'])
    expect(refusals).toEqual([expect.objectContaining({ line: 6, reason: expect.stringContaining('"misc"') })])
    expect(captureMarkers('```\n[MEMORY:timing] x\n'.padEnd(5_000, '[MEMORY:timing] x\n')).candidates).toEqual([])
  })

  it.each([
    ['**[MEMORY:timing:web]** Takes 5s'],
    ['- **[MEMORY:timing:web]**: Takes 5s'],
    ['_[MEMORY:timing:web] Takes 5s_'],
    ['***[MEMORY:timing:web] Takes 5s***'],
    ['“[MEMORY:timing:web] Takes 5s”'],
    ['[MEMORY:timing:web]\nTakes 5s'],
    ['1. **[MEMORY:timing:web]**\n   Takes 5s'],
    ['```\n1. [MEMORY:timing:web] Takes 5s\n```'],
    ['**[MEMORY:timing:web]**\r\n- Takes 5s'],
    ['| 1 | [MEMORY:timing:web] Takes 5s |'],
    ['| a | b |\n|---|---|\n| [MEMORY:timing:web] | Takes 5s |'],
  ])('takes the observation of %j', (text) => {
    expect(only(text)).toMatchObject({ category: 'timing', service: 'web', content: 'Takes 5s' })
  })

  it.each([
    ['[MEMORY:timing]\n\nTakes 5s'],
    ['[MEMORY:timing]\n## Next'],
    ['[MEMORY:timing]\n```\nTakes 5s\n```'],
    ['[MEMORY:timing]\n| a | b |'],
    ['| [MEMORY:timing] | |'],
  ])('says that the marker of %j has no observation, and where', (text) => {
    const { candidates, refusals } = captureMarkers(text)
    expect(candidates).toEqual([])
    expect(refusals).toEqual([{ reason: 'The marker has no observation.', text: expect.any(String), line: 1 }])
  })

  it('keeps two markers of two lines apart, and both of a row', () => {
    expect(captureMarkers('[MEMORY:timing]\n[MEMORY:behavior] Retries').candidates).toHaveLength(1)
    expect(captureMarkers('| [MEMORY:timing] Slow | [MEMORY:behavior] Uses a \\| b |').candidates).toMatchObject([
      { content: 'Slow' },
      { content: 'Uses a | b' },
    ])
  })

  it.each([
    'Write `[MEMORY:timing] text` to record.',
    '- `[MEMORY:timing] Takes 5s`',
    '``[MEMORY:timing] Takes 5s``',
    '`[MEMORY:timing:web]` Takes 5s',
    '| `[MEMORY:timing] Takes 5s` |',
  ])('refuses the marker in inline code of %j', (text) => {
    expect(captureMarkers(text).candidates).toEqual([])
    expect(reasons(text)).toEqual([expect.stringContaining('inline code')])
  })

  it('takes one that is bold, and one that holds code or stands behind it', () => {
    expect(only('**[MEMORY:timing] Takes 5s**').content).toBe('Takes 5s')
    expect(only('Use `x`: [MEMORY:timing] `make` takes 5s').content).toBe('`make` takes 5s')
  })

  it('is linear in hostile input', async () => {
    const ms = await cpuTime(() => {
      captureMarkers('[MEMORY:'.repeat(200_000))
      captureMarkers(`[MEMORY:timing] ${'(was: '.repeat(1_300)})`.repeat(200))
      captureMarkers(`${`[MEMORY:timing] ${')'.repeat(8_000)}\n`.repeat(200)}`)
    })
    expect(ms).toBeLessThan(3_000)
  })
})

describe('declared relations', () => {
  it('takes a trailing correction out of the content', () => {
    expect(only('[MEMORY:timing:web] Takes 90s (was: takes 60s (cold start)).')).toMatchObject({
      content: 'Takes 90s.',
      declares: { relation: 'corrects', text: 'takes 60s (cold start)' },
      metadata: { was: 'takes 60s (cold start)' },
    })
  })

  it('takes a confirmation, and a bare one confirms what it quotes', () => {
    expect(only('[MEMORY:timing] Still slow (confirms: starts slowly)')).toMatchObject({
      content: 'Still slow',
      declares: { relation: 'confirms', text: 'starts slowly' },
      metadata: { confirms: 'starts slowly' },
    })
    expect(only('[MEMORY:timing] (Confirms: starts slowly)').content).toBe('starts slowly')
  })

  it('prefers the correction when both are declared', () => {
    const candidate = only('[MEMORY:timing] Takes 9s (was: 5s) (confirms: is slow)')
    expect(candidate.content).toBe('Takes 9s')
    expect(candidate.declares?.relation).toBe('corrects')
    expect(candidate.metadata).toEqual({ was: '5s', confirms: 'is slow' })
  })

  it.each(['Port 80 (was: 81) now open (again)', 'Port 80 (was: 81', 'Port 80 (it was: 81)', 'Port 80 (was: )'])(
    'leaves %s alone',
    (text) => {
      const candidate = only(`[MEMORY:behavior] ${text}`)
      expect(candidate.content).toBe(text)
      expect(candidate).not.toHaveProperty('declares')
    },
  )

  it('refuses an observation that has nothing but the old belief', () => {
    expect(reasons('[MEMORY:timing] (was: 60s)')).toEqual([expect.stringContaining('what was believed')])
  })
})

describe('an agent that prints its own instructions', () => {
  const instructions = recordingInstructions()

  it('leaves none of their examples behind, and is told why', () => {
    expect(instructions.match(/^ +\[MEMORY:/gm)!.length).toBeGreaterThan(3)
    const { candidates, refusals } = captureMarkers(instructions)
    expect(candidates).toEqual([])
    const examples = instructions.match(/\[MEMORY:(?!category).*/g)!
    expect(refusals.map(({ reason }) => reason)).toEqual([
      ...Array(2).fill(expect.stringContaining('Unknown category "category"')),
      ...examples.map(() => 'The marker is an example of the recording instructions.'),
    ])
  })

  it('may still find out nearly the same, or the same of another service', () => {
    const [example] = instructions.match(/\[MEMORY:timing:jellyfin\].*/)!
    expect(only(`${example}.`).service).toBe('jellyfin')
    expect(only(example.replace('jellyfin', 'plex')).service).toBe('plex')
  })
})
