import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { cutTo, widthOf, wrapTo } from './display-width.ts'
import { createShell, inShell } from './shell.ts'
import { type Column, formatTable } from './table.ts'

interface Row {
  id: string
  where: string
  content: string
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'WHERE', value: ({ where }) => where, least: 8, spare: 1 },
  { title: 'CONTENT', value: ({ content }) => content },
]
const ROWS: readonly Row[] = [
  { id: 'KK139Y0Y', where: 'agent nori in a-project-with-a-long-name', content: 'Takes 60s to start '.repeat(9) },
  { id: 'V8Q1Q973', where: 'project 日本', content: '日本語のメモ：テストは先にRedisを起動する必要がある。'.repeat(4) },
  { id: 'Q9YZ5JW1', where: 'project shop', content: 'Deploys 🚀 with 👨‍👩‍👧 and 🇩🇪 and ❤️ on Tuesdays '.repeat(5) },
  { id: 'BNVXGD0K', where: 'x', content: 'e\u0301te\u0301' },
]

function linesAt(columns: number | null): Promise<string[]> {
  const stdout = Object.assign(new PassThrough(), columns === null ? {} : { isTTY: true, columns })
  const own = createShell({
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    env: { NO_COLOR: '1' },
    cwd: '/',
  })
  return inShell(own, async () => formatTable(ROWS, COLUMNS).trimEnd().split('\n'))
}

describe('a table', () => {
  it.each([10, 20, 40, 60, 80, 120, 200])('takes one line of %i columns for each row', async (columns) => {
    const lines = await linesAt(columns)
    expect(lines).toHaveLength(ROWS.length + 1)
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns)
    if (columns >= 40) for (const [i, { id }] of ROWS.entries()) expect(lines[i + 1]).toMatch(new RegExp(`^${id} `))
  })

  it('gives the text room before others: they are cut, then left out', async () => {
    expect((await linesAt(120))[0]).toMatch(/^ID +WHERE +CONTENT$/)
    expect((await linesAt(80))[2]).toMatch(/^V8Q1Q973 {2}project 日本 +日本語/)
    expect((await linesAt(55))[0]).toMatch(/^ID +CONTENT$/)
    expect(widthOf((await linesAt(80))[1]!)).toBeGreaterThan(75)
  })

  it('lines up what follows wide characters', async () => {
    const starts = (await linesAt(120))
      .slice(1, 4)
      .map((line) => widthOf(line.slice(0, line.search(/Takes|日本語|Deploys/))))
    expect(new Set(starts).size).toBe(1)
  })

  it('cuts nothing in a pipe', async () => {
    const lines = await linesAt(null)
    for (const [i, { content }] of ROWS.entries()) expect(lines[i + 1]).toContain(content.trimEnd())
  })
})

it('counts columns as a terminal shows them', () => {
  const widths = {
    abc: 3,
    日本: 4,
    ｱ: 1,
    '🚀': 2,
    '👨‍👩‍👧': 2,
    '🇩🇪': 2,
    '❤️': 2,
    '❤': 1,
    'e\u0301': 1,
    한글: 4,
    '…→': 2,
    '': 0,
  }
  for (const [text, width] of Object.entries(widths)) expect([text, widthOf(text)]).toEqual([text, width])
})

it('cuts between whole characters, and wraps between words', () => {
  expect(cutTo('ab👨‍👩‍👧cd', 4)).toBe('ab…')
  expect(cutTo('ab👨‍👩‍👧cd', 5)).toBe('ab👨‍👩‍👧…')
  expect(cutTo('日本語', 5)).toBe('日本…')
  expect(wrapTo('one two three four', 12, '  ')).toBe('one two\n  three four')
  expect(wrapTo('Type:\n  a command that is longer than the line', 12)).toBe(
    'Type:\n  a command that is longer than the line',
  )
})
