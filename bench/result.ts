import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import type { Figure } from '../eval/interval.ts'
import type { Check } from './report.ts'

/** The results of one command: a small file in `bench/results`. `docs/proof.md` is generated from these files. */
export interface Result {
  what: string
  /** The command that measures it again. */
  command: string
  date: string
  machine: string
  /** What counts as right. */
  scoring?: string
  /** Items that are not counted. */
  leftOut?: string
  /** Remarks, a paragraph each. */
  notes?: string[]
  rows: Row[]
  /** Claims with a bar. */
  checks?: Check[]
}

/** Cells by column, or a figure with its interval. */
export type Row = Cells | FigureRow
export type Cells = Record<string, string | number | null>
export type FigureRow = Figure & { group: string }

const FOLDER = join(import.meta.dirname, 'results')

export function isFigure(row: Row): row is FigureRow {
  return 'group' in row && 'low' in row && 'high' in row
}

/** With the load, since others may work on it. */
function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  return `${cpus().length} cores of ${model}, Node ${process.version.slice(1)}, load ${loadavg()[0]!.toFixed(1)}`
}

export function writeResult(name: string, result: Omit<Result, 'date' | 'machine'>): void {
  const { what, command, ...rest } = result
  const whole: Result = { what, command, date: new Date().toISOString().slice(0, 10), machine: machine(), ...rest }
  mkdirSync(FOLDER, { recursive: true })
  const { rows, ...head } = whole
  const lines = rows.map((row) => `    ${JSON.stringify(row, rounded)}`).join(',\n')
  // One row per line, so that diffs are readable.
  const text = JSON.stringify({ ...head, rows: [] }, rounded, 2).replace('"rows": []', `"rows": [\n${lines}\n  ]`)
  writeFileSync(join(FOLDER, `${name}.json`), `${text}\n`)
}

/** The committed results by name; others begin with the time of a run. */
export function readResults(): Map<string, Result> {
  const names = readdirSync(FOLDER).filter((name) => /^[a-z][\w-]*\.json$/.test(name))
  return new Map(
    names
      .sort()
      .map((name) => [name.slice(0, -'.json'.length), JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Result]),
  )
}

function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(5)) : value
}
