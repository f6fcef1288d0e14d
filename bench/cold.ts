/** Cold processes: the cost of one command, and where the time of a first search goes. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { digits, type Section } from './report.ts'
import { fill, MODEL } from './synthetic.ts'

const ROOT = join(import.meta.dirname, '..')
const NOKOSU = join(ROOT, 'bin', 'nokosu.mjs')
const ROUNDS = 15

export async function benchCold(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
  const small = await makeStore(join(folder, 'small.db'), 1200)
  const large = await makeStore(join(folder, 'large.db'), 100_000)
  // Alternates, so that a busy moment affects both.
  const bare: number[] = []
  const list: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(run(['-e', '0']))
    list.push(run([NOKOSU, 'list', '--all', '--json', '--db', small]))
  }
  const parts = JSON.parse(
    execFileSync(process.execPath, [join(import.meta.dirname, 'cold-search.ts'), large.slice('sqlite:'.length)], {
      encoding: 'utf8',
    }),
  ) as Record<string, number>
  rmSync(folder, { recursive: true })
  const start = median(bare)
  return {
    title: 'Cold processes, milliseconds',
    rows: [{ 'node -e 0': digits(start, 1), 'nokosu list --all --json, 1,200': digits(median(list), 1), ...parts }],
    checks: [
      {
        claim: 'nokosu list --json on 1,200 memories, against node -e 0',
        measured: median(list) / start,
        bar: 3.5,
        better: 'less',
        unit: 'times',
      },
      {
        claim: 'vectors of 100k ready, share of the model’s load',
        measured: parts['vectors ready']! / parts['model load']!,
        bar: 0.15,
        better: 'less',
        unit: 'of it',
      },
    ],
  }
}

async function makeStore(path: string, count: number): Promise<string> {
  const storage = sqliteStorage({ path, durability: 'normal' })
  await storage.initialize(MODEL)
  await fill(storage, count)
  await storage.shutdown()
  return `sqlite:${path}`
}

function run(args: string[]): number {
  const start = performance.now()
  execFileSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 })
  return performance.now() - start
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
