/**
 * Lists items of the reported sets that a model was trained on, word for word or nearly:
 *
 *   nokosu eval overlap [--data PATH ...] [--json] [--list]
 *
 * Without `--data` the project's own reported sets are checked; with it every text in the JSON lines of these files or folders. Two texts
 * are nearly the same from 80 % common words on; of fewer than five words only the same words count. The evaluations leave such items out.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { share } from './interval.ts'
import { overlapFinder } from './overlap/find.ts'
import { REPORTED } from './overlap/reported.ts'
import { MODELS, textsIn, trainingTexts } from './overlap/training.ts'
import { printReport } from './report.ts'
import { readLines } from './search/read-file.ts'

const { values } = parseArgs({
  options: {
    data: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})
const ROOT = join(import.meta.dirname, '..')
const sets = values.data ?? REPORTED.map((path) => join(ROOT, path))
const trained = trainingTexts(MODELS)
const find = overlapFinder(trained)
const groups = sets.map((set) => {
  const texts = filesIn(set).flatMap(read)
  const found = texts.flatMap((text) => find(text) ?? [])
  if (values.list)
    for (const { text, file, alike } of found) console.error(`${set}: ${alike.toFixed(2)} ${file}: ${text}`)
  const exact = found.filter(({ alike }) => alike === 1).length
  return {
    name: set.replace(`${ROOT}/`, ''),
    figures: [share('trained on, or nearly', found.length, texts.length), share('the same words', exact, texts.length)],
  }
})
const scoring = `Texts of three words or more, compared with the ${trained.length} texts that the embedder, the relation model, the guard and the score of recall were trained on. Nearly the same: 80 % common words.`
printReport({ eval: 'overlap with training data', scoring, groups }, values.json)

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .filter((name) => !name.endsWith('.md') && !name.endsWith('.py'))
    .flatMap((name) => filesIn(join(path, name)))
    .filter((file) => /\.(?:jsonl(?:\.gz)?|txt)$/.test(file))
}

function read(path: string): string[] {
  const lines = readLines(path)
  const texts = path.endsWith('.txt')
    ? lines.map(({ text }) => text)
    : lines.flatMap(({ text }) => textsIn(JSON.parse(text)))
  return [...new Set(texts)].filter((text) => text.split(/\s+/).length > 2)
}
