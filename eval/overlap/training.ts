import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { TUNED_ON } from '../moments/tuned-on.ts'
import { readLines } from '../search/read-file.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** Training data of each shipped model. The embedder also saw the groups of the relation model. */
const TRAINED_ON = {
  embedder: ['train/embed/questions', 'train/relate/groups'],
  relations: ['train/relate/groups'],
  guard: [
    'train/guard/rows',
    'train/guard',
    'train/embed/questions',
    ...projects(['shop', 'home-ops', 'ledger', 'crm', 'iot']),
  ],
  recall: projects(TUNED_ON),
}
type Model = keyof typeof TRAINED_ON
export const MODELS = Object.keys(TRAINED_ON) as Model[]
/** The models that every search meets. Recall scores moments only. */
const OF_SEARCH: readonly Model[] = ['embedder', 'relations', 'guard']

/** A text that a model was trained on, and the file it is in. */
export interface Trained {
  text: string
  file: string
}

function projects(names: readonly string[]): string[] {
  return names.map((name) => `eval/moments/${name}`)
}

export function trainingTexts(models: readonly Model[] = OF_SEARCH): Trained[] {
  const folders = new Set(models.flatMap((model) => TRAINED_ON[model]))
  return [...folders].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => {
        const path = join(ROOT, folder, name)
        return readLines(path).flatMap(({ text: line }) =>
          textsIn(JSON.parse(line)).map((text) => ({ text, file: relative(ROOT, path) })),
        )
      }),
  )
}

/** Every string in a row, at any depth. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
