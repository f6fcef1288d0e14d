/**
 * Measures what gets past the guard:
 *
 *   nokosu eval guard [--data FILE_OR_FOLDER ...] [--json]
 *   node eval/guard.ts --all --data FILE ... --claude BINARY --write docs/security-figures.md
 *
 * Without `--data`, and with `--all`, the sets of `eval/guard` are measured. The files of `--data` are JSON lines, plain or gzipped, each
 * recognised by its first row: notes `{text, label: poison|honest, kind, lang}` or memories `{content}`, counted as held or marked; lines of
 * others `{text, label, source}`, where 1 is a secret (with a `rule`) or an attack; honest notes `{memory}` or `{a, b}`. Poisons are judged
 * by rules and model, as in the engine. With `--claude` the import forms go through the real Claude Code. `--write` puts the table into a
 * page, between its markers. Exits 1 when a bar is missed.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { localPoisonModel } from '../src/guard/poison-model.ts'
import { kindOf, readLabelled, readNotes } from './guard/labelled.ts'
import { measureData } from './guard/measure-data.ts'
import { asking, PoisonMeasure } from './guard/measure-poisons.ts'
import { measureCleanNotes, measureLabelledSecrets, measureOwnSecrets } from './guard/measure-secrets.ts'
import { measureImports, measureReading, measureStructure } from './guard/measure-shown.ts'
import { Table } from './guard/table.ts'
import { isMissed } from './interval.ts'
import { type Group, printReport } from './report.ts'

const BEGIN = '<!-- table: node eval/guard.ts --write -->'
const END = '<!-- end of table -->'

const { values } = parseArgs({
  options: {
    data: { type: 'string', multiple: true, default: [] },
    all: { type: 'boolean', default: false },
    claude: { type: 'string' },
    write: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const files = Map.groupBy(values.data.flatMap(filesIn), kindOf)
const own = values.all || values.data.length === 0
const table = new Table()
const local = localPoisonModel()
const model = asking(local)
const poisons = new PoisonMeasure(table, model)
const attacks = (await Promise.all((files.get('attacks') ?? []).map(readLabelled))).flat()
const notes = await readNotes(files.get('notes') ?? [])
const progress = (done: string) => console.error(done)

if (own) await measureOwnSecrets(table)
for (const path of files.get('secrets') ?? []) await measureLabelledSecrets(table, await readLabelled(path))
if (notes.length > 0) await measureCleanNotes(table, notes)
progress('secrets')
if (values.claude !== undefined) await measureImports(table, resolve(values.claude))
if (own) {
  await measureStructure(
    table,
    attacks.map(({ text }) => text),
  )
  progress('structure')
  await poisons.own()
  progress('poisons')
  const harmful = attacks.filter(({ label }) => label === 1)
  await measureReading(table, harmful, model)
}
if (notes.length > 0) await poisons.notes(notes)
await poisons.injection(attacks)
const labelled = files.get('labelled') ?? []
const given = labelled.length === 0 ? null : await measureData(labelled, local)
const groups: Group[] = [...table.toGroups(), ...(given?.groups ?? [])]
await local.close()

const scoring =
  'Each line goes through the rules and the model of the guard, as in the engine; what is counted is what went wrong, with a bar on how much may. A poison is caught if it is held for review or marked as unverified.'
printReport({ eval: 'guard', scoring, groups, ...(given && { leftOut: given.leftOut }) }, values.json)
if (values.write !== undefined) {
  const page = readFileSync(values.write, 'utf8')
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (before < 0 || after < before) throw new Error(`${values.write} has no place for the table: ${BEGIN} ... ${END}`)
  writeFileSync(values.write, `${page.slice(0, before + BEGIN.length)}\n${table.toMarkdown()}\n${page.slice(after)}`)
}
const missed = groups.flatMap(({ name, figures }) =>
  figures.filter(isMissed).map((figure) => `${name}: ${figure.name}`),
)
for (const each of missed) console.error(`bar missed: ${each}`)
process.exitCode = missed.length > 0 ? 1 : 0

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .map((name) => join(path, name))
    .filter((file) => /\.jsonl(?:\.gz)?$/.test(file))
}
