import type { PoisonVerdict } from '../guard/detect-poison.ts'
import { FLAGGED_CONFIDENCE, type GuardedCandidate, guardCandidate } from '../guard/guard.ts'
import { invalidInput, MemoryError } from '../model/errors.ts'
import type { JsonObject, Memory, Trust } from '../model/memory.ts'

type Guardable = Pick<Memory, 'content' | 'service' | 'tags' | 'metadata' | 'anchor' | 'confidence' | 'tier' | 'source'>
type Guarded = Pick<Memory, 'content' | 'service' | 'tags' | 'metadata' | 'anchor' | 'confidence' | 'trust'>

/** Adds the model's verdict on meaning to the rules' verdicts: `Core.judge`. One batch per call is cheaper. */
export type Judge = (guarded: readonly GuardedCandidate[]) => Promise<GuardedCandidate[]>

interface Writing {
  trustGiven: boolean
  /** The caller may be an operator. */
  vouched: boolean
  /** An operator with review rights: `needsNoJudge`. */
  typed?: boolean
}

/** An operator's own words are trusted: only secrets are redacted. */
export function spokenByOperator<Verdict extends PoisonVerdict>(verdict: Verdict): Verdict {
  return { ...verdict, flags: [], quarantine: false, reasons: [] }
}

/** Cleans fields written by callers: redacts secrets, removes invisible characters. */
function clean({ content, service, tags, metadata, anchor }: Guardable) {
  const result = guardCandidate(
    { content, service, tags, metadata, anchor, category: 'learning', source: 'manual', importance: 0 },
    { maxLength: Number.POSITIVE_INFINITY },
  )
  if (!('refused' in result)) return result
  throw invalidInput('content', `Invalid content: ${result.refused}.`)
}

/**
 * Changed and imported text passes the guard like captured text. Text that reads as a command to its reader is marked, and
 * trusted less unless the caller set the trust. An operator's own words are not judged.
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
 * The same for a change. New text is judged again and loses the old mark. If the text stays, so do earlier decisions
 * about it, including a reviewer's; only the new fields are judged.
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

/** The rules' verdict on a new service, anchor or tags: agents see them with the text, which was judged before. */
function judgeLabels(current: Memory, changed: Memory): { flags: string[]; quarantine: boolean } {
  const labels = ({ service, tags, anchor }: Memory) => JSON.stringify([service, tags, anchor])
  if (labels(current) === labels(changed)) return { flags: [], quarantine: false }
  return clean({ ...changed, content: 'data', metadata: {} })
}

/** For rows that another program put into the store. What the guard would refuse is held, because it is already stored. */
export async function judgeForeign(judge: Judge, memory: Memory): Promise<Memory> {
  try {
    return { ...memory, ...(await guardNew(judge, memory, { trustGiven: true, vouched: false })) }
  } catch (error) {
    if (!MemoryError.is(error)) throw error
    return { ...memory, trust: 'quarantined', metadata: { ...memory.metadata, flags: ['unreadable'] } }
  }
}

/** Redacts secrets in data that agents are not shown. */
export function guardData(data: JsonObject): JsonObject {
  const nothing = { service: null, tags: [], anchor: null, confidence: 0, tier: 1, source: 'manual' } as const
  return clean({ ...nothing, tags: [], content: 'data', metadata: data }).candidate.metadata
}

export function withoutFlags({ flags: _, ...metadata }: JsonObject): JsonObject {
  return metadata
}

/**
 * Text that reads as an order is held until an operator accepts it; other suspicious text is flagged. What an operator
 * wrote by hand is the operator's (`vouched`: the writer can be one); everything else is an agent's.
 */
export function trustOf(
  { tier, source }: Pick<Memory, 'tier' | 'source'>,
  { flags, quarantine, vouched }: { flags: readonly string[]; quarantine: boolean; vouched: boolean },
): Trust {
  if (quarantine) return 'quarantined'
  if (flags.length > 0) return 'flagged'
  return vouched && tier === 0 && source === 'manual' ? 'operator' : 'agent'
}
