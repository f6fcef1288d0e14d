import { createReadStream } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { type CaptureOptions, captureStream } from './capture.ts'

const open = (name: string) => createReadStream(new URL(`../../test/fixtures/claude-code/${name}`, import.meta.url))
async function* bytes(...chunks: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}
const message = (text: string, id = text) =>
  `${JSON.stringify({ type: 'assistant', message: { id, content: [{ type: 'text', text }] } })}\n`
const capture = (text: string, options: Partial<CaptureOptions> = {}) =>
  captureStream(bytes(text), { format: 'stream-json', ...options })
const contents = (result: Awaited<ReturnType<typeof captureStream>>) => result.candidates.map((each) => each.content)

describe('captureStream', () => {
  it('[E07] captures a run: markers of the assistant, session and outcome', async () => {
    const result = await captureStream(open('stream-tools.jsonl'), { format: 'stream-json' })
    expect(result.candidates).toMatchObject([
      { category: 'timing', service: 'proxy', content: 'Needs 40s after a restart before /health answers' },
      { category: 'remediation', service: null },
    ])
    expect(result).toMatchObject({
      refusals: [],
      warnings: [],
      session: { model: 'model-a', cwd: '/srv/shop' },
      outcome: { isError: false, subtype: 'success' },
      lines: 14,
    })
    expect(result.assistantText).toContain('I look at the log first.')
    expect(result.assistantText).not.toContain('from a')
  })

  it('finds the same in a transcript', async () => {
    const result = await captureStream(open('transcript.jsonl'), { format: 'transcript' })
    expect(contents(result)).toEqual([
      'Greylists unknown senders for 5 minutes',
      'Delivery of a batch takes two minutes',
      'from a sidechain',
    ])
    expect(result.candidates[2]!.metadata).toEqual({ author: 'subagent' })
    expect(result).toMatchObject({ refusalCount: 0, outcome: null, session: { cwd: '/srv/shop' } })
  })

  it('reads plain text as one text: code blocks and suggestions run over lines', async () => {
    const suggestion = '[{"scope":"project","event_type":"hint","summary":"Pin the image"}]'
    const text = `hi\n\`\`\`\n[MEMORY:timing] shown\n$ ls\n\`\`\`\n10%\r[MEMORY:timing] real\r\n## MEMORY_SUGGESTIONS\n\`\`\`json\n${suggestion}\n\`\`\``
    const result = await captureStream(bytes(text), { format: 'text', suggestions: true })
    expect(contents(result)).toEqual(['real', 'Pin the image'])
    expect(result.refusals).toMatchObject([{ line: 3, reason: expect.stringContaining('fenced') }])
  })

  it('[C13] reads suggestions only where they are wanted', async () => {
    const text = message(
      '## MEMORY_SUGGESTIONS\n```json\n[{"scope":"task","event_type":"hint","summary":"x y"}, {}]\n```',
    )
    expect(await capture(text)).toMatchObject({ candidates: [], refusals: [] })
    const wanted = await capture(text, { suggestions: true })
    expect(contents(wanted)).toEqual(['x y'])
    expect(wanted.refusals).toMatchObject([{ line: 1, reason: expect.stringContaining('Suggestion 2') }])
  })

  it('hands on each candidate as it comes, with the session', async () => {
    const order: string[] = []
    async function* source(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"type":"system","subtype":"init","session_id":"s-1"}\n')
      yield Buffer.from(message('[MEMORY:timing] one'))
      order.push('more')
      yield Buffer.from(message('[MEMORY:timing] two'))
    }
    await captureStream(source(), {
      format: 'stream-json',
      onCandidate: (candidate, session) => order.push(`${candidate.content} ${session?.sessionId}`),
    })
    expect(order).toEqual(['one s-1', 'more', 'two s-1'])
  })

  it('keeps 200 of ten thousand markers and says so', async () => {
    const markers = Array.from({ length: 10_000 }, (_, i) => `[MEMORY:timing] number ${i}`).join('\n')
    const result = await capture(message(markers, 'm'))
    expect(result.candidates).toHaveLength(200)
    expect(result.warnings).toEqual(['Only the first 200 memories of the session were kept; 9,800 more were left out.'])
  })

  it('takes what a subagent records with its name, and nothing else that it says', async () => {
    const event = (type: string, content: unknown, parent_tool_use_id: string | null = null) =>
      `${JSON.stringify({ type, message: { id: `${type}${JSON.stringify(content)}`, content }, parent_tool_use_id })}\n`
    const said = (text: string, parent: string) => event('assistant', [{ type: 'text', text }], parent)
    const result = await capture(
      [
        event('assistant', [
          { type: 'tool_use', id: 'a', name: 'Task', input: { subagent_type: 'Explore', prompt: 'look' } },
          { type: 'tool_use', id: 'b', name: 'Task', input: { subagent_type: 'bad name\n', prompt: 'look' } },
        ]),
        said('I looked.\n[MEMORY:timing:web] Takes 5s', 'a'),
        said('[MEMORY:misc] odd\n[MEMORY:behavior] Retries once', 'b'),
        event('user', [{ type: 'tool_result', content: '[MEMORY:timing] printed' }], 'a'),
        said('[MEMORY:timing] of a call before the file', 'c'),
      ].join(''),
    )
    expect(result.candidates.map(({ content, metadata }) => [content, metadata])).toEqual([
      ['Takes 5s', { author: 'Explore' }],
      ['Retries once', { author: 'subagent' }],
      ['of a call before the file', { author: 'subagent' }],
    ])
    expect(result.refusals).toMatchObject([{ line: 3, reason: expect.stringContaining('"misc"') }])
    expect(result.assistantText).toBe('')
  })

  it('takes a repeated marker once, and tells', async () => {
    const result = await capture(
      message('[MEMORY:timing] a b', '1') + message('[MEMORY:timing] a b\n[MEMORY:behavior] a b', '2'),
    )
    expect(result.candidates.map((each) => each.category)).toEqual(['timing', 'behavior'])
    expect(result.refusals).toMatchObject([{ line: 2, reason: expect.stringContaining('already captured') }])
  })

  it('lists 200 refusals and counts all', async () => {
    const result = await capture('noise \u0007\u202e here\n'.repeat(1_000))
    expect(result.refusals).toHaveLength(200)
    expect(result.refusalCount).toBe(1_000)
    expect(result.warnings).toEqual([expect.stringContaining('1,000 refusals')])
    expect(result.refusals[0]?.text).toContain('noise')
  })

  it('keeps what came before a source broke off', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(message('[MEMORY:timing] saved'))
      throw new Error('pipe closed')
    }
    const result = await captureStream(source(), { format: 'stream-json' })
    expect(contents(result)).toEqual(['saved'])
    expect(result.warnings).toEqual(['The stream broke off: pipe closed'])
  })

  it('does not hide an error of the caller', async () => {
    const failing = {
      onCandidate: () => {
        throw new Error('mine')
      },
    }
    await expect(capture(message('[MEMORY:timing] x y'), failing)).rejects.toThrow('mine')
  })

  it.each(['stream-json', 'transcript', 'text'] as const)('has nothing to say about an empty %s', async (format) => {
    expect(await captureStream(bytes(), { format })).toEqual({
      candidates: [],
      refusals: [],
      refusalCount: 0,
      warnings: [],
      session: null,
      prompt: null,
      outcome: null,
      assistantText: '',
      made: expect.anything(),
      bytes: 0,
      lines: 0,
    })
  })

  it('keeps the beginning and the end of a long text', async () => {
    const text = Array.from({ length: 500 }, (_, i) => message(`part ${i} ${'.'.repeat(1_000)}`)).join('')
    const { assistantText } = await capture(text)
    expect(assistantText.length).toBeLessThan(32_768 + 60)
    expect(assistantText).toMatch(/^part 0 /)
    expect(assistantText).toMatch(/part 499 \.+\n$/)
    expect(assistantText).toMatch(/\[\.\.\. [\d,]+ characters left out \.\.\.\]/)
    const huge = (await capture(message('x'.repeat(100_000)))).assistantText
    expect(huge).toBe(`${'x'.repeat(16_384)}\n[... 67,233 characters left out ...]\n${'x'.repeat(16_383)}\n`)
  })

  it('reads a line of 500 MB in bounded memory and goes on', async () => {
    const piece = Buffer.alloc(1_000_000, 'x')
    async function* source(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"type":"assistant","x":"')
      for (let i = 0; i < 500; i++) yield piece
      yield Buffer.from(`"}\n${message('[MEMORY:timing] after it')}`)
    }
    const before = process.memoryUsage.rss()
    const result = await captureStream(source(), { format: 'stream-json' })
    expect(contents(result)).toEqual(['after it'])
    expect(result.refusals).toMatchObject([{ line: 1, reason: expect.stringContaining('longer than the limit') }])
    expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000)
  })

  it('does not keep long messages alive through what it took from them', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    async function* source(): AsyncGenerator<Uint8Array> {
      const filler = 'f'.repeat(4_000_000)
      for (let i = 0; i < 20; i++) {
        yield Buffer.from(message(`${filler}\n[MEMORY:timing] a longer observation ${i}`, `${i}`))
      }
    }
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    const result = await captureStream(source(), { format: 'stream-json' })
    collectGarbage()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000)
    expect(result.candidates).toHaveLength(20)
  })
})

it.each([
  ['make the report', ['m1']],
  ['make the report with db-ro.internal', []],
  ['make the report', [], Date.now()],
])(
  'asked to %s, what a stream without times does follows what its session was shown at the start',
  async (told, used, at = -Infinity) => {
    const act = [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'psql -h db-ro.internal' } }]
    const line = JSON.stringify({ type: 'assistant', session_id: 's', message: { id: 'm', content: act } })
    const source = (async function* () {
      yield Buffer.from(`${line}\n`)
    })()
    const captured = await captureStream(source, { format: 'stream-json', told })
    const shown = {
      id: 'm1',
      content: 'Reports read from db-ro.internal',
      service: null,
      category: 'behavior',
      at,
    } as const
    expect(captured.made([shown]).used).toEqual(used)
  },
)
