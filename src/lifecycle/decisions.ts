import { createHash } from 'node:crypto'
import type { DecisionKind, SettledAs } from '../model/decision.ts'
import { LIMITS } from '../model/limits.ts'
import { ACTIVE_CONFIDENCE, type JsonObject, type Memory, REVIEW_TAG } from '../model/memory.ts'
import type { Change } from '../model/records.ts'
import { shortenAtWord } from '../text/shorten.ts'
import { standingOf } from './confidence.ts'

/**
 * What was decided about a memory, as the version that the decision led to keeps it. Of another memory it has the id and no words, so that
 * a purge of that memory leaves nothing of it here.
 */
export interface Decision {
  kind: DecisionKind
  /** The other memory of the two, where there is one. */
  other: string | null
  /** What was said, where it became no memory of its own. */
  said: string | null
  reason: string
  /** How sure the relation model was; null where it was not asked. */
  score: number | null
  /** The confidence before and after. */
  from: number
  to: number
  /** Of `undone`: the version whose decision was undone. Of `settled`: what is right. */
  undoes?: number
  as?: SettledAs
}

/** A pair that an operator has settled, as each of the two keeps it. */
interface Settled {
  memory: string | null
  /** Of the other's words: said again, they are recognised without it. */
  words: string
  as: SettledAs
}

/** Where a memory keeps them. Only the last version's decisions stay with it; the history has the others. */
const DECISIONS = 'decisions'
const SETTLED = 'settled'
export const RETRACTED = 'retracted'
const MOST_SAID = 2000
const MOST_SETTLED = 50

/** A reason without the words of memories, for what is kept longer than they are. */
function reasonAlone(reason: string): string {
  return reason.replace(/:? “[^”]*”(?: and “[^”]*”)?/g, '').replace(/ but for .+ and .+$/, ' but for what differs')
}

/** The metadata of the version that these decisions lead to. Those of one batch are of one version. */
export function withDecisions(memory: Memory, version: number, made: readonly Decision[]): JsonObject {
  const before = decisionsOf(memory, version)
  const kept = made.map(({ said, reason, ...rest }) => ({
    ...rest,
    said: said === null ? null : shortenAtWord(said, MOST_SAID),
    reason: reasonAlone(reason),
  }))
  return fitting(memory, { ...memory.metadata, [DECISIONS]: { version, made: [...before, ...kept] } as never })
}

export function decisionsOf({ metadata }: Memory, version: number): Decision[] {
  const kept = metadata[DECISIONS] as { version?: number; made?: Decision[] } | undefined
  return kept?.version === version && Array.isArray(kept.made) ? kept.made : []
}

function fitting(memory: Memory, metadata: JsonObject): JsonObject {
  return JSON.stringify(metadata).length <= LIMITS.metadata ? metadata : memory.metadata
}

/** The decisions of a history, oldest first, each with the version that it led to. */
export function allDecisions(changes: readonly Change[]): (Decision & { version: number })[] {
  return changes.flatMap(({ after, version }) =>
    after === null ? [] : decisionsOf(after, version).map((decision) => ({ ...decision, version })),
  )
}

/** The same of those that stand. */
export function standingDecisions(changes: readonly Change[]): (Decision & { version: number })[] {
  const all = allDecisions(changes)
  // The latest first: what undid a decision may have been undone itself.
  const undone = new Set<string>()
  for (const { kind, version, other, undoes } of all.toReversed())
    if (kind === 'undone' && !undone.has(`${version} ${other}`)) undone.add(`${undoes} ${other}`)
  return all.filter(({ kind, version, other }) => kind !== 'undone' && !undone.has(`${version} ${other}`))
}

export function digestOf(text: string): string {
  const plain = text.toLowerCase().replace(/\s+/g, ' ').trim().replace(/\.$/, '')
  return createHash('sha256').update(plain).digest('hex').slice(0, 24)
}

/** The same for words that are withdrawn: whatever their Markdown emphasis is, and whether they end in a full stop or loudly. */
export function bareDigestOf(text: string): string {
  const bare = text.replace(/[`*~]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '').trim()
  return digestOf(bare.replace(/[.!]{1,20}$/, ''))
}

export function withSettled({ metadata }: Memory, settled: Settled): JsonObject {
  const others = settledOf(metadata).filter(
    ({ words, memory }) => words !== settled.words && (memory === null || memory !== settled.memory),
  )
  return { ...metadata, [SETTLED]: [...others, settled].slice(-MOST_SETTLED) as never }
}

function settledOf(metadata: JsonObject): Settled[] {
  return Array.isArray(metadata[SETTLED]) ? (metadata[SETTLED] as unknown as Settled[]) : []
}

/** What an operator said of a memory beside these words, or beside another memory; null: nothing. */
export function settledAs(memory: Pick<Memory, 'metadata'>, other: string | Pick<Memory, 'id'>): SettledAs | null {
  const all = settledOf(memory.metadata)
  if (typeof other !== 'string') return all.find((each) => each.memory === other.id)?.as ?? null
  if (all.length === 0) return null
  const words = digestOf(other)
  return all.find((each) => each.words === words)?.as ?? null
}

/** The memories that by an operator's word take the place of what these words say, whatever their labels are. */
export function replacing(content: string, known: readonly Memory[]): string[] {
  const words = digestOf(content)
  return known.flatMap((memory) => {
    if (settledAs(memory, content) === 'replaces') return memory.id
    if (digestOf(memory.content) !== words) return []
    return settledOf(memory.metadata).flatMap(({ as, memory: by }) => (as === 'replaced' && by !== null ? by : []))
  })
}

/** Evidence and decisions are made here, never given. */
export function withoutBelief(metadata: JsonObject): JsonObject {
  const { voices: _, [DECISIONS]: __, [SETTLED]: ___, [RETRACTED]: ____, ...rest } = metadata
  return rest
}

/** An operator has withdrawn it: no agent sees it again. */
export function isRetracted({ metadata }: Pick<Memory, 'metadata'>): boolean {
  return metadata[RETRACTED] !== undefined
}

/** Fields that a repetition moves, and that go back with it unless something else moved them since. */
const MOVED = ['trust', 'updatedAt', 'decayedWeeks'] as const

/**
 * A memory without one of its decisions: confidence, visibility, links, voices and the mark for review as they would be. `before` and
 * `after` are its states around the decision; null: it was new.
 */
export function without(current: Memory, decision: Decision, before: Memory | null, after: Memory): Memory {
  const { kind, other, from, to } = decision
  const restored = standingOf(current.confidence + from - to)
  const wentInactive = from >= ACTIVE_CONFIDENCE && to < ACTIVE_CONFIDENCE
  const isWithdrawn = kind === 'retracted' || decision.as === 'same'
  const comesBack = current.active || wentInactive ? restored.active : isWithdrawn && before?.active === true
  const active = comesBack && (kind === 'retracted' || !isRetracted(current))
  const links =
    other === null || kind === 'review'
      ? current.links
      : [
          ...current.links.filter((link) => link.memory !== other),
          ...(before?.links ?? []).filter((link) => link.memory === other),
        ]
  const result: Memory = { ...current, confidence: restored.confidence, active, links }
  const isOpen = links.some(({ relation }) => relation === 'contradicts')
  const putUp = kind === 'review' || (OPPOSING.has(kind) && !isOpen)
  if (putUp) result.tags = current.tags.filter((tag) => tag !== REVIEW_TAG)
  const metadata = { ...current.metadata }
  if (before !== null && (kind === 'reinforced' || kind === 'confirmed' || decision.as === 'same')) {
    for (const field of MOVED) if (current[field] === after[field]) Object.assign(result, { [field]: before[field] })
    takeBack(metadata, 'voices', before, after)
  }
  if (kind === 'settled') {
    takeBack(metadata, SETTLED, before, after)
    if (before !== null && current.tags.join() === after.tags.join()) result.tags = before.tags
  }
  if (kind === 'retracted') delete metadata[RETRACTED]
  return { ...result, metadata }
}

const OPPOSING: ReadonlySet<DecisionKind> = new Set(['contradicts', 'corrects'])

function takeBack(metadata: JsonObject, key: string, before: Memory | null, after: Memory): void {
  if (JSON.stringify(metadata[key]) !== JSON.stringify(after.metadata[key])) return
  const old = before?.metadata[key]
  if (old === undefined) delete metadata[key]
  else metadata[key] = old
}
