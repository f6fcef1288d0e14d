/** How the time of each operation grows with the number of memories in one project, on each store. */
import type { Nokosu } from '../src/engine/nokosu.ts'
import { digits, type Section, spread, timed } from './report.ts'
import { STORES } from './stores.ts'
import { PROJECT, Synthetic } from './synthetic.ts'

const SIZES: Readonly<Record<string, readonly number[]>> = {
  SQLite: [1000, 10_000, 100_000],
  PostgreSQL: [1000, 10_000, 100_000],
  'DynamoDB Local': [1000, 10_000],
}
const MILLION = 1_000_000
/** Each operation is repeated so often, or until the time is spent. */
const [ROUNDS, WARM_UP, MOST_MS] = [40, 5, 10_000]
/** An operation that takes longer than this is where a store gives way. */
const LIMIT_MS = 1000

type Times = Record<string, number>

/** `stores`: their names, to measure some. */
export async function benchGrowth(large: boolean, stores = Object.keys(SIZES)): Promise<Section> {
  const rows: Section['rows'] = []
  for (const store of stores) {
    const sizes = [...SIZES[store]!, ...(large && store === 'SQLite' ? [MILLION] : [])]
    const server = await STORES[store]!()
    const found = new Map<number, Times>()
    try {
      for (const size of sizes) {
        console.error(`${store}, ${size} memories`)
        found.set(size, await server.with(size, measure))
      }
    } finally {
      await server.stop()
    }
    rows.push(...rowsOf(store, found))
  }
  return {
    title: 'Growth: milliseconds (median) by number of memories in one project',
    rows,
    checks: [],
    notes: [
      'Vectors are made up and cost nothing, and no relation model is asked: this is the time of the engine and the store. The store is durable (fsync), but DynamoDB Local is in memory. An add is compared with its neighbours. Every memory is in one project, which is the worst case. A sweep is of the whole store, where nothing has faded.',
      `"gives way" is the number of memories at which the operation takes ${LIMIT_MS / 1000} s, for a sweep 10 minutes, estimated as if its time grew in proportion from the largest size on, or faster if it did between the last two.`,
      ...(large
        ? []
        : ['A million memories were not measured here: `npm run bench -- growth --large` adds them for SQLite.']),
      'DynamoDB Local ends at 10,000: it is a test double in one Java process, and its times say little about DynamoDB itself.',
    ],
  }
}

async function measure(memory: Nokosu): Promise<Times> {
  const synthetic = new Synthetic(41)
  const own = memory.as(PROJECT)
  let number = 0
  const say = (words: number) => `${synthetic.text(words)} said${number++}`
  const prompt = () => ({ kind: 'prompt' as const, text: say(12) })
  return {
    search: await repeated(() => own.search({ query: say(9) })),
    recall: await repeated(() => own.recall({ moment: prompt(), record: false })),
    context: await repeated(() => own.context({ format: 'operational' })),
    add: await repeated(() => own.add({ content: say(14), layer: 'project', category: 'learning' })),
    sweep: await timed(() => memory.sweep()),
  }
}

async function repeated(work: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < WARM_UP; i++) await work()
  const [times, started]: [number[], number] = [[], performance.now()]
  while (times.length < ROUNDS && performance.now() - started < MOST_MS) times.push(await timed(work))
  return spread(times).median
}

function rowsOf(store: string, found: ReadonlyMap<number, Times>): Section['rows'] {
  const operations = Object.keys([...found.values()][0]!)
  return operations.map((operation) => {
    const points = [...found].map(([size, times]): [number, number] => [size, times[operation]!])
    const cells = points.map(([size, ms]) => [size.toLocaleString('en'), Number(ms.toPrecision(3))])
    const limit = operation === 'sweep' ? 600 * LIMIT_MS : LIMIT_MS
    return {
      ...{ store, operation },
      ...Object.fromEntries(cells),
      exponent: digits(exponentOf(points)),
      'gives way': givesWay(points, limit),
    }
  })
}

/** The slope of the line through the points, both axes as logarithms. */
export function exponentOf(points: readonly (readonly [size: number, ms: number])[]): number {
  const logs = points.map(([size, ms]) => [Math.log(size), Math.log(ms)] as const)
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(logs.map(([a]) => a)), mean(logs.map(([, b]) => b))]
  const [up, down] = [mean(logs.map(([a, b]) => (a - x) * (b - y))), mean(logs.map(([a]) => (a - x) ** 2))]
  return up / down
}

/** The size at which the operation takes as long as `limit`, if it grows in proportion from the largest one on, or as fast as it did. */
export function givesWay(points: readonly (readonly [size: number, ms: number])[], limit: number): string {
  const over = points.find(([, ms]) => ms > limit)
  if (over !== undefined) return `at ${short(over[0])}, measured`
  const [size, ms] = points.at(-1)!
  return `about ${short(size * (limit / ms) ** (1 / Math.max(1, exponentOf(points.slice(-2)))))}`
}

function short(size: number): string {
  return size >= 1e6 ? `${Number((size / 1e6).toPrecision(2))} M` : Number(size.toPrecision(2)).toLocaleString('en')
}
