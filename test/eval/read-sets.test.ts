import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readBeam } from '../../eval/search/read-beam.ts'
import { readLocomo, readQuestions } from '../../eval/search/read-sets.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nokosu-sets-'))
})
afterEach(() => rm(folder, { recursive: true }))

const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value))

test('LoCoMo is read as it was published: turns with speaker and time, evidence that is there', () => {
  write('locomo10.json', [
    {
      sample_id: 'conv-1',
      conversation: {
        speaker_a: 'Ann',
        session_1_date_time: '1:56 pm on 8 May, 2023',
        session_1: [
          { dia_id: 'D1:1', speaker: 'Ann', text: 'I moved to Graz.' },
          { dia_id: 'D1:2', speaker: 'Bob', text: 'When?' },
        ],
        session_2_date_time: '9:00 am on 9 May, 2023',
        session_2: [{ dia_id: 'D2:1', speaker: 'Ann', text: 'In April.' }],
      },
      qa: [
        { question: 'When did Ann move?', evidence: ['D1:1; D2:1'], category: 2 },
        { question: 'Who knows?', evidence: ['D9:9'], category: 4 },
      ],
    },
  ])
  const [conversation] = readLocomo(folder, 'threads')
  expect(conversation!.items).toMatchObject([
    { key: 'D1:1', thread: { id: 'conv-1/1', index: 0 }, occurredAt: '2023-05-08T13:56:00.000Z' },
    { key: 'D1:2', content: 'Bob (1:56 pm on 8 May, 2023): When?', thread: { index: 1 } },
    { key: 'D2:1', thread: { id: 'conv-1/2', index: 0 } },
  ])
  expect(conversation!.asks).toEqual([{ query: 'When did Ann move?', answers: ['D1:1', 'D2:1'], category: 'time' }])
  expect(readLocomo(folder, 'bare')[0]!.items[0]).toEqual({ key: 'D1:1', content: 'I moved to Graz.' })
})

test('BEAM is read as it was published: the user’s messages, and the factual questions about them', () => {
  mkdirSync(join(folder, '1', 'probing_questions'), { recursive: true })
  write('1/chat.json', [
    {
      turns: [
        [
          { id: 0, role: 'user', content: 'My sprint ends on March 29. ->-> 1,1' },
          { id: 1, role: 'assistant', content: 'Good.' },
        ],
      ],
    },
  ])
  write('1/probing_questions/probing_questions.json', {
    knowledge_update: [{ question: 'When does it end?', source_chat_ids: { first: [0], second: [1] } }],
    summarization: [{ question: 'Sum up.', source_chat_ids: [0] }],
  })
  expect(readBeam(folder, 'user')).toEqual([
    {
      name: '1',
      items: [{ key: '0', content: 'My sprint ends on March 29.' }],
      asks: [{ query: 'When does it end?', answers: ['0'], category: 'knowledge_update' }],
      exact: true,
    },
  ])
  expect(readBeam(folder)[0]).toMatchObject({
    items: [{ key: '0' }, { key: '1', content: 'Good.' }],
    asks: [{ answers: ['0', '1'] }],
  })
})

test('questions are read with what they answer, and what they do not', () => {
  const rows = [{ id: 'a', memory: 'Login by SSO only', answers: ['q1', 'q2', 'q3', 'q4'], not: ['n1'] }]
  writeFileSync(join(folder, 'q.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'))
  const [{ items, asks }] = readQuestions(join(folder, 'q.jsonl')) as [ReturnType<typeof readQuestions>[number]]
  expect(items).toEqual([{ key: 'a', content: 'Login by SSO only' }])
  expect(asks.map(({ category }) => category)).toEqual(['question', 'situation', 'phrase', 'near'])
  expect(asks.at(-1)).toMatchObject({ answers: [], near: 'a' })
})

test.each([
  ['{"id": "1", "memory": "a", "answers": ["b"]}\n\n{"id": "2", "memory": "a", "answers": "b"}', 'line 3: "answers": '],
  ['{"id": "1", "memory": "a", "answers": ["b", 5]}', 'line 1: "answers.1": '],
  ['{"id": "1", "answers": ["b"]}', 'line 1: "memory": '],
  [
    '{"id": "1", "memory": "a", "answers": []}\n{"id": "1", "memory": "b", "answers": []}',
    'line 2: "id": "1" is that of line 1',
  ],
  ['{"id": "1"', 'line 1: not JSON'],
])('what is wrong with a file of questions is said with its line and field: %s', (text, said) => {
  const path = join(folder, 'questions.jsonl')
  writeFileSync(path, text)
  expect(() => readQuestions(path)).toThrow(said)
  expect(() => readQuestions(path)).toThrow('One JSON object a line: {"id"')
})

test('a command line or a file that is wrong is said in a line, without a stack', () => {
  const [empty, other] = [join(folder, 'empty.jsonl'), join(folder, 'other.jsonl')]
  writeFileSync(empty, '\n')
  writeFileSync(other, '{"id": "1", "memory": "a", "answers": ["b"]}\n')
  const script = join(import.meta.dirname, '../../eval/search.ts')
  const says = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })
    expect(stderr).not.toMatch(/^ +at /m)
    return [status, stderr.split('\n')[0]]
  }
  expect(says('questions', '--bogus')).toEqual([2, expect.stringContaining("Unknown option '--bogus'")])
  expect(says('questions', '--data', empty)).toEqual([2, `${empty} is empty`])
  expect(says('locomo', '--data', other)).toEqual([
    2,
    `${other} cannot be read as locomo: a line has neither "conversation" nor "turns"`,
  ])
})
