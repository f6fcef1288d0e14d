/**
 * Finds the cosine from which a query and a memory belong together, for the weights that are in `models/embed`:
 *
 *   node eval/calibrate.ts [--questions FILE.jsonl ...] [--cache FOLDER]
 *
 * For each cosine it says how many answers are among the first five at the default threshold, and how many questions without an answer are shown
 * something all the same: the open half of our own set, and files of queries that the embedder was not trained on. The best is where they lie
 * farthest apart. Put it into `src/embedding/model-files.ts` as ANSWER_COSINE; then measure on what was not used here.
 */
import { parseArgs } from 'node:util'
import { answersFrom } from '../src/embedding/calibration.ts'
import { localEmbedding } from '../src/embedding/local.ts'
import { DEFAULTS } from '../src/model/limits.ts'
import { RANKING } from '../src/recall/ranking.ts'
import { askAll, fill } from './search/ask-all.ts'
import { measure, recallAt, shownWrongly } from './search/figures.ts'
import { readOwn } from './search/read-own.ts'
import { readQuestions } from './search/read-sets.ts'
import { keptVectors } from './search/vector-cache.ts'

const { values } = parseArgs({
  options: { questions: { type: 'string', multiple: true, default: [] }, cache: { type: 'string' } },
})
const local = localEmbedding()
const model = values.cache === undefined ? local : keptVectors(local, values.cache)
const collections = [readOwn('open'), ...values.questions.flatMap((path) => readQuestions(path))]
const filled = await Promise.all(collections.map((collection) => fill(collection, model)))
const { threshold } = DEFAULTS

let best = { cosine: 0, apart: Number.NEGATIVE_INFINITY }
console.log('cosine   answers among five / questions without an answer that are shown something, in percent')
for (let cosine = 0.15; cosine < 0.5; cosine += 0.02) {
  const calibrate = answersFrom(cosine)
  const shares: [number, number][] = []
  for (const each of filled) {
    const answers = await askAll({ ...each, model: { ...model, calibrate } }, { mode: 'hybrid', ranking: RANKING })
    shares.push([
      measure(answers, recallAt(5, threshold)).mean ?? 0,
      measure(answers, shownWrongly(threshold)).mean ?? 0,
    ])
  }
  const apart = shares.reduce((sum, [right, wrong]) => sum + right - wrong, 0) / shares.length
  if (apart > best.apart) best = { cosine, apart }
  const cells = shares.map(([right, wrong]) => `${(100 * right).toFixed(1)} / ${(100 * wrong).toFixed(1)}`)
  console.log(`${cosine.toFixed(2)}     ${cells.join('     ')}`)
}
console.log(`farthest apart at ${best.cosine.toFixed(2)}`)
await Promise.all([...filled.map((each) => each.close()), local.close?.()])
