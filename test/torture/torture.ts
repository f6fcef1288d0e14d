import { flippedPages, fullDisk, stalledServer, wrongClock } from './faults.ts'
import { leaks, renders, walks } from './fuzz.ts'
import { crowds, kills } from './kill.ts'
import type { Scenario } from './scenario.ts'
import { openKind, STORES, type StoreName } from './stores.ts'

interface Listed {
  run: Scenario
  /** The unit of its count. */
  unit: string
  /** Amount of work for about a minute on a small machine. */
  size: number
  /** The stores it applies to; empty if it needs no store of its own. */
  stores: readonly StoreName[]
  models?: true
}

export const SCENARIOS: Readonly<Record<string, Listed>> = {
  kills: { run: kills, unit: 'kills', size: 12, stores: STORES },
  'kills with models': { run: kills, unit: 'kills', size: 3, stores: ['sqlite'], models: true },
  crowds: { run: crowds, unit: 'acknowledged changes', size: 60, stores: STORES },
  'full disk': { run: fullDisk, unit: 'writes', size: 1, stores: ['sqlite'] },
  'flipped pages': { run: flippedPages, unit: 'operations', size: 15, stores: ['sqlite'] },
  'stalled server': { run: stalledServer, unit: 'writes', size: 60, stores: ['url'] },
  'wrong clock': { run: wrongClock, unit: 'rounds', size: 40, stores: ['sqlite', 'postgres', 'dynamodb'] },
  leaks: { run: leaks, unit: 'reads', size: 6000, stores: ['sqlite', 'postgres', 'dynamodb'] },
  renders: { run: renders, unit: 'texts', size: 3000, stores: ['sqlite'] },
  'git walks': { run: walks, unit: 'walks', size: 12, stores: ['sqlite'] },
}

export interface Row {
  scenario: string
  store: StoreName
  seed: number
  count: number
  unit: string
  failures: string[]
  seconds: number
}

export interface TortureOptions {
  seed: number
  stores: readonly StoreName[]
  only?: readonly string[]
  /** 1 means about a minute per scenario and store. */
  scale: number
  onRow?: (row: Row) => void
}

const MOST_TOLD = 20

/** Runs the scenarios on the stores sequentially. The seed determines a run. */
export async function torture({ seed, stores, only, scale, onRow }: TortureOptions): Promise<Row[]> {
  const rows: Row[] = []
  for (const store of stores) {
    const wanted = Object.entries(SCENARIOS).filter(
      ([name, listed]) => listed.stores.includes(store) && (only === undefined || only.includes(name)),
    )
    if (wanted.length === 0) continue
    const kind = await openKind(store)
    try {
      for (const [scenario, { run, unit, size, models = false }] of wanted) {
        const row: Row = { scenario, store, seed, count: 0, unit, failures: [], seconds: 0 }
        const progress = {
          did(count = 1) {
            row.count += count
          },
          fail(what: string) {
            if (row.failures.length < MOST_TOLD) row.failures.push(what)
          },
        }
        const started = performance.now()
        try {
          await run({ create: kind.create, seed, size: Math.max(1, Math.round(size * scale)), models, progress })
        } catch (error) {
          progress.fail(`it ended early: ${(error as Error).stack}`)
        }
        row.seconds = Math.round((performance.now() - started) / 100) / 10
        rows.push(row)
        onRow?.(row)
      }
    } finally {
      await kind.close()
    }
  }
  return rows
}
