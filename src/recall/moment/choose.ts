import type { Memory } from '../../model/memory.ts'
import type { MomentKind } from '../../model/moment.ts'
import { roundDown } from '../../text/round-down.ts'

export interface Policy {
  /** The minimum score. */
  from: number
  /** How much it rises with each line shown since the prompt. */
  rise: number
  /** Maximum number of lines. */
  lines: number
  /** Extra lines if one of them guards the action by name. */
  withGuard?: number
}

/** Scores are scaled so that 0.5 is the threshold for every kind of moment: see `weigh.ts`. */
const LINE = { from: 0.5, rise: 0.005 }

export const POLICIES: Record<MomentKind, Policy> = {
  prompt: { ...LINE, lines: 5 },
  task: { ...LINE, lines: 5 },
  tool: { ...LINE, lines: 2, withGuard: 1 },
  failure: { ...LINE, lines: 2 },
  output: { ...LINE, lines: 2 },
}

/** The best above the threshold, which rises with what has been shown, and the reason for leaving out the others. */
export function choose<Item extends { memory: Memory; score: number; barred?: string; guards?: string }>(
  weighed: readonly Item[],
  { from, rise, lines, withGuard = 0 }: Policy,
  shown: { ids: ReadonlySet<string>; lines: number },
): { chosen: Item[]; left: { item: Item; reason: string }[] } {
  const chosen: Item[] = []
  const left: { item: Item; reason: string }[] = []
  const byScore = weighed.toSorted((a, b) => b.score - a.score || (a.memory.id < b.memory.id ? 1 : -1))
  for (const item of byScore) {
    const room = lines + ([item, ...chosen].some(({ guards }) => guards !== undefined) ? withGuard : 0)
    const line = from + rise * (shown.lines + chosen.length)
    if (shown.ids.has(item.memory.id)) left.push({ item, reason: 'already shown to this session' })
    else if (item.barred !== undefined) left.push({ item, reason: item.barred })
    else if (item.score < line) left.push({ item, reason: `scores ${roundDown(item.score)}, below ${line.toFixed(2)}` })
    else if (chosen.length >= room) left.push({ item, reason: `there is room for ${room} lines at this moment` })
    else chosen.push(item)
  }
  return { chosen, left }
}
