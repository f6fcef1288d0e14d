import type { Fleet } from '../../../engine/fleet.ts'
import type { MemoryStanding } from '../../../engine/standings.ts'
import { fleetWithoutRemoved } from '../demo/demo-data.ts'
import { type Range, sinceOf } from '../range.tsx'
import { byId, type View } from '../view.ts'

/** Runs whose memories are counted: this limits how long the page takes to load. */
const MOST_RUNS = 300

/** Who ran, what they learned and who read it. */
export async function readFleet(view: View, range: Range, agent?: string): Promise<Fleet> {
  const since = sinceOf(range)
  const asked = { limit: MOST_RUNS, ...(since === null ? {} : { since }), ...(agent === undefined ? {} : { agent }) }
  return fleetWithoutRemoved(view, await view.own.fleet(asked))
}

/** The memories that a fleet names. Those that were deleted since are left out. */
export async function readNamed(
  view: View,
  named: readonly { memory: string }[],
): Promise<Map<string, MemoryStanding>> {
  const ids = [...new Set(named.map(({ memory }) => memory))]
  if (ids.length === 0) return new Map()
  const { standings } = await byId(view).standings({ ids })
  return new Map(standings.map((standing) => [standing.memory.id, standing]))
}
