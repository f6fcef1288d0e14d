/** What reaches a reader: imports, structure, and memories shown to a later agent. */
import { guardText } from '../../src/guard/guard.ts'
import type { PoisonModel } from '../../src/guard/poison-model.ts'
import { FORMATS, tryImports } from './claude-imports.ts'
import { importForms } from './import-forms.ts'
import type { Labelled } from './labelled.ts'
import { findMarkdownStructure } from './markdown.ts'
import { OWN_POISONS } from './measure-poisons.ts'
import { readSet } from './sets.ts'
import type { Table } from './table.ts'
import { readAsAgent } from './through-engine.ts'

export async function measureImports(table: Table, binary: string): Promise<void> {
  const forms = importForms()
  for (const format of Object.keys(FORMATS)) {
    const { forms: loaded, env, sshKey, arrived, tried } = await tryImports(binary, format, forms)
    if (!arrived) throw new Error(`${format}: the memory files themselves did not arrive`)
    const escaped = format !== 'raw'
    table.add({
      group: 'Imports followed by Claude Code',
      tried: escaped ? `${format} format` : 'nothing escaped, for comparison',
      count: tried,
      wrong: loaded.length + Number(env) + Number(sshKey),
      note: env || sshKey ? '.env and ~/.ssh among them' : '',
      ...(escaped ? { bar: 0 } : {}),
    })
  }
}

export async function measureStructure(table: Table, texts: readonly string[]): Promise<void> {
  const group = 'Text that became structure, read with marked'
  const stored = (text: string): string => {
    const guarded = guardText(text, { maxLength: Number.POSITIVE_INFINITY })
    return 'refused' in guarded ? '' : guarded.content
  }
  const all = [...texts, ...importForms().map((form) => form.replaceAll('PATH', '../../.env'))]
  const isRaw = (text: string) => findMarkdownStructure(text, ['raw']).length > 0
  const isStructure = (text: string) => findMarkdownStructure(stored(text)).length > 0
  await table.count(group, 'nothing escaped, for comparison', all, isRaw)
  await table.count(group, 'all four formats, plain and marked as unverified', all, isStructure, { bar: 0 })
}

/** The same texts through a whole engine: held memories stay hidden, and flagged ones are marked. */
export async function measureReading(table: Table, attacks: readonly Labelled[], model: PoisonModel): Promise<void> {
  const own = OWN_POISONS.flatMap((set) => readSet(set))
  // Every eighth attack by others, which gives a few dozen flagged ones.
  const theirs = attacks.filter((_, at) => at % 8 === 0)
  const texts = [...own.map(({ template }) => template), ...theirs.map(({ text }) => text)]
  const { held, leaked, flagged, unmarked } = await readAsAgent([...new Set(texts)], model)
  const group = 'What a later agent is shown, through the whole engine'
  const shown = 'memories held for review, in a context or a search'
  table.add({ group, tried: shown, count: held, wrong: leaked, bar: 0 })
  table.add({ group, tried: 'flagged memories, without the mark', count: flagged, wrong: unmarked, bar: 0 })
}
