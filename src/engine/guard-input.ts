import { FLAGGED_CONFIDENCE, guardCandidate } from '../guard/guard.ts'
import { MemoryError } from '../model/errors.ts'
import type { JsonObject, Memory, Trust } from '../model/memory.ts'

type Guardable = Pick<Memory, 'content' | 'service' | 'tags' | 'metadata' | 'anchor' | 'confidence' | 'tier' | 'source'>
type Guarded = Pick<Memory, 'content' | 'service' | 'tags' | 'metadata' | 'anchor' | 'confidence' | 'trust'>

/**
 * What is added or changed by hand passes the guard like what is captured: secrets are redacted, invisible characters removed.
 * Text that reads as a command to its reader is marked, and trusted less unless the caller said how much to trust it. Text
 * that no longer does loses the mark (`marked`: it had one). `place` names the field in an error.
 */
export function guardFields(
  given: Guardable,
  { trustGiven, marked = false, place = '' }: { trustGiven: boolean; marked?: boolean; place?: string },
): Guarded {
  const { content, service, tags, anchor } = given
  const metadata = marked ? withoutFlags(given.metadata) : given.metadata
  const result = guardCandidate(
    { content, service, tags, metadata, anchor, category: 'learning', source: 'manual', importance: 0 },
    { maxLength: Number.POSITIVE_INFINITY },
  )
  if ('refused' in result) {
    throw new MemoryError('INVALID_INPUT', `Invalid ${place}content: ${result.refused}.`, {
      details: { field: `${place}content` },
    })
  }
  const { candidate, flags, quarantine } = result
  return {
    content: candidate.content,
    service: candidate.service,
    tags: candidate.tags,
    anchor: candidate.anchor,
    metadata: flags.length > 0 ? { ...candidate.metadata, flags } : candidate.metadata,
    confidence: flags.length > 0 && !trustGiven ? Math.min(FLAGGED_CONFIDENCE, given.confidence) : given.confidence,
    trust: trustOf(given, { flags, quarantine }),
  }
}

/** Without the guard's own mark. */
export function withoutFlags({ flags: _, ...metadata }: JsonObject): JsonObject {
  return metadata
}

/**
 * What reads as an order is held back from every reader until an operator accepts it, whoever wrote it; other marked text is
 * flagged; what an operator wrote by hand is theirs; the rest is an agent's word.
 */
export function trustOf(
  { tier, source }: Pick<Memory, 'tier' | 'source'>,
  { flags, quarantine }: { flags: readonly string[]; quarantine: boolean },
): Trust {
  if (quarantine) return 'quarantined'
  if (flags.length > 0) return 'flagged'
  return tier === 0 && source === 'manual' ? 'operator' : 'agent'
}
