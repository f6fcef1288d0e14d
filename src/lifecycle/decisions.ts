import { createHash } from 'node:crypto'
import type { DecisionKind, SettledAs } from '../model/decision.ts'
import { LIMITS } from '../model/limits.ts'
import { ACTIVE_CONFIDENCE, type JsonObject, type Memory, REVIEW_TAG } from '../model/memory.ts'
import type { Change } from '../model/records.ts'
import { plainOf } from '../text/plain.ts'
import { shortenAtWord } from '../text/shorten.ts'
import { standingOf } from './confidence.ts'

/**
 * A decision about a memory, stored in the version it led to. It refers to the other memory by id only, so that purging
 * that memory leaves none of its text here.
 */
export interface Decision {
  kind: DecisionKind
  /** The other memory, if any. */
  other: string | null
  /** The statement, if it did not become a memory. */
  said: string | null
  reason: string
  /** The relation model's score; null if it was not asked. */
  score: number | null
  /** The confidence before and after. */
  from: number
  to: number
  /** For `undone`: the version whose decision was undone. For `settled`: the verdict. */
  undoes?: number
  as?: SettledAs
}

/** A pair that an operator settled, as stored in each of the two. */
interface Settled {
  memory: string | null
  /** Digest of the other's text, to recognise it when it is repeated without the memory. */
  words: string
  as: SettledAs
}

/** Metadata key. A memory only keeps the decisions of its last version; the history has the others. */
const DECISIONS = 'decisions'
const SETTLED = 'settled'
export const RETRACTED = 'retracted'
const MOST_SAID = 2000
const MOST_SETTLED = 50

/** A reason without quoted memory text, because it is kept longer than the memories. */
function reasonAlone(reason: string): string {
  return reason.replace(/:? “[^”]*”(?: and “[^”]*”)?/g, '').replace(/ but for .+ and .+$/, ' but for what differs')
}

/** The metadata of the version these decisions lead to. The decisions of one batch share a version. */
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

/** The decisions in a history, oldest first, each with the version it led to. */
export function allDecisions(changes: readonly Change[]): (Decision & { version: number })[] {
  return changes.flatMap(({ after, version }) =>
    after === null ? [] : decisionsOf(after, version).map((decision) => ({ ...decision, version })),
  )
}

/** The same, without those that were undone. */
export function standingDecisions(changes: readonly Change[]): (Decision & { version: number })[] {
  const all = allDecisions(changes)
  // Latest first: an undo may itself have been undone.
  const undone = new Set<string>()
  for (const { kind, version, other, undoes } of all.toReversed())
    if (kind === 'undone' && !undone.has(`${version} ${other}`)) undone.add(`${undoes} ${other}`)
  return all.filter(({ kind, version, other }) => kind !== 'undone' && !undone.has(`${version} ${other}`))
}

export function digestOf(text: string): string {
  return createHash('sha256').update(plainOf(text)).digest('hex').slice(0, 24)
}

/** The same for withdrawn text, ignoring Markdown emphasis and final punctuation. */
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

/** An operator's verdict on a memory and this text, or another memory; null if none. */
export function settledAs(memory: Pick<Memory, 'metadata'>, other: string | Pick<Memory, 'id'>): SettledAs | null {
  const all = settledOf(memory.metadata)
  if (typeof other !== 'string') return all.find((each) => each.memory === other.id)?.as ?? null
  if (all.length === 0) return null
  const words = digestOf(other)
  return all.find((each) => each.words === words)?.as ?? null
}

/** The memories that an operator said are shown instead of this one. */
export function standInsOf({ metadata, active }: Memory): string[] {
  return settledOf(metadata).flatMap(({ memory, as }) =>
    memory !== null && (as === 'replaced' || (as === 'same' && !active)) ? memory : [],
  )
}

/** The verdict on the other memory, its text, or a memory that says the same as it. */
export function settledBeside(memory: Pick<Memory, 'metadata'>, other: Memory): SettledAs | null {
  const alike = other.links.filter(({ relation }) => relation === 'confirms' || relation === 'confirmedBy')
  const said = [other, other.content, ...alike.map(({ memory: id }) => ({ id }))]
  return said.map((each) => settledAs(memory, each)).find((as) => as !== null) ?? null
}

/** The memories that replace this text by an operator's verdict, whatever their labels. */
export function replacing(content: string, known: readonly Memory[]): string[] {
  const words = digestOf(content)
  return known.flatMap((memory) => {
    if (settledAs(memory, content) === 'replaces') return memory.id
    if (digestOf(memory.content) !== words) return []
    return settledOf(memory.metadata).flatMap(({ as, memory: by }) => (as === 'replaced' && by !== null ? by : []))
  })
}

/** Evidence and decisions are computed here and never accepted as input. */
export function withoutBelief(metadata: JsonObject): JsonObject {
  const { voices: _, [DECISIONS]: __, [SETTLED]: ___, [RETRACTED]: ____, ...rest } = metadata
  return rest
}

/** An operator retracted it: it is hidden from agents. */
export function isRetracted({ metadata }: Pick<Memory, 'metadata'>): boolean {
  return metadata[RETRACTED] !== undefined
}

/** Fields a repetition changes; undo restores them unless something else has changed them since. */
const MOVED = ['trust', 'updatedAt', 'decayedWeeks'] as const

/**
 * A memory with one of its decisions undone: confidence, visibility, links, voices and review mark as if it had not
 * happened. `before` and `after` are its states around the decision; null: it was new.
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
    takeBackVoices(metadata, before, after)
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

/** Where others have spoken since, the voices that the decision added go, unless they have spoken again. */
function takeBackVoices(metadata: JsonObject, before: Memory, after: Memory): void {
  takeBack(metadata, 'voices', before, after)
  const [current, made, had] = [metadata, after.metadata, before.metadata].map(({ voices }) =>
    Array.isArray(voices) ? (voices as JsonObject[]) : null,
  )
  if (!current || !made || JSON.stringify(current) === JSON.stringify(had)) return
  const known = had?.map(({ agent }) => agent) ?? [before.identifiers.agentId ?? null]
  const added = made.filter(({ agent }) => !known.includes(agent!)).map((voice) => JSON.stringify(voice))
  metadata.voices = current.filter((voice) => !added.includes(JSON.stringify(voice)))
}
