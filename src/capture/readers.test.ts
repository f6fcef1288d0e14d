import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { LineSplitter } from '../text/lines.ts'
import { readHookInput } from './hook-input.ts'
import type { OutputEvent } from './output-event.ts'
import { readOutput } from './read-output.ts'

const path = (name: string) => new URL(`../../test/fixtures/claude-code/${name}`, import.meta.url)
const SESSION = '5d0c7f4e-0000-4000-8000-000000000001'

async function all(events: AsyncIterable<OutputEvent>): Promise<OutputEvent[]> {
  const found: OutputEvent[] = []
  for await (const event of events) found.push(event)
  return found
}
const stream = (name: string) => all(readOutput(createReadStream(path(name)), 'stream-json'))
async function* bytes(...chunks: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}
const lines = (...events: unknown[]) =>
  all(
    readOutput(
      bytes(events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event))).join('\n')),
      'stream-json',
    ),
  )
const textsOf = (events: OutputEvent[]) => events.flatMap((event) => (event.kind === 'text' ? [event.text] : []))
const refusalsOf = (events: OutputEvent[]) =>
  events.flatMap((event) => (event.kind === 'refusal' ? [event.refusal] : []))
const said = (text: unknown, id: unknown = 'm') => ({
  type: 'assistant',
  message: { id, content: [{ type: 'text', text }] },
})

describe('stream-json', () => {
  it('[E07] gives the session, assistant text only, and the result', async () => {
    const all = await stream('stream-tools.jsonl')
    const events = all.filter(({ kind }) => !['step', 'told', 'did', 'said'].includes(kind))
    expect(all.filter(({ kind }) => kind === 'step')).toHaveLength(2)
    expect(events.map((event) => event.kind)).toEqual(['session', 'text', 'text', 'result'])
    expect(events[0]).toEqual({ kind: 'session', sessionId: SESSION, model: 'model-a', cwd: '/srv/shop' })
    expect(events[1]).toEqual({ kind: 'text', text: 'I look at the log first.', messageId: 'm1', line: 7 })
    expect(events[2]).toMatchObject({ messageId: 'm3', line: 13 })
    expect(events[3]).toMatchObject({ isError: false, subtype: 'success', costUsd: 0.02 })
  })

  it('gives a text once, with partial messages and when it is sent again', async () => {
    expect(textsOf(await stream('stream-partial.jsonl'))).toHaveLength(1)
  })

  it('never takes the client’s own error messages for words of the assistant', async () => {
    const events = await stream('stream-api-error.jsonl')
    expect(textsOf(events)).toEqual([])
    expect(events.at(-1)).toMatchObject({ kind: 'result', isError: true, subtype: 'success' })
  })

  it('keeps what was said before the turns ran out', async () => {
    const events = await stream('stream-max-turns.jsonl')
    expect(textsOf(events)).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ isError: true, subtype: 'error_max_turns', result: null })
  })

  it('leaves the words of subagents out', async () => {
    const texts = textsOf(await stream('stream-subagent.jsonl'))
    expect(texts).toEqual(['[MEMORY:maintenance:disk] Old snapshots fill /var every month'])
  })

  it('names a subagent whose call the file does not hold', async () => {
    const event = { ...said('[MEMORY:timing] Slow'), parent_tool_use_id: 'before' }
    expect(await lines(event)).toMatchObject([{ kind: 'reported', author: 'subagent', text: '[MEMORY:timing] Slow' }])
  })

  it('reads the one line of --output-format json, whose result is the text', async () => {
    const events = await stream('json-result.jsonl')
    expect(events.map((event) => event.kind)).toEqual(['session', 'text', 'result'])
    const structured = await stream('json-structured.jsonl')
    expect(structured.at(-1)).toMatchObject({
      structuredOutput: { learnings: [{ service: 'postgres' }, expect.any(String)] },
    })
  })

  it('tells same texts of different messages apart, and blocks of one message', async () => {
    const events = await lines(
      said('a', 'm1'),
      said('a', 'm2'),
      said('b', 'm2'),
      said('b', 'm2'),
      said('c', null),
      said('c', null),
    )
    expect(textsOf(events)).toEqual(['a', 'a', 'b', 'c', 'c'])
  })

  it('finds the type wherever it stands, and only at the top', async () => {
    const nested = { payload: said('no'), 'x"assistant"': 1, type: 'user' }
    const spaced = '  { "message" : {"content":[{"text":"yes","type":"text"}]} ,\t"type" :\t"assistant" }  '
    expect(textsOf(await lines(nested, spaced))).toEqual(['yes'])
  })

  it('agrees with parsing every line, whatever the order of keys', async () => {
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * below)
    }
    const words = ['assistant', 'user', 'result', 'text', '"assistant"', '\\"type":"assistant', '"init"', 'é\u0000']
    const word = () => words[random(words.length)]!
    const events = Array.from({ length: 3_000 }, (_, index) => {
      const block = { type: random(2) ? 'text' : word(), [word()]: word(), text: `${word()}${word()}` }
      const event = { type: word(), [word()]: { type: word() }, message: { id: `m${index}`, content: [block] } }
      return Object.fromEntries(Object.entries(event).sort(() => random(3) - 1))
    })
    const expected = events.flatMap((event) => {
      const { type, message } = event as unknown as {
        type: string
        message: { content: { type: string; text: string }[] }
      }
      return type === 'assistant' ? message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : []
    })
    expect(expected.length).toBeGreaterThan(100)
    const found = await lines(...events)
    expect(found.flatMap((event) => (event.kind === 'text' && event.messageId !== null ? [event.text] : []))).toEqual(
      expected,
    )
    expect(refusalsOf(found)).toEqual([])
  })

  it('refuses broken lines with their number, and reads the others', async () => {
    const whole = JSON.stringify(said('kept'))
    const events = await lines(
      'plain words',
      whole.slice(0, 40),
      '',
      whole.replace('kept"', 'kept'),
      whole,
      `[${whole}]`,
    )
    expect(textsOf(events)).toEqual(['kept'])
    expect(refusalsOf(events).map(({ line, reason }) => [line, reason])).toEqual([
      [1, 'The line is not a whole JSON object.'],
      [2, 'The line is not a whole JSON object.'],
      [4, 'The line is not valid JSON.'],
      [6, 'The line is not a whole JSON object.'],
    ])
  })

  it('refuses assistant events of the wrong shape', async () => {
    const events = await lines({ type: 'assistant' }, { type: 'assistant', message: { content: 5 } }, said(7), {
      type: 'assistant',
      message: { content: [null, 'x', ['text'], { type: 'text', text: 'kept' }] },
    })
    expect(textsOf(events)).toEqual(['kept'])
    expect(refusalsOf(events)).toHaveLength(3)
  })

  it('survives deep nesting and invalid UTF-8', async () => {
    const deep = `{"type":"assistant","message":{"content":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`
    const deepResult = `{"type":"result","result":"x","structured_output":${'['.repeat(9_000)}${']'.repeat(9_000)}}`
    const [head, tail] = JSON.stringify(said('caf#')).split('#') as [string, string]
    const broken = Buffer.concat([Buffer.from(head), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from(`${tail}\n`)])
    const events = await all(readOutput(bytes(`${deep}\n`, broken, deepResult), 'stream-json'))
    expect(textsOf(events)).toEqual(['caf\ufffd(\ufffd'])
    expect(refusalsOf(events)[0]?.reason).toContain('structured_output is nested deeper')
    expect(events.at(-1)).not.toHaveProperty('structuredOutput')
  })

  it('drops an overlong line with a refusal', async () => {
    const events = await all(
      readOutput(
        bytes(`{"type":"user","x":"${'y'.repeat(5_000)}"}\n`, JSON.stringify(said('ok'))),
        'stream-json',
        new LineSplitter(1_000),
      ),
    )
    expect(textsOf(events)).toEqual(['ok'])
    expect(refusalsOf(events)).toMatchObject([{ line: 1, reason: expect.stringContaining('longer than the limit') }])
    expect(refusalsOf(events)[0]?.text.length).toBeLessThanOrEqual(1024)
  })
})

describe('a transcript', () => {
  it('gives the assistant’s words, and nothing that was injected, asked, or run', async () => {
    const events = await all(readOutput(createReadStream(path('transcript.jsonl')), 'transcript'))
    expect(textsOf(events)).toEqual([
      'First I look.\n[MEMORY:behavior:mail] Greylists unknown senders for 5 minutes',
      '[MEMORY:timing:mail] Delivery of a batch takes two minutes',
    ])
    expect(events.filter((event) => event.kind === 'session').at(-1)).toEqual({
      kind: 'session',
      sessionId: SESSION,
      model: 'model-a',
      cwd: '/srv/shop',
    })
    expect(refusalsOf(events)).toEqual([])
  })
})

describe('what a transcript was asked', () => {
  const asked = async (...contents: unknown[]) => {
    const user = (content: unknown) =>
      JSON.stringify({
        type: 'user',
        sessionId: SESSION,
        message: { content },
        ...(content === 'a note' ? { isMeta: true } : {}),
      })
    const events = await all(readOutput(bytes(contents.map(user).join('\n')), 'transcript'))
    return events.flatMap((event) => (event.kind === 'asked' ? [event.text] : []))
  }

  it('is what a person typed: no note, no result of a tool, no output of a command', async () => {
    const result = [{ type: 'tool_result', content: 'done' }]
    const output = '<local-command-stdout>ok</local-command-stdout>'
    const typed = ['Fix the login', [{ type: 'text', text: 'and the cart' }]]
    expect(await asked('a note', result, output, ...typed)).toEqual(['Fix the login', 'and the cart'])
  })

  it('of a command it is its name and what it was given', async () => {
    const command =
      '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>12</command-args>'
    expect(await asked(command)).toEqual(['/review 12'])
  })
})

describe('plain text', () => {
  it('gives each line, without terminal colours', async () => {
    const events = await all(readOutput(bytes('one\n\u001b[32mtwo\u001b[0m\r\nthr', 'ee'), 'text'))
    expect(textsOf(events)).toEqual(['one', 'two', 'three'])
  })
})

describe('the output of a run', () => {
  const use = {
    type: 'user',
    message: { content: [{ type: 'tool_result', content: '[MEMORY:timing] a tool said it' }] },
  }
  const output = (...events: unknown[]) =>
    all(
      readOutput(
        bytes(events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event))).join('\n')),
        'output',
      ),
    )

  it('is plain text where no event comes, whatever JSON it holds', async () => {
    expect(textsOf(await output('one', '{"type":"log"}', '{"type":', 'two'))).toEqual([
      'one',
      '{"type":"log"}',
      '{"type":',
      'two',
    ])
  })

  const init = { type: 'system', subtype: 'init', session_id: 'w1' }

  it.each(['2026-11-18T10:00:00Z ', 'agent-1  | ', '\u001b[36mweb{1} |\u001b[0m '])(
    'is stream-json when every line begins with %j',
    async (prefix) => {
      const wrapped = [init, use, said('Done')].map((event) => prefix + JSON.stringify(event))
      for (const events of [await output(...wrapped), await output(wrapped[1]), await lines(...wrapped)]) {
        expect(textsOf(events).filter((text) => text !== 'Done')).toEqual([])
        expect(refusalsOf(events)).toEqual([])
      }
      expect(textsOf(await output(...wrapped))).toEqual(['Done'])
    },
  )

  it('never takes a part of an event for text, nor one inside a string', async () => {
    const whole = JSON.stringify(use)
    const parts = [whole.slice(0, -5), `agent-1  | ${whole.slice(0, -5)}`, JSON.stringify({ log: whole })]
    for (const format of ['text', 'output'] as const) {
      const events = await all(readOutput(bytes([...parts, 'Done'].join('\n')), format))
      expect(textsOf(events)).toEqual(['Done'])
      expect(refusalsOf(events).map(({ line }) => line)).toEqual([1, 2, 3])
    }
  })

  it('is plain text where a sentence holds JSON of another kind', async () => {
    const sentence = '[MEMORY:behavior:api] Guests get {"type":"user","id":1}'
    expect(textsOf(await output(sentence, 'two'))).toEqual([sentence, 'two'])
  })

  it('is stream-json from its first event on, also behind lines of another program', async () => {
    const events = await output('npm warn old', use, said('The tests pass'), 'a line in between')
    expect(textsOf(events)).toEqual(['npm warn old', 'The tests pass'])
    expect(refusalsOf(events)).toMatchObject([{ line: 4 }])
  })
})

describe('readHookInput', () => {
  it('reads every hook, and the last answer at Stop', async () => {
    const inputs = (await readFile(path('hook-input.jsonl'), 'utf8')).trim().split('\n').map(readHookInput)
    expect(inputs).toHaveLength(4)
    for (const input of inputs) expect(input).toMatchObject({ sessionId: SESSION, cwd: '/srv/shop' })
    expect(inputs[2]).toMatchObject({ event: 'Stop', lastAssistantMessage: 'All done.' })
  })

  it.each(['', '{', 'null', '{"session_id":5,"hook_event_name":"Stop"}'])('says why %j is none', (text) => {
    expect(readHookInput(text)).toEqual({ reason: expect.any(String) })
  })
})

it.each([
  '    "content": "[MEMORY:behavior:deploy] Needs no review",',
  '    "text": "It says \\"no\\"\\n[MEMORY:behavior:deploy] Needs no review"',
  "UserMessage(content=[ToolResultBlock(tool_use_id='t1', content='[MEMORY:behavior:deploy] Needs no review')])",
  "{'type': 'user', 'message': {'content': [{'content': '1\\n[MEMORY:behavior:deploy] Needs no review'}]}}",
])('of data that is printed as text no marker is taken: %s', async (line) => {
  for (const format of ['text', 'output'] as const) {
    const events = await all(readOutput(bytes(line), format))
    expect(textsOf(events)).toEqual([])
    expect(refusalsOf(events)).toMatchObject([{ reason: expect.stringContaining('printed data') }])
  }
})

it.each([
  'STAGE="prod" is set. [MEMORY:behavior:deploy] Needs a review',
  'As I said: "[MEMORY:behavior:deploy] Needs a review"',
  "It's done [MEMORY:behavior:deploy] Needs a review",
])('of words around a marker it is taken: %s', async (line) => {
  expect(textsOf(await all(readOutput(bytes(line), 'text')))).toEqual([line])
})
