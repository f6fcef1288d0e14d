import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isFigure, type Result, readResults } from '../../bench/result.ts'
import { proof } from '../../scripts/proof/page.ts'
import { CHAPTERS } from '../../scripts/proof/parts.ts'
import { ROOT } from './samples.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const results = readResults()
const { page, images } = proof(results)

test('docs/proof.md is what node scripts/proof.ts writes', () => {
  expect(read('docs/proof.md')).toBe(page)
})

test.each([...images])('docs/images/%s.svg is drawn from the results, for light and dark', (name, svg) => {
  expect(read(`docs/images/${name}.svg`)).toBe(svg)
  expect(svg).toContain('prefers-color-scheme: dark')
})

/** The valid arguments of a command's script, or a file. */
const names = (path: string) =>
  new Set([...read(path).matchAll(/^ {2}'?([\w-]+)'?: (?:async )?\(/gm)].map(([, name]) => name))
const EVALS = new Set([
  ...names('eval/run.ts'),
  ...read('eval/run.ts')
    .match(/SEARCH_SETS = \[(.*)\]/)![1]!
    .match(/\w+/g)!,
])
const SECTIONS = names('bench/run.ts')

function exists(command: string): boolean {
  const [, evaluation] = /^nokosu eval (\S+)/.exec(command) ?? []
  if (evaluation !== undefined) return EVALS.has(evaluation)
  const [, sections] = /^npm run bench -- (.+)$/.exec(command) ?? []
  if (sections !== undefined) return sections.split(' ').every((word) => word.startsWith('--') || SECTIONS.has(word))
  const [, file] = /(?:^|\s)(\S+\.(?:ts|mjs|sh))(?:\s|$)/.exec(command) ?? []
  const [, folder, script] = /^npm (?:--prefix|-C) (\S+) (?:run )?(\S+)/.exec(command) ?? []
  if (folder !== undefined) return script! in (JSON.parse(read(join(folder, 'package.json'))).scripts ?? {})
  return file !== undefined && existsSync(join(ROOT, file))
}

test.each([...results].map(([name, { command }]) => [name, command]))('%s: the command %s exists', (_, command) => {
  expect(exists(command)).toBe(true)
})

test('a command that is gone is noticed', () => {
  expect(['nokosu eval gone', 'npm run bench -- gone', 'node gone.ts', 'gone'].filter(exists)).toEqual([])
})

test('a result was made by the command that its part names', () => {
  const parts = CHAPTERS.flatMap((chapter) => chapter.parts).filter(({ command }) => command !== '')
  const other = parts.filter(({ name, command }) => results.has(name) && results.get(name)!.command !== command)
  expect(other).toEqual([])
})

test('every figure has an interval around it, and every result a day and a machine', () => {
  for (const { rows, date, machine } of results.values()) {
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(machine).toMatch(/cores/)
    for (const row of rows.filter(isFigure)) {
      expect(row.low).toBeLessThanOrEqual(row.value)
      expect(row.high).toBeGreaterThanOrEqual(row.value)
    }
  }
})

test('a bar that was missed is named at the top, with its command', () => {
  const figure = { group: 'all', name: 'found', value: 0.5, low: 0.4, high: 0.6, of: 10, unit: 'share' as const }
  const result: Result = {
    what: 'A measure',
    command: 'nokosu eval own',
    date: '2026-01-01',
    machine: '1 core',
    rows: [
      { ...figure, bar: { least: 0.7 } },
      { ...figure, bar: { least: 0.3 } },
    ],
    checks: [{ claim: 'adds', measured: 2, bar: 3, better: 'more', unit: 'a second' }],
  }
  const { page: made } = proof(new Map([['x', result]]))
  const top = made.slice(0, made.indexOf('## More'))
  expect(top).toContain('2 of 3 bars were missed.')
  expect(top).toContain('| A measure: all, found | 50.0 % [40.0-60.0] | at least 70 % | `nokosu eval own` |')
  expect(top).toContain('| adds | 2 a second | at least 3 | `nokosu eval own` |')
})
