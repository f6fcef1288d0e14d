import { decayed } from '../../lifecycle/decay.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Core } from '../core.ts'

/**
 * Outcomes with the memories by id, and without the words of any memory: the note outlives them, and a purge that erases a memory must
 * leave nothing of it.
 */
export function toNote(outcomes: readonly Outcome[]): string {
  return JSON.stringify(
    outcomes.map((outcome) => ({
      ...outcome,
      content: '',
      reason: withoutQuotes(outcome.reason),
      memory: 'memory' in outcome ? (outcome.memory?.id ?? null) : null,
      ...('weakened' in outcome ? { weakened: outcome.weakened.map((each) => ({ ...each, content: '' })) } : {}),
    })),
  )
}

/** A reason without the words that it quotes, for what is kept longer than they are. */
export function withoutQuotes(reason: string): string {
  return reason.replace(/“[^”]*”/g, '“…”')
}

export async function fromNote({ storage, attempt, now }: Core, note: string): Promise<Outcome[]> {
  const told = JSON.parse(note) as (Outcome & { memory: string | null })[]
  const ids = told.flatMap(({ memory }) => memory ?? [])
  const found = ids.length === 0 ? [] : await attempt(() => storage.get(ids))
  const byId = new Map(found.map(({ memory }) => [memory.id, decayed(memory, now())]))
  return told.map((outcome): Outcome => {
    const memory = outcome.memory === null ? null : (byId.get(outcome.memory) ?? null)
    const { content, category, service, redactions, flags } = outcome
    const about = { content, category, service, redactions, flags }
    if (outcome.kind === 'refuse') return { kind: 'refuse', reason: outcome.reason, ...about }
    if (memory !== null) return { ...outcome, content: memory.content, memory } as Outcome
    return { kind: 'duplicate', reason: 'this was remembered before, and deleted since', ...about, memory: null }
  })
}
