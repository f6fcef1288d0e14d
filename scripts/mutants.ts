/**
 * Shows that tests can fail: takes a piece out of the product, runs the tests of its scenarios, and expects one of each to fail.
 *
 *   npm run mutants [-- A02 workflow src/http/access.ts ...] [--sample 6 [--seed TEXT]]
 *   npm run mutants -- --generated 200 [src/recall ...] [--seed TEXT] [--report FILE]
 *
 * The second form makes small mistakes by rules (`scripts/mutate/operators.ts`) at places chosen by the seed, and counts how many some test
 * notices. Those without a visible effect are listed, with the reason, in `test/mutants/equivalent/generated.json`.
 *
 * Without a word all are tried, else those of a scenario, of a list, in a file or of a test file. The lists are `test/mutants/*.json`: `{ids, file, cut,
 * put?, test, title?, build?}`. `cut` stands once in `file` and is replaced by `put` (default: nothing); `test` is the file that must
 * notice, `title` a part of its test's title (default: the ids). It works in two copies of the tree, so an interrupted run leaves only a temporary folder. Each
 * test is run once without a mutant first, because a test that already fails proves nothing.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MutantCopy, type Told, titleOf } from './mutant-copy.ts'
import { type ListedMutant, readMutants, whyBroken } from './mutant-list.ts'
import { runGenerated } from './mutate/run-generated.ts'

const AT_ONCE = 2

const { values, positionals } = parseArgs({
  options: {
    sample: { type: 'string' },
    generated: { type: 'string' },
    seed: { type: 'string' },
    report: { type: 'string' },
  },
  allowPositionals: true,
})
if (values.generated !== undefined) {
  const { seed = headCommit(), report } = values
  const isGood = await runGenerated({ count: Number(values.generated), seed, within: positionals, report })
  process.exit(isGood ? 0 : 1)
}

/** The seed determines the sample. It changes with each commit, so over time all are tried. */
function sampleOf(all: readonly ListedMutant[], count: number, seed: string): ListedMutant[] {
  const rank = (mutant: ListedMutant) =>
    createHash('sha256')
      .update(`${seed}\n${JSON.stringify(mutant)}`)
      .digest('hex')
  return [...all].sort((a, b) => rank(a).localeCompare(rank(b))).slice(0, count)
}

function headCommit(): string {
  try {
    const cwd = join(import.meta.dirname, '..')
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd, stdio: 'pipe', encoding: 'utf8' }).trim()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'git is not installed' : message.trim().split('\n').at(-1)
    console.log(`mutants: the commit is not known (${why}), so the sample is the one of no commit`)
    return ''
  }
}

const isMeant = ({ ids, list, file, test }: ListedMutant) =>
  positionals.length === 0 || [...ids, list, file, test].some((name) => positionals.includes(name))
const all = readMutants().filter(isMeant)
const chosen = values.sample === undefined ? all : sampleOf(all, Number(values.sample), values.seed ?? headCommit())
if (chosen.length === 0) throw new Error('no mutant for that')

let caught = 0

function tell(mutant: ListedMutant, problem: string | null, seconds: string): void {
  if (problem === null) caught++
  const what = `${mutant.ids.join(' ') || mutant.list}  ${mutant.file}  ${JSON.stringify(mutant.cut).slice(0, 60)}`
  console.log(
    `${problem === null ? 'caught' : 'NOT CAUGHT'}  ${what}  ${seconds} s${problem === null ? '' : `: ${problem}`}`,
  )
}

/** Why the tests of a mutant prove nothing: they already fail, or cannot run. */
function whySick(told: Told | string, { title, ids }: ListedMutant): string | null {
  if (typeof told === 'string') return told
  const parts = (title ?? titleOf(ids)).split('|')
  const name = told.failed.find((each) => parts.some((part) => each.includes(part)))
  return name === undefined ? null : `fails without it too: ${name}`
}

/** Runs the unchanged tests of one file, then all its mutants. */
async function tryGroup(copy: MutantCopy, test: string, mutants: readonly ListedMutant[]): Promise<void> {
  const before = await copy.runTests(
    test,
    mutants.map(({ title, ids }) => title ?? titleOf(ids)),
    // A timeout on a busy machine is not a reason to distrust the test.
    2,
  )
  for (const mutant of mutants) {
    const started = performance.now()
    const problem = whySick(before, mutant) ?? (await copy.try(mutant))
    tell(mutant, problem, ((performance.now() - started) / 1000).toFixed(1))
  }
}

const usable = chosen.filter((mutant) => {
  const problem = whyBroken(mutant)
  if (problem !== null) tell(mutant, problem, '0')
  return problem === null
})
// Longest first, so that both workers finish at about the same time.
const groups = [...Map.groupBy(usable, ({ test }) => test)].sort(([, a], [, b]) => b.length - a.length)

async function work(): Promise<void> {
  const copy = new MutantCopy()
  try {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) await tryGroup(copy, ...group)
  } finally {
    copy.remove()
  }
}

await Promise.all(Array.from({ length: Math.min(AT_ONCE, groups.length) }, work))
console.log(`mutants: ${caught} of ${chosen.length} caught`)
if (caught < chosen.length) process.exit(1)
