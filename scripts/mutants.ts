/**
 * Shows that tests can fail: takes a line out of the product, runs the tests of its scenario, and expects one to fail.
 *
 *   npm run mutants [-- A02 C14 ...] [--sample 8 [--seed TEXT]]
 *
 * The list is `test/mutants/*.json`: `{ids, file, cut, put?, test, title?, build?}`. `cut` stands once in `file` and is replaced by
 * `put` (default: nothing); `test` is the file that must notice, `title` a part of its test's title (default: the ids). All of it
 * happens in a copy of the tree, so that a run that is broken off leaves nothing behind but a temporary folder.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutant, readMutants } from './mutant-list.ts'

const root = join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  options: { sample: { type: 'string' }, seed: { type: 'string' } },
  allowPositionals: true,
})

/** The same seed gives the same sample, and another commit another one: in time all are tried. */
function sampleOf(all: readonly Mutant[], count: number, seed: string): Mutant[] {
  const rank = (mutant: Mutant) =>
    createHash('sha256')
      .update(`${seed}\n${JSON.stringify(mutant)}`)
      .digest('hex')
  return [...all].sort((a, b) => rank(a).localeCompare(rank(b))).slice(0, count)
}

function headCommit(): string {
  return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
}

function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'nokosu-mutants-'))
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of files.toString().split('\0')) {
    if (file !== '' && !/^(models|train|docs\/images)\//.test(file)) cpSync(join(root, file), join(copy, file))
  }
  for (const folder of ['node_modules', 'models']) symlinkSync(join(root, folder), join(copy, folder))
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true })
  return copy
}

/** Null when a test noticed; otherwise why that cannot be said. */
function tryMutant(copy: string, { ids, file, cut, put = '', test, title, build }: Mutant): string | null {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(cut).length !== 2) return `the text to cut stands ${text.split(cut).length - 1} times in ${file}`
  writeFileSync(
    path,
    text.replace(cut, () => put),
  )
  try {
    if (build && spawnSync(process.execPath, ['scripts/build.ts'], { cwd: copy }).status !== 0)
      return 'it does not compile'
    const project = test.startsWith('test/e2e/') ? 'e2e' : 'unit'
    const pattern = (title ?? ids.map((id) => `[${id}]`).join('|')).replace(/[[\]().*+?^${}\\]/g, '\\$&')
    const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
    const report = join(copy, 'report.json')
    rmSync(report, { force: true })
    const args = [
      '--project',
      project,
      '--reporter=json',
      `--outputFile=${report}`,
      '--retry=0',
      '--bail=1',
      test,
      '-t',
      pattern,
    ]
    const { stderr } = spawnSync(process.execPath, [vitest, 'run', ...args], {
      cwd: copy,
      encoding: 'utf8',
      timeout: 120_000,
    })
    if (!existsSync(report)) return `its tests could not be run: ${stderr.slice(-500)}`
    const { numFailedTests, numPassedTests, numFailedTestSuites } = JSON.parse(readFileSync(report, 'utf8'))
    if (numFailedTests > 0) return null
    if (numPassedTests === 0)
      return numFailedTestSuites > 0 ? 'the test file fails as a whole' : 'no test carries that title'
    return `all ${numPassedTests} tests still pass`
  } finally {
    writeFileSync(path, text)
  }
}

const all = readMutants().filter(({ ids }) => positionals.length === 0 || ids.some((id) => positionals.includes(id)))
const chosen = values.sample === undefined ? all : sampleOf(all, Number(values.sample), values.seed ?? headCommit())
if (chosen.length === 0) throw new Error('no mutant for that')
const copy = copyTree()
let survived = 0
try {
  for (const mutant of chosen) {
    const started = performance.now()
    const problem = tryMutant(copy, mutant)
    if (problem !== null) survived++
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(
      `${problem === null ? 'caught  ' : 'SURVIVED'} ${mutant.ids.join(' ')}  ${mutant.file}  ${seconds} s${problem === null ? '' : `: ${problem}`}`,
    )
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
console.log(`mutants: ${chosen.length - survived} of ${chosen.length} caught`)
if (survived > 0) process.exit(1)
