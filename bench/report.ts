import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

/** A measured figure and its bar. */
export interface Check {
  claim: string
  measured: number
  bar: number
  /** Whether higher or lower is better. */
  better: 'more' | 'less'
  unit: string
}

export interface Section {
  title: string
  rows: Record<string, string | number>[]
  checks: Check[]
  /** How it was measured, and what the figures do not tell. */
  notes?: string[]
}

export function holds({ measured, bar, better }: Check): boolean {
  return better === 'more' ? measured >= bar : measured <= bar
}

/** Median and 95th percentile of `work`, in milliseconds, over `rounds` calls after a few to warm up. */
export async function time(rounds: number, work: (round: number) => unknown): Promise<{ median: number; p95: number }> {
  for (let i = 0; i < Math.min(3, rounds); i++) await work(i)
  const times: number[] = []
  for (let i = 0; i < rounds; i++) times.push(await timed(() => work(i)))
  return spread(times)
}

/** Duration of `work` in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return since(start)
}

export function spread(times: readonly number[]): { median: number; p95: number } {
  const sorted = times.toSorted((a, b) => a - b)
  return { median: sorted[Math.floor(sorted.length / 2)]!, p95: sorted[Math.floor(sorted.length * 0.95)]! }
}

/** Milliseconds since a moment of `performance.now()`. */
export function since(started: number): number {
  return performance.now() - started
}

export function digits(value: number, places = 2): number {
  return Number(value.toFixed(places))
}

export function printSection({ title, rows, checks, notes = [] }: Section): void {
  console.log(`\n${title}`)
  for (const note of notes) console.log(note)
  if (rows.length > 0) console.table(rows)
  for (const check of checks) {
    const sign = check.better === 'more' ? '>=' : '<='
    console.log(
      `  ${holds(check) ? 'ok  ' : 'MISS'} ${check.claim}: ${digits(check.measured, 3)} ${check.unit} (bar ${sign} ${check.bar})`,
    )
  }
}

export function writeReport(sections: readonly Section[]): string {
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${new Date().toISOString().replaceAll(':', '-')}.json`)
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length }
  writeFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), machine, sections }, null, 2)}\n`)
  return file
}
