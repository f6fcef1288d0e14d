import { overlapFinder } from '../overlap/find.ts'
import { trainingTexts } from '../overlap/training.ts'
import type { Collection } from './collection.ts'

/** Leaves out questions that a model was trained on, or whose answer it was. All memories stay as distractors. */
export function withoutOverlap(collections: readonly Collection[]): { collections: Collection[]; leftOut: string } {
  const find = overlapFinder(trainingTexts())
  let [left, all] = [0, 0]
  const kept = collections.map((collection) => {
    const known = new Set(collection.items.filter(({ content }) => find(content) !== null).map(({ key }) => key))
    const asks = collection.asks.filter(
      ({ query, answers, near }) =>
        find(query) === null && !answers.some((key) => known.has(key)) && (near === undefined || !known.has(near)),
    )
    left += collection.asks.length - asks.length
    all += collection.asks.length
    return { ...collection, asks }
  })
  return {
    collections: kept,
    leftOut: `Left out, since a model was trained on the same or nearly the same text: ${left} of ${all} questions.`,
  }
}
