import type { Answer } from './ask-all.ts'

/** What is measured of a list of answers: a number for each question that it can be told of. */
export type Figure = (answer: Answer) => number | null

const keysOf = ({ found }: Answer, count: number, threshold = 0) =>
  found
    .slice(0, count)
    .filter(({ score }) => score >= threshold)
    .map(({ key }) => key)

/** The share of what answers a question among the first `count`. */
export function recallAt(count: number, threshold = 0): Figure {
  return (answer) => {
    const { answers } = answer.ask
    if (answers.length === 0) return null
    const found = new Set(keysOf(answer, count, threshold))
    return answers.filter((key) => found.has(key)).length / answers.length
  }
}

export const ndcg10: Figure = (answer) => {
  const { answers } = answer.ask
  if (answers.length === 0) return null
  const gain = (at: number) => 1 / Math.log2(at + 2)
  const sum = (count: number, counts: (at: number) => boolean) =>
    Array.from({ length: count }, (_, at) => (counts(at) ? gain(at) : 0)).reduce((a, b) => a + b, 0)
  const keys = keysOf(answer, 10)
  return sum(keys.length, (at) => answers.includes(keys[at]!)) / sum(Math.min(10, answers.length), () => true)
}

export const reciprocalRank: Figure = ({ ask, found }) => {
  if (ask.answers.length === 0) return null
  const at = found.findIndex(({ key }) => ask.answers.includes(key))
  return at < 0 ? 0 : 1 / (at + 1)
}

/** Of a question that nothing answers: whether it is shown the memory that it is near to, or anything where it is near to none. */
export function shownWrongly(threshold: number): Figure {
  return (answer) => {
    const { answers, near } = answer.ask
    if (answers.length > 0) return null
    const shown = keysOf(answer, 10, threshold)
    return Number(near === undefined ? shown.length > 0 : shown.includes(near))
  }
}

/** Of the memories shown, those that answer. */
export function precisionAt(threshold: number): Figure {
  return (answer) => {
    const { answers } = answer.ask
    const shown = keysOf(answer, 10, threshold)
    if (answers.length === 0 || shown.length === 0) return null
    return shown.filter((key) => answers.includes(key)).length / shown.length
  }
}

export interface Measured {
  /** null: no question tells of it. */
  mean: number | null
  /** The middle 95 % of the mean over resamples. */
  low: number
  high: number
  count: number
}

const RESAMPLES = 500

/** The mean of a figure, with its interval; the same in every run. */
export function measure(answers: readonly Answer[], figure: Figure): Measured {
  const values = answers.map(figure).filter((value) => value !== null)
  const count = values.length
  if (count === 0) return { mean: null, low: 0, high: 0, count }
  let state = 1
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const meanOf = (pick: (at: number) => number) => {
    let sum = 0
    for (let at = 0; at < count; at++) sum += pick(at)
    return sum / count
  }
  const means = Array.from({ length: RESAMPLES }, () => meanOf(() => values[Math.floor(random() * count)]!))
  means.sort((a, b) => a - b)
  const [low, high] = [means[Math.floor(0.025 * RESAMPLES)]!, means[Math.floor(0.975 * RESAMPLES)]!]
  return { mean: meanOf((at) => values[at]!), low, high, count }
}

export function median(answers: readonly Answer[]): number {
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  return times[Math.floor(times.length / 2)] ?? 0
}
