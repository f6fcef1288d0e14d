import { type Figure as Interval, mean } from '../interval.ts'
import type { Answer } from './ask-all.ts'

/** What is measured of a list of answers: a number for each question that it can be told of. */
export type Figure = (answer: Answer) => number | null

/** The keys shown, each with its place. */
const keysOf = ({ found }: Answer, count: number, threshold = 0) =>
  found
    .slice(0, count)
    .filter(({ score }) => score >= threshold)
    .map(({ keys }) => keys)

/** The share of what answers a question among the first `count`. */
export function recallAt(count: number, threshold = 0): Figure {
  return (answer) => {
    const { answers } = answer.ask
    if (answers.length === 0) return null
    const found = new Set(keysOf(answer, count, threshold).flat())
    return answers.filter((key) => found.has(key)).length / answers.length
  }
}

export const ndcg10: Figure = (answer) => {
  const { answers } = answer.ask
  if (answers.length === 0) return null
  const gain = (at: number) => 1 / Math.log2(at + 2)
  const sum = (count: number, counts: (at: number) => boolean) =>
    Array.from({ length: count }, (_, at) => (counts(at) ? gain(at) : 0)).reduce((a, b) => a + b, 0)
  const places = keysOf(answer, 10)
  const isRight = (keys: readonly string[]) => keys.some((key) => answers.includes(key))
  return sum(places.length, (at) => isRight(places[at]!)) / sum(Math.min(10, answers.length), () => true)
}

export const reciprocalRank: Figure = ({ ask, found }) => {
  if (ask.answers.length === 0) return null
  const at = found.findIndex(({ keys }) => keys.some((key) => ask.answers.includes(key)))
  return at < 0 ? 0 : 1 / (at + 1)
}

/** Of a question that nothing answers: whether it is shown the memory that it is near to, or anything where it is near to none. */
export function shownWrongly(threshold: number): Figure {
  return (answer) => {
    const { answers, near } = answer.ask
    if (answers.length > 0) return null
    const shown = keysOf(answer, 10, threshold)
    return Number(near === undefined ? shown.length > 0 : shown.flat().includes(near))
  }
}

/** Of the memories shown, those that answer. */
export function precisionAt(threshold: number): Figure {
  return (answer) => {
    const { answers } = answer.ask
    const shown = keysOf(answer, 10, threshold)
    if (answers.length === 0 || shown.length === 0) return null
    return shown.filter((keys) => keys.some((key) => answers.includes(key))).length / shown.length
  }
}

/** The mean of a figure, with its interval; the same in every run. null: no question tells of it. */
export function measure(answers: readonly Answer[], figure: Figure, name = ''): Interval | null {
  const values = answers.map(figure).filter((value) => value !== null)
  return values.length === 0 ? null : mean(name, values)
}

export function median(answers: readonly Answer[]): number {
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  return times[Math.floor(times.length / 2)] ?? 0
}
