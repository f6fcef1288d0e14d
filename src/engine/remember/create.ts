import { withoutBelief } from '../../lifecycle/decisions.ts'
import { ACTIVE_CONFIDENCE, type Memory, optionalOf } from '../../model/memory.ts'
import type { Core } from '../core.ts'
import { trustOf } from '../guard-input.ts'
import type { Clean } from './prepare.ts'
import type { Target } from './target.ts'

/** The writer: whether an operator may be speaking, and when. */
export interface Writer {
  target: Target
  vouched: boolean
  now: Date
}

/** The author of a candidate, and how far it is trusted. */
export function speakerOf(
  { candidate, flags, quarantine }: Clean,
  { target, vouched }: Pick<Writer, 'target' | 'vouched'>,
): Pick<Memory, 'source' | 'tier' | 'trust'> {
  const source = target.source ?? candidate.source
  const tier = target.tier ?? candidate.tier ?? 1
  return { source, tier, trust: trustOf({ tier, source }, { flags, quarantine, vouched }) }
}

/** A new memory as it will be stored. */
export function createMemory(
  { nextId }: Pick<Core, 'nextId'>,
  clean: Clean,
  writer: Writer,
  confidence: number,
): Memory {
  const { candidate, layer, identifiers, flags } = clean
  const at = writer.now.toISOString()
  return {
    id: nextId(writer.now),
    content: candidate.content,
    layer,
    identifiers,
    category: candidate.category,
    service: candidate.service,
    tags: candidate.tags,
    metadata: withoutBelief(flags.length > 0 ? { ...candidate.metadata, flags } : candidate.metadata),
    anchor: candidate.anchor,
    importance: candidate.importance,
    confidence,
    active: confidence >= ACTIVE_CONFIDENCE,
    decayedWeeks: 0,
    ...speakerOf(clean, writer),
    links: [],
    session: writer.target.session ?? null,
    ...optionalOf(candidate),
    lastRecalledAt: null,
    recallCount: 0,
    pinned: false,
    useCount: 0,
    lastUsedAt: null,
    createdAt: at,
    updatedAt: at,
    version: 1,
  }
}
