import { type Figure as Interval, mean } from '../interval.ts'
import type { Answer } from './ask-all.ts'

/** A measure of result lists: a number for each question that it applies to. */
export type Figure = (answer: Answer) => number | null

/** The shown keys with their rank. */
const keysOf = ({ found }: Answer, count: number, threshold = 0) =>
  found
    .slice(0, count)
    .filter(({ score }) => score >= threshold)
    .map(({ keys }) => keys)

/** The share of a question's answers among the first `count` results. */
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

/** For a question without an answer: whether the close memory is shown, or anything at all if there is none. */
export function shownWrongly(threshold: number): Figure {
  return (answer) => {
    const { answers, near } = answer.ask
    if (answers.length > 0) return null
    const shown = keysOf(answer, 10, threshold)
    return Number(near === undefined ? shown.length > 0 : shown.flat().includes(near))
  }
}

/** The share of shown memories that are answers. */
export function precisionAt(threshold: number): Figure {
  return (answer) => {
    const { answers } = answer.ask
    const shown = keysOf(answer, 10, threshold)
    if (answers.length === 0 || shown.length === 0) return null
    return shown.filter((keys) => keys.some((key) => answers.includes(key))).length / shown.length
  }
}

/** The mean of a measure with its interval, reproducible; null if it applies to no question. */
export function measure(answers: readonly Answer[], figure: Figure, name = ''): Interval | null {
  const values = answers.map(figure).filter((value) => value !== null)
  return values.length === 0 ? null : mean(name, values)
}

export function median(answers: readonly Answer[]): number {
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  return times[Math.floor(times.length / 2)] ?? 0
}
