/**
 * `nokosu torture`: kills, concurrency, faults and fuzzing on every store. A seed determines a run. Exits 1 if anything was lost, leaked or
 * broken.
 */
import '../../scripts/jsx.mjs'
import { parseArgs } from 'node:util'
import { STORES, type StoreName } from './stores.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    stores: { type: 'string', default: 'sqlite,url' },
    only: { type: 'string' },
    scale: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const { SCENARIOS, torture } = await import('./torture.ts')
const list = (text: string) => text.split(',').map((each) => each.trim())
const stores = values.stores === 'all' ? [...STORES] : (list(values.stores) as StoreName[])
const only = values.only === undefined ? undefined : list(values.only)
const problem = [
  ...stores
    .filter((name) => !STORES.includes(name))
    .map((name) => `There is no store ${name}; choose from ${STORES.join(', ')} or all.`),
  ...(only ?? [])
    .filter((name) => !(name in SCENARIOS))
    .map((name) => `There is no scenario ${name}; choose from ${Object.keys(SCENARIOS).join(', ')}.`),
  ...(Number.isInteger(Number(values.seed)) && Number(values.scale) > 0
    ? []
    : ['--seed takes a whole number, --scale a number above 0.']),
]
if (problem.length > 0) {
  console.error(problem.join('\n'))
  process.exit(2)
}
const rows = await torture({
  ...{ seed: Number(values.seed), scale: Number(values.scale), stores },
  ...(only === undefined ? {} : { only }),
  onRow({ scenario, store, count, unit, failures, seconds }) {
    if (values.json) return
    console.log(
      `${failures.length === 0 ? 'held  ' : 'FAILED'}  ${scenario} on ${store}: ${count.toLocaleString('en')} ${unit} in ${seconds} s`,
    )
    for (const failure of failures) console.log(`        ${failure}`)
  },
})
const isHeld = rows.every(({ failures }) => failures.length === 0)
if (values.json) console.log(JSON.stringify({ held: isHeld, rows }))
else
  console.log(isHeld ? 'Nothing was lost, leaked or broken.' : 'Something gave way: run it again with the same seed.')
process.exit(isHeld ? 0 : 1)
