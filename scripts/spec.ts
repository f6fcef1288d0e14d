/**
 * The acceptance table: which tests carry which scenario id in their title. It fails when fewer scenarios have a test than
 * `LEAST`, which only ever grows; `--strict` fails while any scenario has none. The ids are listed here, so that the project
 * stands alone.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
/** How many scenarios had a test when this was last raised. */
const LEAST = 96

const GROUPS = { A: 12, B: 11, C: 21, D: 28, E: 40 }

const ids = Object.entries(GROUPS).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, i) => `${letter}${String(i + 1).padStart(2, '0')}`),
)
const carriers = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]))
for (const file of globSync(['src/**/*.ts', 'test/**/*.ts'], { cwd: root })) {
  if (!file.endsWith('.test.ts') && !file.includes('src/testing/')) continue
  for (const [, list] of readFileSync(join(root, file), 'utf8').matchAll(/((?:\[[A-E]\d\d\] ?)+)/g)) {
    for (const [, id] of list!.matchAll(/\[([A-E]\d\d)\]/g)) carriers.get(id!)?.add(file)
  }
}

const missing = ids.filter((id) => carriers.get(id)!.size === 0)
const brief = process.argv.includes('--brief')
if (!brief) for (const id of ids) console.log(`${id}  ${[...carriers.get(id)!].join(', ') || '-'}`)
console.log(
  `acceptance: ${ids.length - missing.length} of ${ids.length} scenarios have a test${missing.length > 0 ? `; without: ${missing.join(' ')}` : ''}`,
)
const covered = ids.length - missing.length
if (covered < LEAST) {
  console.error(`acceptance: ${LEAST} scenarios had a test before; find the tests that lost their ids`)
  process.exit(1)
}
if (covered > LEAST) console.log(`acceptance: raise LEAST in scripts/spec.ts to ${covered}`)
if (process.argv.includes('--strict') && missing.length > 0) process.exit(1)
