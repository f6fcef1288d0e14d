import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** A piece of the product to remove, and the test that must fail. */
export interface Mutant {
  /** Scenario ids of the acceptance table that depend on it; empty for a promise without an id. */
  ids: string[]
  file: string
  /** Occurs once in the file. */
  cut: string
  put?: string
  test: string
  /** A part of the test's title. Default: any of the ids. */
  title?: string
  /** Whether the test runs the compiled program. */
  build?: boolean
}

/** A mutant with the name of its list, such as `workflow`. */
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

/** Why a mutant is stale, as far as visible without running a test; null if it is fine. */
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
  // Generated titles do not occur in the file.
  if (/\.each\(|\bit\(`/.test(titles) || title.split('|').every((part) => titles.includes(part))) return null
  return `no test of ${test} is called "${title}"`
}

const texts = new Map<string, string>()

function readText(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8')
  texts.set(file, text)
  return text
}

/** The text of a test file, plus the shared suite if it is a backend test. */
function titlesIn(test: string): string {
  const text = readText(test)
  if (!text.includes('storageConformance(')) return text
  const suite = globSync(['src/testing/conformance/**/*.ts', 'test/storage/engine/*.ts'], { cwd: root })
  return text + suite.map(readText).join('\n')
}
