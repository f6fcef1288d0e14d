/** The overhead of `nokosu run` around a command that does nothing, with a working and a failing store. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openMemory } from '../src/engine/open-memory.ts'
import { digits, type Section } from './report.ts'

const NOKOSU = join(import.meta.dirname, '..', 'bin', 'nokosu.mjs')
const ROUNDS = 9
const ROUNDS_DOWN = 3
const BOUND_S = 2

const QUIET = ['true']
/** A different memory each time, so that each is written. */
const saying = (round: number) => ['echo', `[MEMORY:timing:service-${round}] Takes ${round + 10} seconds to start`]

/** An extraction that answers at once, so the rest is our overhead. */
const learning = (round: number) => `echo '["Report ${round} is written at ${round} past six"]'`

/** Wall time in milliseconds, from start to exit, of the command alone and of `nokosu run` around it. */
export async function benchRunOverhead(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-run-'))
  try {
    await fill(folder)
    const alone: number[] = []
    const quiet: number[] = []
    const marker: number[] = []
    const extracted: number[] = []
    // Alternates, so that a busy moment affects all.
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(measure(folder, QUIET))
      quiet.push(measure(folder, nokosu(QUIET)))
      marker.push(measure(folder, nokosu(saying(round))))
      extracted.push(measure(folder, nokosu(['echo', 'All done.'], '--extract-with', learning(round))))
    }
    const down = whileLocked(folder, () =>
      Array.from({ length: ROUNDS_DOWN }, (_, round) => measure(folder, nokosu(saying(round)))),
    )
    const base = median(alone)
    const rows = [
      row('the command alone', alone, base),
      row('nokosu run, 50 memories injected', quiet, base),
      row('the same, one memory captured', marker, base),
      row('no marker, one learning extracted by a command', extracted, base),
      row(`one memory captured, store locked (bound ${BOUND_S} s)`, down, base),
    ]
    const over = (times: readonly number[]) => (Math.max(...times) - base) / 1000
    return {
      title: 'nokosu run around a command that does nothing, milliseconds',
      rows,
      checks: [
        {
          claim: 'injection, capture and extraction (without a model’s own time) add to a step, at most',
          measured: Math.max(over(marker), over(extracted)),
          bar: 5,
          better: 'less',
          unit: 's',
        },
        {
          claim: 'a store that is down adds, at most',
          measured: over(down),
          bar: 2 * BOUND_S + 1,
          better: 'less',
          unit: 's',
        },
      ],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fill(folder: string): Promise<void> {
  const engine = await openMemory({ storage: `sqlite:${join(folder, '.nokosu/memory.db')}` })
  const identifiers = { agentId: 'nori', projectId: 'shop' }
  for (let i = 0; i < 50; i++) {
    await engine.add({
      exact: true,
      content: `Module ${i} has tests of its own in folder ${i * 7}`,
      layer: 'agent',
      identifiers,
    })
  }
  await engine.shutdown()
}

function nokosu(command: readonly string[], ...flags: string[]): string[] {
  return [process.execPath, NOKOSU, 'run', '--agent', 'nori', '--project', 'shop', ...flags, '--', ...command]
}

function measure(folder: string, [program, ...args]: readonly string[]): number {
  const env = { PATH: process.env.PATH, HOME: folder }
  const start = performance.now()
  const { status } = spawnSync(program!, args, { cwd: folder, env, stdio: 'ignore' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${status}`)
  return performance.now() - start
}

function whileLocked<T>(folder: string, work: () => T): T {
  const database = new DatabaseSync(join(folder, '.nokosu/memory.db'))
  try {
    database.exec('BEGIN EXCLUSIVE')
    return work()
  } finally {
    database.close()
  }
}

function row(what: string, times: readonly number[], base: number): Record<string, string | number> {
  return {
    what,
    median: digits(median(times), 0),
    max: digits(Math.max(...times), 0),
    added: digits(median(times) - base, 0),
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
