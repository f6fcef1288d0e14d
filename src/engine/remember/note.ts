import { LIMITS } from '../../model/limits.ts'
import type { Memory } from '../../model/memory.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Core } from '../core.ts'
import type { Prepared } from './prepare.ts'

/** The outcome for a candidate, and whether it needed a new embedding. */
export interface Decided {
  outcome: Outcome
  embeddingGenerated: boolean
}

export function decidedOf(outcome: Outcome, prepared: Prepared): Decided {
  return { outcome, embeddingGenerated: 'clean' in prepared && prepared.clean.embeddingGenerated }
}

/** A stored decision: the memory by id and version. */
type Noted = Omit<Outcome, 'memory'> & { memory?: string | null; version?: number; embeddingGenerated?: boolean }

/**
 * Decisions that refer to memories by id and contain none of their words: the note outlives them, and purging a memory must
 * leave nothing of it.
 */
export function toNote(decided: readonly Decided[]): string {
  return JSON.stringify(
    decided.map(({ outcome, embeddingGenerated }) => {
      const memory = 'memory' in outcome ? outcome.memory : null
      return {
        ...outcome,
        content: '',
        reason: withoutQuotes(outcome.reason),
        ...('memory' in outcome ? { memory: memory?.id ?? null } : {}),
        ...(memory === null ? {} : { version: memory.version }),
        ...('weakened' in outcome ? { weakened: outcome.weakened.map((each) => ({ ...each, content: '' })) } : {}),
        embeddingGenerated,
      }
    }),
  )
}

/** A reason without quotations, because it is kept longer than the memories. */
export function withoutQuotes(reason: string): string {
  return reason.replace(/“[^”]*”/g, '“…”')
}

/** The original answer, whatever has become of the memories since, as long as their history exists. */
export async function fromNote(core: Core, note: string): Promise<Decided[]> {
  const noted = JSON.parse(note) as Noted[]
  return Promise.all(
    noted.map(async ({ version, embeddingGenerated = false, ...outcome }): Promise<Decided> => {
      // Refused, or held before and hidden from the caller.
      if (typeof outcome.memory !== 'string') return { outcome: outcome as Outcome, embeddingGenerated }
      const memory = await stateOf(core, outcome.memory, version)
      if (memory !== null)
        return { outcome: { ...outcome, content: memory.content, memory } as Outcome, embeddingGenerated }
      const { content, category, service, redactions, flags } = outcome
      const about = { content, category, service, redactions, flags }
      const reason = 'this was stored before, and has been deleted since'
      return { outcome: { kind: 'duplicate', reason, ...about, memory: null }, embeddingGenerated }
    }),
  )
}

/** A memory as of this version; a note without a version uses the current one. */
async function stateOf({ storage, attempt }: Core, id: string, version: number | undefined): Promise<Memory | null> {
  if (version === undefined) return (await attempt(() => storage.get([id])))[0]?.memory ?? null
  const limit = version === 1 ? 1 : LIMITS.pageLimit
  const { items } = await attempt(() => storage.changes({ memory: id, after: null, limit }))
  return items.find((change) => change.version === version)?.after ?? null
}
