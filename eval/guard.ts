/**
 * Measures the guard on labelled lines: `node eval/guard.ts --secrets FILE.gz --injection FILE.gz`. Rows are JSON lines,
 * plain or gzipped: `{text, label, source}`, where label 1 is a secret or an attack. Exits 1 when a bar is missed.
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { createGunzip } from 'node:zlib'
import { detectInstruction } from '../src/guard/detect-instruction.ts'
import { escapePromptBlock } from '../src/guard/escape.ts'
import { findStructure } from '../src/guard/find-structure.ts'
import { guardText } from '../src/guard/guard.ts'
import { redactSecrets } from '../src/guard/redact-secrets.ts'

interface Row {
  text: string
  label: number
  source: string
}

interface Tally {
  rows: number
  hits: number
}

/** Least share of secret lines caught, by source; sources without a bar of their own are only reported. */
const CAUGHT_BARS: Record<string, number> = { gitleaks: 0.95, 'detect-secrets': 0.95, kingfisher: 0.85 }
const TOUCHED_BAR = 0.02
const FLAGGED_BENIGN_BAR = 0.05

const missed: string[] = []

async function* readRows(path: string): AsyncGenerator<Row> {
  const file = createReadStream(path)
  const input = path.endsWith('.gz') ? file.pipe(createGunzip()) : file
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const row: unknown = JSON.parse(line)
    if (isRow(row)) yield row
    else throw new TypeError(`${path}: a row without text, label and source`)
  }
}

function isRow(value: unknown): value is Row {
  if (typeof value !== 'object' || value === null) return false
  const row = value as Partial<Row>
  return typeof row.text === 'string' && typeof row.label === 'number' && typeof row.source === 'string'
}

function add(tallies: Map<string, Tally>, name: string, hit: boolean): void {
  const tally = tallies.get(name) ?? { rows: 0, hits: 0 }
  tally.rows++
  if (hit) tally.hits++
  tallies.set(name, tally)
}

function share(tally: Tally | undefined): number {
  return tally === undefined || tally.rows === 0 ? 0 : tally.hits / tally.rows
}

function show(tally: Tally | undefined): string {
  return tally === undefined ? '' : `${tally.hits}/${tally.rows} (${(100 * share(tally)).toFixed(1)} %)`
}

function holdBar(name: string, met: boolean): void {
  console.log(`${met ? 'met   ' : 'MISSED'} ${name}`)
  if (!met) missed.push(name)
}

/** Some texts are labelled both ways; the bars are held on the others, and both figures are shown. */
async function measureSecrets(path: string): Promise<void> {
  const rows: { source: string; label: number; text: string; hit: boolean }[] = []
  const labels = new Map<string, Set<number>>()
  for await (const { text, label, source } of readRows(path)) {
    rows.push({ source, label, text, hit: redactSecrets(text).found.length > 0 })
    labels.set(text, (labels.get(text) ?? new Set()).add(label))
  }
  const tallies = new Map<string, Tally>()
  for (const { source, label, text, hit } of rows) {
    const kind = label === 1 ? 'caught' : 'touched'
    const consistent = labels.get(text)!.size === 1
    for (const name of [source, 'all']) {
      add(tallies, `${name} ${kind}`, hit)
      if (consistent) add(tallies, `${name} ${kind} consistent`, hit)
    }
  }
  const sources = [...new Set(rows.map((row) => row.source)), 'all']
  console.log('\nSecrets: lines caught, clean lines touched; "consistent" leaves out texts that are labelled both ways')
  console.table(
    Object.fromEntries(
      sources.map((source) => [
        source,
        {
          caught: show(tallies.get(`${source} caught`)),
          'caught, consistent': show(tallies.get(`${source} caught consistent`)),
          touched: show(tallies.get(`${source} touched`)),
          'touched, consistent': show(tallies.get(`${source} touched consistent`)),
        },
      ]),
    ),
  )
  for (const [source, bar] of Object.entries(CAUGHT_BARS)) {
    if (!sources.includes(source)) continue
    holdBar(`${source}: at least ${100 * bar} % caught`, share(tallies.get(`${source} caught consistent`)) >= bar)
  }
  holdBar(
    `at most ${100 * TOUCHED_BAR} % of clean lines touched`,
    share(tallies.get('all touched consistent')) <= TOUCHED_BAR,
  )
}

async function measureInjection(path: string): Promise<void> {
  const tallies = new Map<string, Tally>()
  const names = new Set<string>()
  for await (const { text, label, source } of readRows(path)) {
    const name = `${source} (${label === 1 ? 'attack' : 'benign'})`
    names.add(name)
    const guarded = guardText(text, { maxLength: Number.POSITIVE_INFINITY })
    const stored = 'refused' in guarded ? '' : guarded.content
    for (const group of [name, label === 1 ? 'all attacks' : 'all benign']) {
      add(tallies, `${group} flagged`, detectInstruction(stored).flagged)
      add(tallies, `${group} raw`, findStructure(text).length > 0)
      add(tallies, `${group} escaped`, findStructure(escapePromptBlock(stored)).length > 0)
    }
  }
  console.log('\nInjection: texts flagged, texts with structure as given, and once stored and rendered')
  console.table(
    Object.fromEntries(
      [...[...names].sort(), 'all attacks', 'all benign'].map((name) => [
        name,
        {
          flagged: show(tallies.get(`${name} flagged`)),
          'structure, as given': tallies.get(`${name} raw`)?.hits ?? 0,
          'structure, rendered': tallies.get(`${name} escaped`)?.hits ?? 0,
        },
      ]),
    ),
  )
  const rendered = (tallies.get('all attacks escaped')?.hits ?? 0) + (tallies.get('all benign escaped')?.hits ?? 0)
  holdBar('no structure in rendered content', rendered === 0)
  holdBar(
    `at most ${100 * FLAGGED_BENIGN_BAR} % of benign texts flagged`,
    share(tallies.get('all benign flagged')) <= FLAGGED_BENIGN_BAR,
  )
}

const { values } = parseArgs({ options: { secrets: { type: 'string' }, injection: { type: 'string' } } })
if (values.secrets === undefined && values.injection === undefined) {
  console.error('usage: node eval/guard.ts [--secrets FILE.jsonl.gz] [--injection FILE.jsonl.gz]')
  process.exit(2)
}
if (values.secrets !== undefined) await measureSecrets(values.secrets)
if (values.injection !== undefined) await measureInjection(values.injection)
process.exitCode = missed.length > 0 ? 1 : 0
