import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readLines } from '../search/read-file.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** Training data of each shipped model. The embedder also saw the groups of the relation model. */
const TRAINED_ON: Record<string, string[]> = {
  embedder: ['train/embed/questions', 'train/relate/groups'],
  relations: ['train/relate/groups'],
  guard: ['train/guard/rows', 'train/guard'],
}

/** A text that a model was trained on, and the file it is in. */
export interface Trained {
  text: string
  file: string
}

export function trainingTexts(models: readonly string[] = Object.keys(TRAINED_ON)): Trained[] {
  const folders = new Set(models.flatMap((model) => TRAINED_ON[model]!))
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
