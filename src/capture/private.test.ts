import { describe, expect, it } from 'vitest'
import { captureStream } from './capture.ts'
import { captureLearnings } from './learnings.ts'
import { captureMarkers } from './marker-scanner.ts'
import { PrivateParts, withoutPrivate } from './private.ts'
import type { OutputFormat } from './read-output.ts'
import { captureEvent } from './workflow-events.ts'

const SECRET = 'the vault is behind the painting'

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
const capture = (text: string, format: OutputFormat) =>
  captureStream(bytes(text), { format, suggestions: true, lessons: true })
const said = (...blocks: object[]) => ({
  type: 'assistant',
  message: { id: `m${JSON.stringify(blocks)}`, content: blocks },
})
const text = (words: string) => ({ type: 'text', text: words })
const call = (id: string, command: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command } })
const answer = (id: string, content: string, is_error = false) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
})
const streamOf = (...events: object[]) => events.map((event) => JSON.stringify(event)).join('\n')

describe('the private parts of a text', () => {
  it('are taken out, and the lines around them stay apart', () => {
    expect(withoutPrivate('a <private>x</private> b')).toBe('a  b')
    expect(withoutPrivate('a\n<PRIVATE reason="x">\nx\ny</private >\nb')).toBe('a\n\n\n\nb')
    expect(withoutPrivate('a <private>x <private>y</private> z</private> b')).toBe('a  b')
    expect(withoutPrivate('a < private >x</ private> b <pri\u200Bvate>y< / PRI\u00ADVATE> c')).toBe('a  b  c')
    expect(withoutPrivate('a <privateer>x</privateer> <private/> b')).toBe('a <privateer>x</privateer> <private/> b')
  })

  it('reach to the end where the tag is not closed', () => {
    expect(withoutPrivate('a <private>x\ny')).toBe('a \n')
    const parts = new PrivateParts()
    expect([parts.strip('a <private>x'), parts.strip('y'), parts.strip('z</private> b')]).toEqual(['a ', '', ' b'])
  })

  it('do not begin where a text only names the tag', () => {
    const named =
      'Text in `<private>` and `</private>` is not captured; <privateer> is another word; <private/> is empty'
    expect(withoutPrivate(named)).toBe(named)
    expect(withoutPrivate('`<private>x`</private> b')).toBe('` b')
  })
})

describe('what is private in an output', () => {
  const marker = `[MEMORY:behavior:house] In the hall ${SECRET}`

  it('is not captured from plain text, over lines, in a marker, or unclosed', async () => {
    const lines = [
      'Hello',
      '<private>',
      marker,
      '</private>',
      `[MEMORY:timing:door] Opens at 9 <private>${SECRET}</private>`,
      '[MEMORY:timing:gate] Closes at 8',
      `<private> ${marker}`,
      marker,
    ]
    const result = await capture(lines.join('\n'), 'text')
    expect(result.candidates.map(({ content }) => content.trim())).toEqual(['Opens at 9', 'Closes at 8'])
    expect(JSON.stringify(result)).not.toContain(SECRET)
    expect(result.assistantText).toContain('Hello')
    expect(result.refusals.map(({ reason }) => reason)).toEqual([
      'A <private> tag is not closed: nothing after it was read.',
    ])
  })

  it('is not captured from a stream, over blocks and the tool calls between them', async () => {
    const result = await capture(
      streamOf(
        said(text('Before. <private>')),
        said(text(marker), call('t1', `open ${SECRET}`)),
        answer('t1', `error: ${SECRET} is locked`, true),
        said(call('t2', `open --force ${SECRET}`)),
        answer('t2', 'open'),
        said(text('</private>\n[MEMORY:timing:door] Opens at 9')),
        { type: 'result', subtype: 'success', is_error: false, result: `Done <private>${SECRET}</private>` },
      ),
      'stream-json',
    )
    expect(result.candidates.map(({ content }) => content)).toEqual(['Opens at 9'])
    expect(JSON.stringify(result)).not.toContain(SECRET)
    expect(result.outcome?.result).toBe('Done ')
    expect(result.refusals).toEqual([])
  })

  it('is in no lesson, however much a tool prints around it', async () => {
    const noise = 'x'.repeat(5_000)
    const command = `make deploy KEY=<private>${SECRET}</private>`
    const result = await capture(
      streamOf(
        said(call('t1', command)),
        answer(
          't1',
          `<private>${noise}</private>
error: not logged in <private>
error: ${SECRET} refuses ${noise}
error: ${SECRET} refuses
</private>`,
          true,
        ),
        said(call('t2', 'login --now')),
        answer('t2', 'fine'),
        said(call('t3', command)),
        answer('t3', 'deployed'),
      ),
      'stream-json',
    )
    expect(result.candidates.map(({ content }) => content)).toEqual([expect.stringContaining('login --now')])
    expect(JSON.stringify(result)).not.toContain(SECRET)
  })

  it('is not captured from a transcript, and an unclosed tag is told', async () => {
    const event = (value: object) => ({ sessionId: 's1', ...value })
    const result = await capture(
      streamOf(event(said(text(`Hi <private>${marker}`))), event(said(text(marker)))),
      'transcript',
    )
    expect(result.candidates).toEqual([])
    expect(result.assistantText.trim()).toBe('Hi')
    expect(result.refusalCount).toBe(1)
  })

  it('is not captured from suggestions and learnings', async () => {
    const suggestions = JSON.stringify([`Check the hall <private>${SECRET}</private>`])
    const fenced = ['## MEMORY_SUGGESTIONS', '```json', suggestions, '```'].join('\n')
    expect(JSON.stringify(await capture(fenced, 'text'))).not.toContain(SECRET)
    const { candidates } = captureLearnings(JSON.stringify([`The door opens at 9 <private>${SECRET}`]))
    expect(candidates.map(({ content }) => content.trim())).toEqual(['The door opens at 9'])
  })

  it('is not captured from the notes of a workflow event, nor by the plain functions', () => {
    const event = { type: 'hint', projectId: 'shop', summary: `Look at the log <private>${SECRET}</private>` } as const
    const { candidates } = captureEvent(event)
    expect(candidates.map(({ content }) => content)).toEqual([expect.stringContaining('Look at the log')])
    expect(JSON.stringify(candidates)).not.toContain(SECRET)
    expect(captureMarkers(`<private>\n${marker}\n</private>`)).toEqual({ candidates: [], refusals: [] })
  })

  it('is not in the beginning of a line that is refused', async () => {
    const result = await capture(`{"type":"assistant" <private>${SECRET}</private> broken}`, 'stream-json')
    expect(result.refusalCount).toBe(1)
    expect(JSON.stringify(result)).not.toContain(SECRET)
  })
})
