import type { MemoryStanding } from '../../../engine/standings.ts'
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
  /** Its current state, or its last one if it was deleted. */
  memory: Memory
  isDeleted: boolean
  /** Its current standing; undefined for a deleted one. */
  standing: MemoryStanding | undefined
  changes: Change[]
  /** The agent of the run that recorded it. */
  author: string | null
  decided: Decisions
  links: { relation: Link['relation']; id: string; memory: Memory | null }[]
  /** Runs that were shown it, the latest first. */
  runs: { at: string; id: string; session: Session | null }[]
  furtherRuns: number
  /** The outcomes of those runs; undefined for a deleted one. */
  usefulness: MemoryUsefulness | undefined
}

/** Everything known about a memory; null if it never existed, or the caller may not see it. */
export async function readMemory(view: View, id: string): Promise<MemoryDetail | null> {
  const own = byId(view)
  const [current, { changes }, { injections }, [usefulness], { standings }] = await Promise.all([
    own.get(id),
    own.history(id, { limit: MOST_CHANGES }),
    own.injections({ memory: id, limit: LIMITS.pageLimit }),
    own.usefulness([id]),
    own.standings({ ids: [id] }),
  ])
  const memory = current ?? changes.findLast(({ after }) => after !== null)?.after ?? null
  if (!memory) return null
  // In display order: the last time that a run was shown it counts.
  const shown = [...new Map(injections.map(({ session, at }) => [session, at]))].reverse()
  const [decided, origin, links, runs] = await Promise.all([
    own.decisions(id),
    memory.session === null ? null : own.session(memory.session),
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
    standing: current === null ? undefined : standings[0],
    changes,
    author: origin?.agent ?? null,
    decided,
    links,
    runs,
    furtherRuns: shown.length - runs.length,
    usefulness,
  }
}
