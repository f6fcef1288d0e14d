import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** A piece of the product that is taken out, and the test that must notice. */
export interface Mutant {
  /** The scenarios of the acceptance table that depend on it; none for a promise that has no id. */
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

/** With the name of its list, such as `workflow`. */
export type ListedMutant = Mutant & { list: string }

/** Every mutant of `test/mutants/*.json`. */
export function readMutants(): ListedMutant[] {
  const folder = join(root, 'test', 'mutants')
  return globSync('*.json', { cwd: folder })
    .sort()
    .flatMap((file) => {
      const mutants: Mutant[] = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      return mutants.map((mutant) => ({ ...mutant, list: file.replace('.json', '') }))
    })
}

/** Why a mutant cannot be tried any more, as far as it can be seen without running a test; null when it can. */
export function whyBroken({ ids, file, cut, put = '', test, title }: Mutant): string | null {
  if (!existsSync(join(root, file))) return `there is no ${file}`
  const count = readText(file).split(cut).length - 1
  if (count !== 1) return `the text to cut stands ${count} times in ${file}: ${JSON.stringify(cut)}`
  if (put === cut) return 'it changes nothing'
  if (!existsSync(join(root, test))) return `there is no ${test}`
  const titles = titlesIn(test)
  const lost = ids.find((id) => !titles.includes(`[${id}]`))
  if (lost !== undefined) return `no test of ${test} carries [${lost}]`
  if (title === undefined) return ids.length === 0 ? 'it has neither an id nor a title' : null
  // Titles that are made of a table or a loop stand in no file.
  if (/\.each\(|\bit\(`/.test(titles) || title.split('|').every((part) => titles.includes(part))) return null
  return `no test of ${test} is called "${title}"`
}

const texts = new Map<string, string>()

function readText(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8')
  texts.set(file, text)
  return text
}

/** The text of a test file, with that of the suite that every backend runs where it is one of theirs. */
function titlesIn(test: string): string {
  const text = readText(test)
  if (!text.includes('storageConformance(')) return text
  const suite = globSync(['src/testing/conformance/**/*.ts', 'test/storage/engine/*.ts'], { cwd: root })
  return text + suite.map(readText).join('\n')
}
