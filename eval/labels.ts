/**
 * Measures how different labels affect admission: `node eval/labels.ts [STORE.jsonl]`. Each note is compared with a project's memories through the engine: with
 * matching labels, with another category, without a service, with both, and with the service spelled differently. Counts the
 * corrections and repeats that hit the right memory, and notes that hit a wrong one. Lines as for `eval/relations.ts --store`, known ones with
 * `category` and `service`. Exits 1 when a bar is missed.
 */
import { join } from 'node:path'
import { openMemory } from '../src/engine/open-memory.ts'
import { OPERATIONAL_CATEGORIES, type OperationalCategory } from '../src/model/categories.ts'
import type { Outcome } from '../src/model/outcome.ts'
import { referenceStorage } from '../src/storage/reference/reference-storage.ts'
import { readStore, type StoreRow } from './relations/read-rows.ts'

interface Labels {
  category: OperationalCategory
  service: string | null
}
type Known = Extract<StoreRow, { kind: 'known' }>

const next = (category: OperationalCategory): OperationalCategory =>
  OPERATIONAL_CATEGORIES[(OPERATIONAL_CATEGORIES.indexOf(category) + 1) % OPERATIONAL_CATEGORIES.length]!
const FORCED: Record<string, (labels: Labels) => Labels> = {
  'labels match': (labels) => labels,
  'every category different': ({ category, service }) => ({ category: next(category), service }),
  'service left out': ({ category }) => ({ category, service: null }),
  both: ({ category }) => ({ category: next(category), service: null }),
  'another spelling': ({ category, service }) => ({
    category,
    service: service?.toUpperCase().replace(/-/g, '_') ?? null,
  }),
}
/** Out of twenty. */
const LEAST = 17 / 20

const file = process.argv[2] ?? join(import.meta.dirname, 'relations', 'labels.jsonl')
const rows = readStore(file)
const known = rows.filter((row): row is Known => row.kind === 'known')
const notes = rows.filter((row) => row.kind === 'new')
const memory = await openMemory({ storage: referenceStorage() })
const target = { identifiers: { projectId: 'p' } }
const labelsOf = (text: string | null, i: number): Labels => {
  const row = known.find((one) => one.text === text) ?? known[i % known.length]!
  return {
    category: row.category ?? OPERATIONAL_CATEGORIES[i % OPERATIONAL_CATEGORIES.length]!,
    service: row.service ?? null,
  }
}
// Stored exactly, because they must not be compared with each other.
const textOf = new Map<string, string>()
for (const [i, { text }] of known.entries()) {
  const added = await memory.add({ content: text, ...labelsOf(text, i), layer: 'project', ...target, exact: true })
  textOf.set(added.memory!.id, text)
}

let missed = false
let wrongToday: number | null = null
for (const [name, force] of Object.entries(FORCED)) {
  const found = { corrections: 0, repeats: 0, wrong: 0 }
  const worst: string[] = []
  const all = { corrections: 0, repeats: 0 }
  for (const [i, note] of notes.entries()) {
    const candidate = { content: note.text, ...force(labelsOf(note.of, i)) }
    const [outcome] = await memory.remember([candidate], { ...target, session: `s${i}`, dryRun: true })
    const hits = hitsOf(outcome!)
    const wanted = note.relation === 'contradiction' ? 'corrections' : note.relation === 'same' ? 'repeats' : null
    if (wanted !== null) {
      all[wanted]++
      if (hits.some(({ text, kind }) => text === note.of && kind === wanted)) found[wanted]++
      else worst.push(`missed: ${note.text}`)
    }
    const wrong = hits.filter(({ text, kind }) => text !== note.of || kind !== wanted)
    if (wrong.length > 0) found.wrong++
    worst.push(...wrong.map(({ text, kind }) => `wrong ${kind}: ${note.text} | ${text}`))
  }
  wrongToday ??= found.wrong
  const isMissed =
    found.corrections < LEAST * all.corrections || found.repeats < LEAST * all.repeats || found.wrong > wrongToday
  missed ||= isMissed
  console.log(
    `${name.padEnd(26)} corrections ${found.corrections} of ${all.corrections}, repeats ${found.repeats} of ${all.repeats}, wrong ${found.wrong} of ${notes.length}${isMissed ? '  MISSED' : ''}`,
  )
  for (const line of worst) console.log(`  ${line}`)
}
await memory.shutdown()
process.exitCode = missed ? 1 : 0

/** The memories that a note would weaken, reinforce or be linked with. */
function hitsOf(outcome: Outcome): { text: string; kind: 'corrections' | 'repeats' }[] {
  const weakened = 'weakened' in outcome ? outcome.weakened : []
  const links = outcome.kind === 'insert' || outcome.kind === 'contradict' ? (outcome.memory?.links ?? []) : []
  const linked = links.flatMap(({ relation, memory: id }) => (relation === 'confirms' ? (textOf.get(id) ?? []) : []))
  const same = outcome.kind === 'reinforce' ? [outcome.memory.content] : linked
  return [
    ...weakened.map(({ content }) => ({ text: content, kind: 'corrections' as const })),
    ...same.map((text) => ({ text, kind: 'repeats' as const })),
  ]
}
