import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A line of the product that is taken out, and the test that must notice. */
export interface Mutant {
  /** The scenarios of the acceptance table that depend on it; may be none, for a promise that has no id. */
  ids: string[]
  file: string
  /** Stands once in the file. */
  cut: string
  put?: string
  test: string
  /** A part of the test's title. Default: any of the ids. */
  title?: string
  /** The test runs the compiled program. */
  build?: boolean
}

/** Every mutant of `test/mutants/*.json`. */
export function readMutants(): Mutant[] {
  const folder = join(import.meta.dirname, '..', 'test', 'mutants')
  return globSync('*.json', { cwd: folder })
    .sort()
    .flatMap((file): Mutant[] => JSON.parse(readFileSync(join(folder, file), 'utf8')))
}
