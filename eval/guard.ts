/**
 * What was tried against the guard, and what got through:
 *
 *   node eval/guard.ts --secrets FILE.gz --injection FILE.gz --notes FILE --claude BINARY --write docs/security.md
 *
 *   node eval/guard.ts --data FILE...
 *
 * `--data` measures labelled notes alone (`{text, label: poison|honest, kind, lang, twin}`, or memories `{content}`): what is held, what is
 * marked, with intervals and the processor's time.
 *
 * The sets of `eval/guard` are always measured; the files add labelled lines of others (`{text, label, source}`, where 1 is a secret or an
 * attack) and honest notes (`{memory}` or `{a, b}`), as JSON lines, plain or gzipped. Poisons are judged by rules and model, as in the engine. With
 * `--claude` the import forms go through the real Claude Code. `--write` puts the table into a page, between its markers. Exits 1 when a
 * bar is missed.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { localPoisonModel } from '../src/guard/poison-model.ts'
import { readLabelled, readNotes } from './guard/labelled.ts'
import { measureData } from './guard/measure-data.ts'
import { asking, PoisonMeasure } from './guard/measure-poisons.ts'
import { measureCleanNotes, measureLabelledSecrets, measureOwnSecrets } from './guard/measure-secrets.ts'
import { measureImports, measureReading, measureStructure } from './guard/measure-shown.ts'
import { Table } from './guard/table.ts'

const BEGIN = '<!-- table: node eval/guard.ts --write -->'
const END = '<!-- end of table -->'

const { values } = parseArgs({
  options: {
    secrets: { type: 'string' },
    injection: { type: 'string' },
    notes: { type: 'string', multiple: true },
    claude: { type: 'string' },
    write: { type: 'string' },
    data: { type: 'string', multiple: true },
  },
})
const table = new Table()
const local = localPoisonModel()
if (values.data !== undefined) {
  console.table(await measureData(values.data, local))
  await local.close()
  process.exit()
}
const model = asking(local)
const poisons = new PoisonMeasure(table, model)
const attacks = values.injection === undefined ? [] : await readLabelled(values.injection)
const notes = await readNotes(values.notes ?? [])

await measureOwnSecrets(table)
if (values.secrets !== undefined) await measureLabelledSecrets(table, await readLabelled(values.secrets))
if (notes.length > 0) await measureCleanNotes(table, notes)
if (values.claude !== undefined) await measureImports(table, resolve(values.claude))
const texts = attacks.map(({ text }) => text)
await measureStructure(table, texts)
await poisons.own()
const harmful = attacks.filter(({ label }) => label === 1)
await measureReading(table, harmful, model)
if (notes.length > 0) await poisons.notes(notes)
await poisons.injection(attacks)
await local.close()

const markdown = table.toMarkdown()
console.log(markdown)
if (values.write !== undefined) {
  const page = readFileSync(values.write, 'utf8')
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (before < 0 || after < before) throw new Error(`${values.write} has no place for the table: ${BEGIN} ... ${END}`)
  writeFileSync(values.write, `${page.slice(0, before + BEGIN.length)}\n${markdown}\n${page.slice(after)}`)
}
const missed = table.missed()
for (const { group, tried } of missed) console.error(`bar missed: ${group}: ${tried}`)
process.exitCode = missed.length > 0 ? 1 : 0
