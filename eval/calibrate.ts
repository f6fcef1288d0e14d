/**
 * Finds the cosines from which a query and a memory belong together, for the weights in `models/embed`:
 *
 *   node eval/calibrate.ts [--questions FILE.jsonl ...] [--among FILE.jsonl] [--cache FOLDER]
 *
 * For each cosine it prints how many answers are among the first five at the default threshold, and how many questions without an answer still get results. It
 * uses the open half of our own set, and files of queries that the embedder was not trained on (`--among` adds memories to their stores). Sentences come first,
 * then terse queries. The best cosine has the largest difference between the two. Put both into
 * `src/embedding/model-files.ts` as ANSWER_COSINE; then measure on data that was not used here.
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
  options: {
    questions: { type: 'string', multiple: true, default: [] },
    among: { type: 'string' },
    cache: { type: 'string' },
  },
})
const local = localEmbedding()
const model = values.cache === undefined ? local : keptVectors(local, values.cache)
const { among } = values
const collections = [readOwn('open'), ...values.questions.flatMap((path) => readQuestions(path, { among }))]
const filled = await Promise.all(collections.map((collection) => fill(collection, model)))
const { threshold } = DEFAULTS

/** Of cosines within a point of the best, the lowest is taken: a missing result cannot be used, a wrong one can be judged. */
const AS_GOOD = 0.01
const STEP = 0.01

/** The cosine in this list that separates answers from noise best, on its own scale. */
async function farthestApart(cosines: readonly number[], scaleOf: (cosine: number) => ReturnType<typeof answersFrom>) {
  const seen: { cosine: number; apart: number }[] = []
  for (const cosine of cosines) {
    const shares: [number, number][] = []
    for (const each of filled) {
      const own = { ...each, model: { ...model, calibrate: scaleOf(cosine) } }
      const answers = await askAll(own, { mode: 'hybrid', ranking: RANKING, limit: 10 })
      shares.push([
        measure(answers, recallAt(5, threshold))?.value ?? 0,
        measure(answers, shownWrongly(threshold))?.value ?? 0,
      ])
    }
    const apart = shares.reduce((sum, [right, wrong]) => sum + right - wrong, 0) / shares.length
    seen.push({ cosine, apart })
    const cells = shares.map(([right, wrong]) => `${(100 * right).toFixed(1)} / ${(100 * wrong).toFixed(1)}`)
    console.log(`${cosine.toFixed(2)}     ${cells.join('     ')}     apart ${(100 * apart).toFixed(1)}`)
  }
  const best = Math.max(...seen.map(({ apart }) => apart))
  return seen.find(({ apart }) => apart > best - AS_GOOD)!.cosine
}

const steps = (from: number, to: number) =>
  Array.from({ length: Math.round((to - from) / STEP) + 1 }, (_, i) => from + i * STEP)
console.log('sentences   answers among five / questions without an answer that are shown something, in percent')
const sentence = await farthestApart(steps(0.24, 0.38), (cosine) =>
  answersFrom({ sentence: cosine, terse: cosine + 0.07 }),
)
console.log('terse queries')
const terse = await farthestApart(steps(sentence, sentence + 0.16), (cosine) =>
  answersFrom({ sentence, terse: cosine }),
)
console.log(`farthest apart: { sentence: ${sentence.toFixed(2)}, terse: ${terse.toFixed(2)} }`)
await Promise.all([...filled.map((each) => each.close()), local.close?.()])
