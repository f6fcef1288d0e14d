import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compiling } from './compile.ts'
import { type Site, sitesIn } from './operators.ts'

const root = join(import.meta.dirname, '../..')

/** The folders whose tests are measured; of the stores, those that every machine can run. */
const MUTATED = [
  'src/{engine,recall,lifecycle,guard}/**/*.ts',
  'src/storage/*.ts',
  'src/storage/{sqlite,reference}/**/*.ts',
]

/** One generated mutation. */
export interface Generated extends Site {
  id: number
  file: string
  line: number
  /** The original text. */
  code: string
}

/** An equivalent mutation, with the reason. */
export interface Equivalent {
  file: string
  operator: string
  /** Its line, trimmed. */
  line: string
  code: string
  why: string
}

/** Not tested line by line: tests, and the frozen schema statements, which their test compares as a whole. */
const LEFT_OUT = ['**/*.{test,testing,fixture}.ts', 'src/storage/sqlite/migrations/**']

/** This many mutations, determined by the seed, never nested, and only those that compile. */
export function generate(folder: string, count: number, seed: string, within: readonly string[]): Generated[] {
  const equivalents = readEquivalents()
  const ranked = globSync(MUTATED, { cwd: root, exclude: LEFT_OUT })
    .filter((file) => within.length === 0 || within.some((part) => file.startsWith(part)))
    .flatMap((file) => inFile(file))
    .filter((mutant) => !equivalents.has(keyOf(mutant, lineOf(mutant))))
    .map((mutant) => ({ mutant, rank: rankOf(mutant, seed) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ mutant }) => mutant)
  const tried = ranked.slice(0, 2 * count)
  const sound = compiling(folder, tried)
  console.log(`mutants: ${tried.length - sound.length} of ${tried.length} do not compile and are left out`)
  const chosen: Generated[] = []
  for (const mutant of sound) {
    if (chosen.length === count) break
    if (chosen.some((other) => other.file === mutant.file && other.start < mutant.end && mutant.start < other.end))
      continue
    chosen.push({ ...mutant, id: chosen.length })
  }
  return chosen
}

function inFile(file: string): Generated[] {
  const text = readText(file)
  return sitesIn(text).map((site) => ({
    ...site,
    id: -1,
    file,
    line: text.slice(0, site.start).split('\n').length,
    code: text.slice(site.start, site.end),
  }))
}

/** Keyed by content, not position, so that changes elsewhere in the file keep the sample. */
function rankOf(mutant: Generated, seed: string): string {
  const words = [seed, mutant.file, mutant.operator, mutant.code, lineOf(mutant), mutant.start]
  return createHash('sha256').update(JSON.stringify(words)).digest('hex')
}

/** The trimmed line of a mutation. */
export function lineOf({ file, line }: Generated): string {
  return readText(file).split('\n')[line - 1]!.trim()
}

const keyOf = ({ file, operator, code }: Pick<Generated, 'file' | 'operator' | 'code'>, line: string) =>
  JSON.stringify([file, operator, line, code])

function readEquivalents(): Set<string> {
  const listed: Equivalent[] = JSON.parse(readFileSync(join(root, 'test/mutants/equivalent/generated.json'), 'utf8'))
  return new Set(listed.map((each) => keyOf(each, each.line)))
}

const texts = new Map<string, string>()

function readText(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8')
  texts.set(file, text)
  return text
}
