import { escapeTerminal } from '../guard/escape.ts'
import { REQUIRED_IDENTIFIER } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import type { Change } from '../model/records.ts'
import { type Column, paint } from './output.ts'

export const MEMORY_COLUMNS: readonly Column<Memory>[] = [
  { title: 'ID', value: (memory) => memory.id, style: () => 'dim' },
  { title: 'WHERE', value: place, style: () => 'cyan' },
  { title: 'CATEGORY', value: (memory) => memory.category },
  { title: 'SERVICE', value: (memory) => memory.service ?? '-' },
  { title: 'CONF', value: (memory) => memory.confidence.toFixed(2), align: 'right' },
  { title: 'CONTENT', value: describe, style: (memory) => (memory.active ? null : 'dim') },
]

/** `project shop`, and for what an agent learned in one project `agent miso in shop`. */
export function place({ layer, identifiers }: Memory): string {
  const owner = `${layer} ${identifiers[REQUIRED_IDENTIFIER[layer]] ?? '?'}`
  const within = layer === 'agent' || layer === 'task' || layer === 'section' ? identifiers.projectId : undefined
  return within === undefined ? owner : `${owner} in ${within}`
}

function describe(memory: Memory): string {
  return memory.active ? memory.content : `(inactive) ${memory.content}`
}

/** Every field of one memory, a line each. */
export function formatMemory(memory: Memory): string {
  const fields: [string, string | null][] = [
    ['id', memory.id],
    ['where', place(memory)],
    ['category', memory.category],
    ['service', memory.service ?? 'general'],
    ['tags', memory.tags.join(', ')],
    ['confidence', `${memory.confidence.toFixed(2)}${memory.active ? '' : ', inactive'}`],
    ['importance', String(memory.importance)],
    ['source', memory.tier === 0 ? memory.source : `${memory.source}, tier ${memory.tier}`],
    ['session', memory.session],
    ['anchor', memory.anchor],
    ['metadata', Object.keys(memory.metadata).length === 0 ? null : JSON.stringify(memory.metadata)],
    ['recalled', memory.lastRecalledAt && `${memory.recallCount} times, last ${memory.lastRecalledAt}`],
    ['created', memory.createdAt],
    ['updated', `${memory.updatedAt} (version ${memory.version})`],
    ['expires', memory.expiresAt],
  ]
  const lines = fields
    .filter(([, value]) => value)
    .map(([name, value]) => `${paint('dim', name.padEnd(10))}  ${escapeTerminal(value!)}`)
  return [...memory.content.split('\n').map((line) => paint('bold', escapeTerminal(line))), '', ...lines].join('\n')
}

/** One line a change: when, what, by whom, and which fields. */
export function formatChange({ version, operation, at, by, before, after }: Change<Memory>): string {
  const changed =
    before && after
      ? Object.keys(after).filter(
          (key) =>
            key !== 'version' &&
            key !== 'updatedAt' &&
            JSON.stringify(before[key as keyof Memory]) !== JSON.stringify(after[key as keyof Memory]),
        )
      : []
  const what = changed.length === 0 ? operation : `${operation} ${changed.join(', ')}`
  return `${paint('dim', at)}  v${version}  ${what} ${paint('dim', `by ${escapeTerminal(by)}`)}`
}
