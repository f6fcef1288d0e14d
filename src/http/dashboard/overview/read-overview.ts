import type { Fleet } from '../../../engine/fleet.ts'
import { fadesSoon, visibleUntil } from '../../../lifecycle/decay.ts'
import { LIMITS } from '../../../model/limits.ts'
import type { Memory } from '../../../model/memory.ts'
import type { Tally } from '../../../storage/tally.ts'
import { readFleet } from '../fleet/read-fleet.ts'
import type { HeldBack } from '../held-back.ts'
import type { Range } from '../range.tsx'
import { DAY_MS, tallyOf } from '../tally.ts'
import type { View } from '../view.ts'

/** Fading memories are listed this many days ahead. */
const AHEAD = 60

export interface Fading {
  memory: Memory
  at: string
}

/** What a person should look at; null if this caller may not see it. */
export interface Attention {
  held: number
  disputed: number
  unverified: number
  /** Memories that are hidden within two weeks; at most {@link LIMITS.listLimit} are counted. */
  fading: number
  pending: number | null
}

export interface Overview {
  tally: Tally
  fleet: Fleet
  newest: Memory[]
  fading: Fading[]
  attention: Attention
}

const NEWEST = 8

export async function readOverview(view: View, range: Range): Promise<Overview> {
  const { own, parts } = view
  const [tally, fleet, newest, fading, contradicted, unverified, held] = await Promise.all([
    tallyOf(view),
    readFleet(view, range),
    own.list({ limit: NEWEST, includeInactive: true }),
    fadingNext(view, LIMITS.listLimit),
    own.standings(),
    own.list({ limit: 1, trust: ['flagged'] }),
    heldBack(view),
  ])
  const now = new Date()
  const attention = {
    held: tally.held,
    disputed: contradicted.standings.filter(({ state }) => state === 'disputed').length,
    unverified: unverified.totalCount,
    fading: fading.filter(({ memory }) => fadesSoon(memory, now, parts.memory.settings.decay)).length,
    pending: held === null ? null : pendingIn(held),
  }
  return { tally, fleet, newest: newest.memories, fading, attention }
}

/** Only callers who may see the whole store see the state of this machine. */
export async function heldBack({ access, parts }: View): Promise<HeldBack | null> {
  return access.may('admin') && parts.heldBack ? parts.heldBack() : null
}

/** Runs whose writes no store has accepted yet. */
function pendingIn({ spool }: HeldBack): number {
  return spool.filter(({ state }) => state === 'waits' || state === 'set aside').length
}

export async function fadingNext({ own, parts }: View, limit: number): Promise<Fading[]> {
  const { memories } = await own.list({ limit, sort: 'fading' })
  const { decay } = parts.memory.settings
  const until = new Date(Date.now() + AHEAD * DAY_MS).toISOString()
  return memories.map((memory) => ({ memory, at: visibleUntil(memory, decay) })).filter(({ at }) => at < until)
}
