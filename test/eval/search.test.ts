import { afterAll, expect, test } from 'vitest'
import { type Answer, askAll, fill } from '../../eval/search/ask-all.ts'
import { measure, recallAt, shownWrongly } from '../../eval/search/figures.ts'
import { readOwn } from '../../eval/search/read-own.ts'
import { toTable } from '../../eval/search/report.ts'
import { run } from '../../eval/search/run.ts'
import { localEmbedding } from '../../src/embedding/local.ts'

const model = localEmbedding()
afterAll(() => model.close?.())

/** The floors are slightly below the results on the open half of our own set, so a change that breaks search fails. */
test('search finds what it found, and finds nothing where there is nothing', async () => {
  const filled = await fill(readOwn('open'), model)
  const answers = await askAll(filled, { mode: 'hybrid' })
  const share = (figure: Parameters<typeof measure>[1], own: readonly Answer[] = answers) => measure(own, figure)!.value
  const of = (category: string) => answers.filter(({ ask }) => ask.category === category)
  expect(share(recallAt(5))).toBeGreaterThan(0.9)
  expect(share(recallAt(5, 0.7))).toBeGreaterThan(0.82)
  expect(share(shownWrongly(0.7))).toBeLessThan(0.13)
  expect(share(recallAt(1), of('identifier'))).toBe(1)
  expect(share(recallAt(1, 0.7), of('identifier'))).toBeGreaterThan(0.95)
  expect(share(recallAt(1, 0.7), of('direct'))).toBe(1)
  expect(share(recallAt(1, 0.7), of('time'))).toBe(1)
  expect(share(recallAt(5), of('typo'))).toBe(1)
  expect(share(recallAt(5, 0.7), of('typo'))).toBeGreaterThan(0.7)
  await filled.close()
})

test('the halves of our own set are large enough, and have no question in common', () => {
  const [open, held] = [readOwn('open'), readOwn('held')]
  expect(open.items.length).toBeGreaterThanOrEqual(150)
  const questions = [...open.asks, ...held.asks]
  expect(questions.filter(({ answers }) => answers.length > 0).length).toBeGreaterThanOrEqual(150)
  expect(questions.filter(({ answers }) => answers.length === 0).length).toBeGreaterThanOrEqual(60)
  expect(new Set(questions.map(({ query }) => query)).size).toBe(questions.length)
})

test('a report has a row for every mode and every ingredient', async () => {
  const own = readOwn('open')
  const few = { ...own, items: own.items.slice(0, 12), asks: own.asks.slice(0, 4) }
  const { rows } = await run([few], model, { ablate: true })
  expect(rows.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['hybrid', 'semantic', 'keyword', 'without named times']),
  )
  expect(toTable(rows)).toContain('| hybrid ')
})
