import { describeDispute, mergeVoices, type Standing, standsBeside } from '../lifecycle/belief.ts'
import { decayed } from '../lifecycle/decay.ts'
import { decisionsOf, settledBeside } from '../lifecycle/decisions.ts'
import { leavesPart } from '../lifecycle/parts.ts'
import type { Identifiers } from '../model/layer.ts'
import { isVisible, type Link, type Memory } from '../model/memory.ts'
import type { Beliefs, Correction } from '../recall/corrections.ts'
import { isTaskRejection } from '../recall/merge-lessons.ts'
import { escapeContent } from '../recall/render-block.ts'
import { shortenAtWord } from '../text/shorten.ts'
import { readerOf } from './claim.ts'
import type { Core } from './core.ts'

/** Characters quoted from another memory in a dispute note. */
const MOST_QUOTED = 100

/**
 * A memory contradicted by a clearly stronger one is hidden, so that the reader need not choose. If neither is, both
 * are shown as disputed. Repeats in other categories or layers count too; an operator's repeat counts as the operator's word.
 */
export function leaveOutCorrected(
  memories: readonly Memory[],
  now: Date,
  active: readonly Memory[] = memories,
): { kept: Memory[]; corrected: Correction[]; repeated: Correction[]; disputed: Map<string, string> } {
  const others = new Map(active.map((memory) => [memory.id, memory]))
  const opponents = linkedAmong(active, CONTRADICTIONS)
  const alike = linkedAmong(active, CONFIRMATIONS)
  const speakerFor = (memory: Memory) => {
    if (memory.trust === 'operator') return memory
    const saying = [...(alike.get(memory.id) ?? [])].flatMap((id) => others.get(id) ?? [])
    const heard = saying.filter(({ trust }) => trust !== 'flagged' || memory.trust === 'flagged')
    const metadata = mergeVoices(memory, ...heard)
    return saying.find(({ trust }) => trust === 'operator') ?? { ...memory, metadata }
  }
  const kept: Memory[] = []
  const corrected: Correction[] = []
  const disputed = new Map<string, string>()
  for (const memory of memories) {
    const opposed = [...(opponents.get(memory.id) ?? [])].flatMap((id) => others.get(id) ?? [])
    const standings = opposed.map((other) => {
      const [one, two] =
        settledBeside(memory, other) === null && settledBeside(other, memory) === null
          ? [speakerFor(memory), speakerFor(other)]
          : [memory, other]
      // An operator's statement that agrees with both sides supports neither.
      const [own, against] = one.id === two.id ? [memory, other] : [one, two]
      return { own, other: against, standing: standingBeside(own, against, now) }
    })
    const by = standings.find(({ standing }) => standing === 'loses')?.other
    if (by !== undefined) {
      corrected.push({ id: memory.id, by: by.id })
      continue
    }
    kept.push(memory)
    const open = standings.find(({ standing }) => standing === 'disputed')
    if (open === undefined) continue
    const quoted = escapeContent(shortenAtWord(open.other.content, MOST_QUOTED))
    disputed.set(memory.id, describeDispute(open.own, open.other, quoted))
  }
  const once = sayOnce(kept)
  return { ...once, corrected, disputed }
}

/** A correction of a note with several parts only affects the part it mentions, unless it quotes the note. The note stays visible. */
function standingBeside(memory: Memory, other: Memory, now: Date): Standing {
  const standing = standsBeside(memory, other, now)
  if (standing !== 'loses' || isQuotedBy(memory, other)) return standing
  return leavesPart(memory.content, other.content) ? 'disputed' : standing
}

function isQuotedBy(memory: Memory, other: Memory): boolean {
  const made = decisionsOf(other, other.version)
  return (
    typeof other.metadata.was === 'string' || made.some((each) => each.kind === 'corrects' && each.other === memory.id)
  )
}

/**
 * Of memories that say the same in several categories or layers, the operator's is shown, otherwise the most confident, then the oldest. Reasons
 * for rejections are counted where they are shown.
 */
function sayOnce(memories: readonly Memory[]): { kept: Memory[]; repeated: Correction[] } {
  const statements = memories.filter((memory) => !isTaskRejection(memory))
  const ids = new Set(statements.map(({ id }) => id))
  const repeated = new Map<string, string>()
  const spoken = ({ trust }: Memory) => Number(trust === 'operator')
  const surestFirst = statements.toSorted(
    (a, b) => spoken(b) - spoken(a) || b.confidence - a.confidence || (a.id < b.id ? -1 : 1),
  )
  const linked = linkedAmong(statements, CONFIRMATIONS)
  for (const { id } of surestFirst) {
    if (repeated.has(id)) continue
    for (const other of linked.get(id) ?? []) if (ids.has(other) && !repeated.has(other)) repeated.set(other, id)
  }
  return {
    kept: memories.filter(({ id }) => !repeated.has(id)),
    repeated: [...repeated].map(([id, by]) => ({ id, by })),
  }
}

/** The same for search results, whose opponents may not be among them: those are read in one batch. */
export async function readCorrected(
  core: Core,
  who: Identifiers | null,
  now: Date,
  found: readonly Memory[],
): Promise<Beliefs> {
  const known = new Set(found.map(({ id }) => id))
  const read = async (links: readonly string[]) => {
    const ids = new Set(links).difference(known)
    for (const id of ids) known.add(id)
    return ids.size === 0 ? [] : core.attempt(() => core.storage.get([...ids]))
  }
  const linked = await read(found.flatMap((memory) => linksOf(memory, BELIEFS)))
  // An operator may have said the same as an opponent.
  const others = [...linked, ...(await read(linked.flatMap(({ memory }) => linksOf(memory, CONFIRMATIONS))))]
  const mayRead = others.length === 0 ? () => false : await readerOf(core, who)
  const readable = others.map(({ memory }) => memory).filter(mayRead)
  const active = [...found, ...readable]
    .map((memory) => decayed(memory, now, core.settings.decay))
    .filter((memory) => isVisible(memory, now))
  const { corrected, repeated, disputed } = leaveOutCorrected(found, now, active)
  const byId = (some: readonly Correction[]) => new Map(some.map(({ id, by }) => [id, by]))
  return { corrected: byId(corrected), repeated: byId(repeated), disputed }
}

const CONTRADICTIONS: ReadonlySet<Link['relation']> = new Set(['contradicts', 'contradictedBy'])
const CONFIRMATIONS: ReadonlySet<Link['relation']> = new Set(['confirms', 'confirmedBy'])
const BELIEFS = CONTRADICTIONS.union(CONFIRMATIONS)

function linksOf({ links }: Memory, relations: ReadonlySet<Link['relation']>): string[] {
  return links.flatMap(({ relation, memory }) => (relations.has(relation) ? [memory] : []))
}

/** Links in both directions: between layers only the later memory stores the link. */
function linkedAmong(memories: readonly Memory[], relations: ReadonlySet<Link['relation']>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  const add = (one: string, other: string) => found.set(one, (found.get(one) ?? new Set()).add(other))
  for (const { id, links } of memories) {
    for (const { relation, memory } of links) {
      if (!relations.has(relation)) continue
      add(id, memory)
      add(memory, id)
    }
  }
  return found
}
