import type { PoisonVerdict } from '../guard/detect-poison.ts'
import { FLAGGED_CONFIDENCE, type GuardedCandidate, guardCandidate } from '../guard/guard.ts'
import { invalidInput, MemoryError } from '../model/errors.ts'
import type { JsonObject, Memory, Trust } from '../model/memory.ts'

type Guardable = Pick<Memory, 'content' | 'service' | 'tags' | 'metadata' | 'anchor' | 'confidence' | 'tier' | 'source'>
type Guarded = Pick<Memory, 'content' | 'service' | 'tags' | 'metadata' | 'anchor' | 'confidence' | 'trust'>

/** Adds to what the rules say of candidates what is known of their meaning: `Core.judge`. All of a call at once costs less. */
export type Judge = (guarded: readonly GuardedCandidate[]) => Promise<GuardedCandidate[]>

interface Writing {
  trustGiven: boolean
  /** An operator may be speaking. */
  vouched: boolean
  /** An operator who reviews what is held: `needsNoJudge`. */
  typed?: boolean
}

/** What an operator types is theirs: only its secrets are taken out. */
export function spokenByOperator<Verdict extends PoisonVerdict>(verdict: Verdict): Verdict {
  return { ...verdict, flags: [], quarantine: false, reasons: [] }
}

/** Cleans the fields of a memory that somebody wrote: secrets are redacted, invisible characters removed. */
function clean({ content, service, tags, metadata, anchor }: Guardable) {
  const result = guardCandidate(
    { content, service, tags, metadata, anchor, category: 'learning', source: 'manual', importance: 0 },
    { maxLength: Number.POSITIVE_INFINITY },
  )
  if (!('refused' in result)) return result
  throw invalidInput('content', `Invalid content: ${result.refused}.`)
}

/**
 * What is changed or imported passes the guard like what is captured. Text that reads as a command to its reader is marked, and
 * trusted less unless the caller said how much to trust it. What an operator types is not judged.
 */
export async function guardNew(
  judge: Judge,
  given: Guardable,
  { trustGiven, vouched, typed = false }: Writing,
): Promise<Guarded> {
  const cleaned = clean(given)
  const [judged] = typed ? [spokenByOperator(cleaned)] : await judge([cleaned])
  const { candidate, flags, quarantine } = judged!
  const { content, service, tags, anchor, metadata } = candidate
  return {
    content,
    service,
    tags,
    anchor,
    metadata: flags.length > 0 ? { ...metadata, flags } : metadata,
    confidence: flags.length > 0 && !trustGiven ? Math.min(FLAGGED_CONFIDENCE, given.confidence) : given.confidence,
    trust: trustOf(given, { flags, quarantine, vouched }),
  }
}

/**
 * The same for a change. New text is judged anew, and loses the mark of the old. While the text stays, so does what was decided
 * about it when it came, or by whoever reviewed it; what is new beside it is judged.
 */
export async function guardChanged(
  judge: Judge,
  current: Memory,
  merged: Memory,
  { trustGiven, vouched, typed = false }: Writing,
): Promise<Partial<Memory>> {
  const marked = current.trust === 'flagged' || current.trust === 'quarantined'
  const plain = marked ? { ...merged, metadata: withoutFlags(merged.metadata) } : merged
  if (merged.content !== current.content) return guardNew(judge, plain, { trustGiven, vouched, typed })
  const { service, tags, anchor, metadata } = clean(plain).candidate
  const told = typed ? { flags: [], quarantine: false } : judgeLabels(current, plain)
  const known = marked && Array.isArray(current.metadata.flags) ? current.metadata.flags : []
  const flags = [...new Set([...known, ...told.flags])]
  return {
    service,
    tags,
    anchor,
    metadata: flags.length > 0 ? { ...metadata, flags } : metadata,
    ...(told.quarantine ? { trust: 'quarantined' as const } : {}),
    ...(told.flags.length > 0 && !told.quarantine && !marked ? { trust: 'flagged' as const } : {}),
  }
}

/** What the rules say of a new service, anchor or new tags: agents are shown them beside the text, which was judged before. */
function judgeLabels(current: Memory, changed: Memory): { flags: string[]; quarantine: boolean } {
  const labels = ({ service, tags, anchor }: Memory) => JSON.stringify([service, tags, anchor])
  if (labels(current) === labels(changed)) return { flags: [], quarantine: false }
  return clean({ ...changed, content: 'data', metadata: {} })
}

/** What another program has put into the store. What the guard would have refused is held: it is there already. */
export async function judgeForeign(judge: Judge, memory: Memory): Promise<Memory> {
  try {
    return { ...memory, ...(await guardNew(judge, memory, { trustGiven: true, vouched: false })) }
  } catch (error) {
    if (!MemoryError.is(error)) throw error
    return { ...memory, trust: 'quarantined', metadata: { ...memory.metadata, flags: ['unreadable'] } }
  }
}

/** Data that no agent is shown, without its secrets. */
export function guardData(data: JsonObject): JsonObject {
  const nothing = { service: null, tags: [], anchor: null, confidence: 0, tier: 1, source: 'manual' } as const
  return clean({ ...nothing, tags: [], content: 'data', metadata: data }).candidate.metadata
}

export function withoutFlags({ flags: _, ...metadata }: JsonObject): JsonObject {
  return metadata
}

/**
 * What reads as an order is held back from every reader until an operator accepts it; other marked text is flagged; what an operator
 * wrote by hand is theirs (`vouched`: the writer can be one); the rest is an agent's word.
 */
export function trustOf(
  { tier, source }: Pick<Memory, 'tier' | 'source'>,
  { flags, quarantine, vouched }: { flags: readonly string[]; quarantine: boolean; vouched: boolean },
): Trust {
  if (quarantine) return 'quarantined'
  if (flags.length > 0) return 'flagged'
  return vouched && tier === 0 && source === 'manual' ? 'operator' : 'agent'
}
