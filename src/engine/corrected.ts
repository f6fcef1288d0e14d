import { describeDispute, standsBeside } from '../lifecycle/belief.ts'
import { decayed } from '../lifecycle/decay.ts'
import type { Identifiers } from '../model/layer.ts'
import { isVisible, type Memory } from '../model/memory.ts'
import type { Beliefs, Correction } from '../recall/corrections.ts'
import { escapeContent } from '../recall/render-block.ts'
import { shortenAtWord } from '../text/shorten.ts'
import { readerOf } from './claim.ts'
import type { Core } from './core.ts'

/** Of what another memory says, in the note of a dispute. */
const MOST_QUOTED = 100

/**
 * A memory that is contradicted by a clearly stronger one is not shown: the reader would have to choose. Where neither is, both
 * are, and say so.
 */
export function leaveOutCorrected(
  memories: readonly Memory[],
  now: Date,
  active: readonly Memory[] = memories,
): { kept: Memory[]; corrected: Correction[]; disputed: Map<string, string> } {
  const others = new Map(active.map((memory) => [memory.id, memory]))
  const kept: Memory[] = []
  const corrected: Correction[] = []
  const disputed = new Map<string, string>()
  for (const memory of memories) {
    const opposed = opponentsOf(memory).flatMap((id) => others.get(id) ?? [])
    const standings = opposed.map((other) => ({ other, standing: standsBeside(memory, other, now) }))
    const by = standings.find(({ standing }) => standing === 'loses')?.other
    if (by !== undefined) {
      corrected.push({ id: memory.id, by: by.id })
      continue
    }
    kept.push(memory)
    const open = standings.find(({ standing }) => standing === 'disputed')?.other
    if (open === undefined) continue
    disputed.set(memory.id, describeDispute(memory, open, escapeContent(shortenAtWord(open.content, MOST_QUOTED))))
  }
  return { kept, corrected, disputed }
}

/** The same for memories found by a search, whose opponents it may not have found: those are read, all at once. */
export async function readCorrected(
  core: Core,
  who: Identifiers | null,
  now: Date,
  found: readonly Memory[],
): Promise<Beliefs> {
  const ids = new Set(found.flatMap(opponentsOf))
  for (const { id } of found) ids.delete(id)
  const others = ids.size === 0 ? [] : await core.attempt(() => core.storage.get([...ids]))
  const mayRead = others.length === 0 ? () => false : await readerOf(core, who)
  const readable = others.map(({ memory }) => memory).filter(mayRead)
  const active = [...found, ...readable]
    .map((memory) => decayed(memory, now))
    .filter((memory) => isVisible(memory, now))
  const { corrected, disputed } = leaveOutCorrected(found, now, active)
  return { corrected: new Map(corrected.map(({ id, by }) => [id, by])), disputed }
}

function opponentsOf({ links }: Memory): string[] {
  return links.flatMap(({ relation, memory }) =>
    relation === 'contradictedBy' || relation === 'contradicts' ? [memory] : [],
  )
}
