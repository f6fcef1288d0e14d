import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPairs, readStore } from '../../eval/relations/read-rows.ts'

let folder: string
let path: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nokosu-relations-'))
  path = join(folder, 'rows.jsonl')
})
afterAll(() => rmSync(folder, { recursive: true }))

const PAIR = '{"a": "Swap is on", "b": "Swap is off", "label": "contradiction"}'
const KNOWN = '{"kind": "known", "text": "Swap is on"}'

test('the own files can be read', () => {
  const own = join(import.meta.dirname, '../../eval/relations')
  for (const name of ['own', 'floor']) expect(readPairs(join(own, `${name}.jsonl`)).length).toBeGreaterThan(50)
  for (const name of ['chosen-store', 'report-store']) {
    expect(readStore(join(own, `${name}.jsonl`)).length).toBeGreaterThan(200)
  }
})

describe('what is wrong with a file is said with its line', () => {
  test.each([
    ['\n', ' is empty'],
    ['', ' is empty'],
    [`${PAIR}\n\nSwap is on\n`, ', line 3: not JSON'],
    [`${PAIR}\nnull\n`, ', line 2: needs {"a"'],
    [`\ufeff${PAIR}\n`, ', line 1: begins with a byte order mark'],
    ['{"a": "Swap is on", "label": "same"}', ', line 1: needs {"a"'],
    ['{"a": "Swap is on", "b": "Swap is off", "label": "opposite"}', ', line 1: needs {"a"'],
  ])('pairs: %j', (text, problem) => {
    writeFileSync(path, text)
    expect(() => readPairs(path)).toThrow(`${path}${problem}`)
  })

  test.each([
    ['', ' is empty'],
    [`${KNOWN}\n[]`, ', line 2: needs {"kind"'],
    ['{"kind": "known"}', ', line 1: needs {"kind"'],
    [`${KNOWN}\n{"kind": "new", "text": "Swap is off", "relation": "same"}`, ', line 2: needs {"kind"'],
    [
      `${KNOWN}\n{"kind": "new", "text": "No swap", "relation": "same", "of": "Swap"}`,
      ', line 2: "of" is the text of no',
    ],
  ])('a store: %j', (text, problem) => {
    writeFileSync(path, text)
    expect(() => readStore(path)).toThrow(`${path}${problem}`)
  })
})

test('the scripts end with that line and 2, without a stack', () => {
  const root = join(import.meta.dirname, '../..')
  const says = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: root })
    return { status, stdout, stderr }
  }
  const missing = join(folder, 'missing.jsonl')
  writeFileSync(path, 'null\n')
  expect(says('eval/relations.ts', '--data', missing)).toEqual({
    status: 2,
    stdout: '',
    stderr: `${missing} cannot be read (ENOENT)\n`,
  })
  expect(says('eval/relations.ts', '--data', path)).toEqual({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/^.*rows\.jsonl, line 1: needs .*\n$/),
  })
  expect(says('bin/nokosu.mjs', 'eval', 'relations', '--data', path)).toEqual({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/^.*rows\.jsonl, line 1: needs .*\n$/),
  })
})
