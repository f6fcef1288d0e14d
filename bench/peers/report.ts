import { type Check, holds, printSection } from '../report.ts'
import { type Cells, type FigureRow, writeResult } from '../result.ts'
import type { Measured } from './measured.ts'
import { PEERS } from './peers.ts'

const OWN = 'Nokosu'
const EXACT = 'Nokosu exact'
const MEM0 = 'mem0ai'

/** Prints and writes the results. True if no bar is missed. */
export function report(measured: readonly Measured[], { load, command }: { load: string; command: string }): boolean {
  const rows = measured.map(toCells)
  const figures = measured.flatMap((one) => toFigures(one, find(measured, one.memories, OWN)))
  const checks = sizesOf(measured).flatMap((size) => checksAt(size, measured))
  const notes = [
    'First, how often Nokosu’s time each system takes, round by round: the median, and in brackets the least and the most of the rounds. More than 1: Nokosu is faster. Then the medians themselves.',
    'Every system is given the same vectors, made beforehand with Nokosu’s local embedding, so its time is in no figure but "add, embedded", where each statement is embedded as it comes. Questions are other words for a stored statement. "found" is the share of questions whose statement was among the ten found.',
    `Load of the machine before and after: ${load}. The systems take turns, so what slows the machine down slows them all.`,
    ...[...new Set(measured.map(({ system }) => system))].map((name) => `${name}: ${PEERS[name]!.settings}`),
  ]
  printSection({ title: 'Beside other memories', rows: rows.map(withoutNull), checks })
  const what = 'Nokosu beside other memories: the same statements, vectors and machine, in turns'
  writeResult('peers', { what, command, notes, rows: [...figures, ...rows], checks })
  return checks.every(holds)
}

function sizesOf(measured: readonly Measured[]): number[] {
  return [...new Set(measured.map(({ memories }) => memories))]
}

function find(measured: readonly Measured[], memories: number, system: string): Measured | undefined {
  return measured.find((one) => one.memories === memories && one.system === system)
}

const TIMED = { add: 'add, ms', bulk: 'bulk, ms each', search: 'search, ms', cold: 'cold, ms' }

/** How often Nokosu's time each takes. */
function toFigures(one: Measured, own: Measured | undefined): FigureRow[] {
  if (own === undefined || one === own) return []
  const group = `${one.system}, ${one.memories.toLocaleString('en')}`
  return Object.entries(TIMED).flatMap(([name, measure]): FigureRow[] => {
    const [rounds, base] = [one.rounds[measure], own.rounds[measure]]
    if (rounds === undefined || base === undefined) return []
    const { middle: value, least: low, most: high } = ratio(rounds, base)
    return [{ group, name, value, low, high, of: rounds.length, unit: 'times' }]
  })
}

function toCells({ memories, system, rounds, once }: Measured, _: number, all: readonly Measured[]): Cells {
  const names = [...new Set(all.flatMap((each) => Object.keys(each.rounds)))]
  const timed = names.map((name) => [name, name in rounds ? short(median(rounds[name]!)) : null])
  const sizes = ['disk, MB', 'memory, MB'].map((name) => [name, name in once ? short(once[name]!) : null])
  return { memories, system, ...Object.fromEntries([...timed, ...sizes]) }
}

/** Compares round by round, so that a busy moment of the machine affects all of them. */
function ratio(rounds: readonly number[], base: readonly number[]) {
  const ratios = rounds.map((value, i) => value / base[i]!)
  return { middle: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) }
}

function checksAt(memories: number, measured: readonly Measured[]): Check[] {
  const own = find(measured, memories, OWN)
  const mem0 = find(measured, memories, MEM0)
  if (own === undefined || mem0 === undefined) return []
  const at = `at ${memories.toLocaleString('en')}`
  const times = (name: string, than: Measured) => ratio(than.rounds[name]!, own.rounds[name]!).middle
  const more = (claim: string, measured: number, bar: number): Check => ({
    ...{ claim: `${claim} ${at}`, measured, bar, better: 'more', unit: 'times as fast' },
  })
  // A bare vector index has no words, owners or history. It is in the table, but does not count as a memory.
  const fastest = measured
    .filter(({ system }) => PEERS[system]!.persistent && !system.startsWith(OWN) && system !== 'sqlite-vec')
    .filter((one) => one.memories === memories)
    .toSorted((a, b) => median(a.rounds['search, ms']!) - median(b.rounds['search, ms']!))[0]!
  const cold = (claim: string, name: string, bar: number): Check => ({
    ...{ claim: `${claim} ${at}`, measured: median(own.rounds[name]!), bar, better: 'less', unit: 'ms' },
  })
  const exact = find(measured, memories, EXACT)
  const exactly = ({ rounds }: Measured) => {
    const against = (name: string) => ratio(mem0.rounds[name]!, rounds[name]!).middle
    return [
      more(`exact add, which like it compares nothing, against ${MEM0}`, against('add, ms'), 2),
      more(`exact bulk against ${MEM0}`, against('bulk, ms each'), 6),
    ]
  }
  return [
    more(`add against ${MEM0}`, times('add, ms', mem0), 2),
    more(`bulk against ${MEM0}`, times('bulk, ms each', mem0), 6),
    ...(exact === undefined ? [] : exactly(exact)),
    more(
      `search against the fastest memory that persists (${fastest.system})`,
      times('search, ms', fastest),
      memories < 10_000 ? 1 : 4,
    ),
    ...(memories < 10_000 ? [] : [more(`search against ${MEM0}`, times('search, ms', mem0), 100)]),
    {
      claim: `disk against ${MEM0} ${at}`,
      measured: own.once['disk, MB']! / mem0.once['disk, MB']!,
      bar: 1,
      better: 'less',
      unit: 'times',
    },
    // On a machine that others use, the clock mostly measures the others.
    cold('imports, opening and a first search, processor time', 'cold, processor ms', 150),
    cold('of it imports, processor time', 'of it imports, processor ms', 80),
  ]
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

function short(value: number): number {
  return Number(value.toPrecision(3))
}

function withoutNull(cells: Cells): Record<string, string | number> {
  return Object.fromEntries(Object.entries(cells).map(([name, value]) => [name, value ?? '']))
}
