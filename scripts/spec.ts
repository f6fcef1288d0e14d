/**
 * The acceptance table: which tests carry which scenario id in their title, and how many mutants each scenario has
 * (`npm run mutants`). It fails when fewer scenarios have a test than `LEAST`, which only ever grows, when a scenario with a test has
 * no mutant, and when a mutant does not fit the sources any more. `--strict` fails while any scenario has no test; `--brief` leaves out the table. The
 * ids are listed here, so that the project needs no other document.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMutants, whyBroken } from './mutant-list.ts'

const root = join(import.meta.dirname, '..')
/** The number of tested scenarios when this was last raised. */
const LEAST = 112

const GROUPS = { A: 12, B: 11, C: 21, D: 28, E: 40 }

const ids = Object.entries(GROUPS).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, i) => `${letter}${String(i + 1).padStart(2, '0')}`),
)
const carriers = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]))
for (const file of globSync(['src/**/*.ts', 'test/**/*.ts'], { cwd: root })) {
  if (!file.endsWith('.test.ts') && !/^(src\/testing|test\/storage\/engine)\//.test(file)) continue
  for (const [, list] of readFileSync(join(root, file), 'utf8').matchAll(/((?:\[[A-E]\d\d\] ?)+)/g)) {
    for (const [, id] of list!.matchAll(/\[([A-E]\d\d)\]/g)) carriers.get(id!)?.add(file)
  }
}
const mutants = readMutants()
const mutantsOf = (id: string) => mutants.filter((mutant) => mutant.ids.includes(id)).length

const problems: string[] = []
const missing = ids.filter((id) => carriers.get(id)!.size === 0)
const covered = ids.length - missing.length
const unproven = ids.filter((id) => carriers.get(id)!.size > 0 && mutantsOf(id) === 0)
if (!process.argv.includes('--brief')) {
  for (const id of ids) {
    const count = mutantsOf(id)
    const shown = [...carriers.get(id)!].join(', ') || '-'
    console.log(`${id}  ${count === 1 ? '1 mutant ' : `${count} mutants`}  ${shown}`)
  }
}
const without = missing.length > 0 ? `; without: ${missing.join(' ')}` : ''
console.log(
  `acceptance: ${covered} of ${ids.length} scenarios have a test, shown by ${mutants.length} mutants${without}`,
)
if (covered > LEAST) console.log(`acceptance: raise LEAST in scripts/spec.ts to ${covered}`)

if (covered < LEAST) problems.push(`${LEAST} scenarios had a test before; find the tests that lost their ids`)
if (unproven.length > 0) {
  problems.push(`a test, but no mutant in test/mutants that shows that it can fail: ${unproven.join(' ')}`)
}
if (process.argv.includes('--strict') && missing.length > 0) problems.push('not every scenario has a test')
for (const mutant of mutants) {
  const why = whyBroken(mutant)
  if (why !== null) problems.push(`test/mutants/${mutant.list}.json: ${why}`)
}
for (const problem of problems) console.error(`acceptance: ${problem}`)
if (problems.length > 0) process.exitCode = 1
