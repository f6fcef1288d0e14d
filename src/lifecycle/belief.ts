import { LIMITS } from '../model/limits.ts'
import type { JsonObject, Memory } from '../model/memory.ts'
import { settledBeside } from './decisions.ts'

/**
 * Who supports a memory. An agent counts as one voice, however many sessions it has; so do all statements without an
 * agent name. An operator's support is stored as trust, not as a voice.
 */
export type Voice = { agent: string | null; sessions: number; first: string; last: string }

/** Metadata key for the voices, from the second one on: a single voice follows from the memory's author. */
const VOICES = 'voices'
const MOST_VOICES = 20
/** A statement's weight halves after this many days without a repetition. */
const HALF_LIFE_DAYS = 7
/** What each further session of an agent adds to its voice, up to five sessions. */
const PER_SESSION = 0.05
const MOST_SESSIONS = 5
/** Weight of a statement the guard flagged. */
const FLAGGED = 0.5
/** From this ratio on, one side is clearly stronger: two against one is a dispute, three against one is not. */
const CLEAR = 2.2
const DAY_MS = 86_400_000

export function voicesOf({ metadata, identifiers, trust, createdAt }: Memory): Voice[] {
  const kept = metadata[VOICES]
  if (Array.isArray(kept)) return (kept as unknown[]).filter(isVoice)
  if (trust === 'operator') return []
  return [{ agent: identifiers.agentId ?? null, sessions: 1, first: createdAt, last: createdAt }]
}

/** The memory's metadata after a repetition. */
export function withVoice(memory: Memory, agent: string | null, at: string): JsonObject {
  const voices = voicesOf(memory)
  const before = voices.find((voice) => voice.agent === agent)
  const said = { agent, sessions: (before?.sessions ?? 0) + 1, first: before?.first ?? at, last: at }
  const kept = [...voices.filter((voice) => voice !== before), said].slice(-MOST_VOICES)
  const metadata = { ...memory.metadata, [VOICES]: kept }
  return JSON.stringify(metadata).length <= LIMITS.metadata ? metadata : memory.metadata
}

/** The metadata of a memory that absorbs others. An agent that said several of them is still one voice. */
export function mergeVoices(memory: Memory, ...others: readonly Memory[]): JsonObject {
  const voices = new Map(voicesOf(memory).map((voice) => [voice.agent, voice]))
  for (const said of others.flatMap(voicesOf)) {
    const { agent, sessions, first, last } = voices.get(said.agent) ?? said
    const times = [first, last, said.first, said.last].toSorted()
    voices.set(said.agent, { agent, sessions: Math.max(sessions, said.sessions), first: times[0]!, last: times[3]! })
  }
  return others.length === 0
    ? memory.metadata
    : { ...memory.metadata, [VOICES]: [...voices.values()].slice(-MOST_VOICES) }
}

/** The number of agents, including the first, who must say the same before the guard's flag is removed. */
const CONFIRMED_BY = 3

/** Whether enough named agents say it. */
export function isConfirmed(memory: Memory): boolean {
  return voicesOf(memory).filter(({ agent }) => agent !== null).length >= CONFIRMED_BY
}

function isVoice(value: unknown): value is Voice {
  const { agent, sessions, first, last } = (value ?? {}) as Partial<Voice>
  const times = typeof first === 'string' && !Number.isNaN(Date.parse(last ?? ''))
  return times && typeof sessions === 'number' && (agent === null || typeof agent === 'string')
}

export type Standing = 'holds' | 'loses' | 'disputed'

/**
 * How a memory ranks against one that contradicts it. An agent never hides an operator's statement, and an operator
 * corrects what an agent said before. Between two operators, and without evidence, the later one wins. An operator's
 * manual settlement always wins.
 */
export function standsBeside(memory: Memory, other: Memory, now: Date): Standing {
  const [settled, against] = [settledBeside(memory, other), settledBeside(other, memory)]
  if (settled === 'replaces') return 'holds'
  if (settled === 'replaced' || against === 'replaces') return 'loses'
  if (against === 'replaced') return 'holds'
  const [own, others] = [memory.trust === 'operator', other.trust === 'operator']
  const isLast = spokeLast(memory, other)
  if (own !== others) return isLast === own ? (own ? 'holds' : 'loses') : 'disputed'
  if (own) return isLast ? 'holds' : 'loses'
  const [a, b] = sidesOf(memory, other).map(({ memory, voices }) => strengthOf(memory, voices, now)) as [number, number]
  if (a >= CLEAR * b && a > b) return 'holds'
  if (b >= CLEAR * a && b > a) return 'loses'
  return a === b && a === 0 ? (isLast ? 'holds' : 'loses') : 'disputed'
}

/** The link in both memories says who contradicted whom; if both claim it, as in older stores, the later one did. */
function spokeLast(memory: Memory, other: Memory): boolean {
  const opposed = memory.links.some((link) => link.relation === 'contradictedBy' && link.memory === other.id)
  const opposes = other.links.some((link) => link.relation === 'contradictedBy' && link.memory === memory.id)
  if (opposed !== opposes) return opposes
  return memory.updatedAt === other.updatedAt ? memory.id > other.id : memory.updatedAt > other.updatedAt
}

/** An agent that said both counts for its latest statement. */
function sidesOf(memory: Memory, other: Memory): { memory: Memory; voices: Voice[] }[] {
  const [own, others] = [voicesOf(memory), voicesOf(other)]
  const isLast = spokeLast(memory, other)
  const stays = (voice: Voice, opposite: readonly Voice[], wins: boolean) => {
    const moved = opposite.find(({ agent }) => agent === voice.agent)
    return moved === undefined || voice.last > moved.last || (voice.last === moved.last && wins)
  }
  return [
    { memory, voices: own.filter((voice) => stays(voice, others, isLast)) },
    { memory: other, voices: others.filter((voice) => stays(voice, own, !isLast)) },
  ]
}

function strengthOf({ trust }: Memory, voices: readonly Voice[], now: Date): number {
  const sum = voices.reduce((all, { sessions, last }) => {
    const days = Math.max(0, now.getTime() - Date.parse(last)) / DAY_MS
    const loud = 1 + PER_SESSION * Math.min(sessions - 1, MOST_SESSIONS)
    return all + loud * 0.5 ** (days / HALF_LIFE_DAYS)
  }, 0)
  return trust === 'flagged' ? FLAGGED * sum : sum
}

/** A dispute, for readers of the memory: who says this, who says what else, and since when. */
export function describeDispute(memory: Memory, other: Memory, quoted: string): string {
  const [own, others] = sidesOf(memory, other)
  return `disputed: ${whoSays(own!, 'this')}; ${whoSays(others!, `“${quoted}”`)}`
}

function whoSays({ memory, voices }: { memory: Memory; voices: readonly Voice[] }, what: string): string {
  const since = voices.map(({ first }) => first).sort()[0] ?? memory.createdAt
  const agents = voices.length === 1 ? '1 agent' : `${voices.length} agents`
  const who = [...(memory.trust === 'operator' ? ['an operator'] : []), ...(voices.length > 0 ? [agents] : [])]
  const verb = who.length === 1 && voices.length < 2 ? 'says' : 'say'
  return `${who.join(' and ') || 'no longer anyone'} ${verb} ${what} since ${since.slice(0, 10)}`
}
