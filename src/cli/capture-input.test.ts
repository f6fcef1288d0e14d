import { expect, it } from 'vitest'
import { recogniseInput } from './capture-input.ts'

async function read(...parts: string[]) {
  async function* input() {
    for (const part of parts) yield Buffer.from(part)
  }
  const { source, format } = await recogniseInput(input())
  let text = ''
  for await (const part of source) text += Buffer.from(part).toString('utf8')
  return { format, text }
}

const EVENT = '{"type":"assistant","session_id":"s1"}\n'

it('waits for enough of an input that comes in parts, and hands it on whole', async () => {
  const cases: [string[], string][] = [
    [['npm warn old\n', EVENT, EVENT], 'stream-json'],
    [[EVENT.slice(0, 9), EVENT.slice(9), 'rest'], 'stream-json'],
    [[`agent-1  | ${EVENT}`], 'stream-json'],
    [['10:00 {"type":"user","sessionId":"s1"}\n'], 'transcript'],
    [['10:00 {"session_id":"s1"}\n'], 'text'],
    [['[\n', '{"content": "x"}', ']'], 'learnings'],
    [['[MEMORY:timing] Takes 60s\n', 'done\n'], 'text'],
    [['{\n  "hello":', ' 1\n}\n'], 'text'],
    [['["assistant"]\n', EVENT], 'stream-json'],
    [[], 'text'],
  ]
  for (const [parts, format] of cases) expect(await read(...parts)).toEqual({ format, text: parts.join('') })
})

it('does not read all of a long text before it says so', async () => {
  let given = 0
  async function* endless() {
    for (;;) {
      given++
      yield Buffer.from('working\n')
    }
  }
  expect((await recogniseInput(endless())).format).toBe('text')
  expect(given).toBeLessThan(50)
})
