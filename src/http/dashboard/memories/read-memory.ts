import type { MemoryUsefulness } from '../../../engine/usefulness.ts'
import type { Decisions } from '../../../model/decision.ts'
import { LIMITS } from '../../../model/limits.ts'
import type { Link, Memory } from '../../../model/memory.ts'
import type { Change, Session } from '../../../model/records.ts'
import { byId, type View } from '../view.ts'

const MOST_RUNS = 12
const MOST_LINKS = 20
const MOST_CHANGES = 200

export interface MemoryDetail {
  /** As it is, or, deleted, as it last was. */
  memory: Memory
  isDeleted: boolean
  changes: Change[]
  decided: Decisions
  links: { relation: Link['relation']; id: string; memory: Memory | null }[]
  /** Runs that were shown it, the latest first. */
  runs: { at: string; id: string; session: Session | null }[]
  furtherRuns: number
  /** How those ended; undefined for a deleted one. */
  usefulness: MemoryUsefulness | undefined
}

/** Everything that is known of a memory; null when it never was, or is not for the caller. */
export async function readMemory(view: View, id: string): Promise<MemoryDetail | null> {
  const own = byId(view)
  const [current, { changes }, { injections }, [usefulness]] = await Promise.all([
    own.get(id),
    own.history(id, { limit: MOST_CHANGES }),
    own.injections({ memory: id, limit: LIMITS.pageLimit }),
    own.usefulness([id]),
  ])
  const memory = current ?? changes.findLast(({ after }) => after !== null)?.after ?? null
  if (!memory) return null
  // In the order shown: the last time that a run was shown it counts.
  const shown = [...new Map(injections.map(({ session, at }) => [session, at]))].reverse()
  const [decided, links, runs] = await Promise.all([
    own.decisions(id),
    Promise.all(
      memory.links
        .slice(0, MOST_LINKS)
        .map(async (link) => ({ relation: link.relation, id: link.memory, memory: await own.get(link.memory) })),
    ),
    Promise.all(
      shown
        .slice(0, MOST_RUNS)
        .map(async ([session, at]) => ({ id: session, at, session: await own.session(session) })),
    ),
  ])
  return {
    memory,
    isDeleted: current === null,
    changes,
    decided,
    links,
    runs,
    furtherRuns: shown.length - runs.length,
    usefulness,
  }
}
