import { LIMITS } from '../../model/limits.ts'
import type { Memory } from '../../model/memory.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Core } from '../core.ts'
import type { Prepared } from './prepare.ts'

/** What became of a candidate, and whether its embedding had to be made. */
export interface Decided {
  outcome: Outcome
  embeddingGenerated: boolean
}

export function decidedOf(outcome: Outcome, prepared: Prepared): Decided {
  return { outcome, embeddingGenerated: 'clean' in prepared && prepared.clean.embeddingGenerated }
}

/** A decision as it is kept: the memory by its id and version. */
type Noted = Omit<Outcome, 'memory'> & { memory?: string | null; version?: number; embeddingGenerated?: boolean }

/**
 * Decisions with the memories by id, and without the words of any memory: the note outlives them, and a purge that erases a memory must
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

/** A reason without the words that it quotes, for what is kept longer than they are. */
export function withoutQuotes(reason: string): string {
  return reason.replace(/“[^”]*”/g, '“…”')
}

/** The same answer as the first time, whatever became of the memories since, as long as their history is there. */
export async function fromNote(core: Core, note: string): Promise<Decided[]> {
  const noted = JSON.parse(note) as Noted[]
  return Promise.all(
    noted.map(async ({ version, embeddingGenerated = false, ...outcome }): Promise<Decided> => {
      // Refused, or held before and not for the caller to see.
      if (typeof outcome.memory !== 'string') return { outcome: outcome as Outcome, embeddingGenerated }
      const memory = await stateOf(core, outcome.memory, version)
      if (memory !== null)
        return { outcome: { ...outcome, content: memory.content, memory } as Outcome, embeddingGenerated }
      const { content, category, service, redactions, flags } = outcome
      const about = { content, category, service, redactions, flags }
      const reason = 'this was remembered before, and deleted since'
      return { outcome: { kind: 'duplicate', reason, ...about, memory: null }, embeddingGenerated }
    }),
  )
}

/** A memory as it was in this version; of a note that does not say which, as it is now. */
async function stateOf({ storage, attempt }: Core, id: string, version: number | undefined): Promise<Memory | null> {
  if (version === undefined) return (await attempt(() => storage.get([id])))[0]?.memory ?? null
  const limit = version === 1 ? 1 : LIMITS.pageLimit
  const { items } = await attempt(() => storage.changes({ memory: id, after: null, limit }))
  return items.find((change) => change.version === version)?.after ?? null
}
