import { CHARACTERS_PER_TOKEN, DEFAULTS } from '../model/limits.ts'
import type { Memory } from '../model/memory.ts'
import { serviceKey } from '../model/service-name.ts'
import type { Rendered } from './budget.ts'
import {
  type Block,
  compareDescending,
  countedHeader,
  escapeContent,
  escapeLabel,
  formatConfidence,
  renderBlock,
  type Shown,
} from './render-block.ts'

export interface OperationalOptions extends Shown {
  /** Token budget of the whole block. */
  budget?: number
  /** The total number, if only the most certain were passed in. */
  total?: number
}

/** The group for memories without a service, and for a service with this name. */
const GENERAL = 'general'

const BLOCK: Block<Memory> = {
  /** Ties in confidence go to the newest, so that old memories do not crowd out new ones. */
  compare: (a, b) => compareDescending(a.confidence, b.confidence) || compareDescending(a.id, b.id),
  memoryOf: (memory) => memory,
  toLine(memory) {
    const observation = escapeContent(memory.content)
    if (observation === '') return { reason: 'nothing visible in it' }
    return {
      group: memory.service === null ? GENERAL : escapeLabel(memory.service) || GENERAL,
      text: `- [${escapeLabel(memory.category)}] ${observation} (confidence: ${formatConfidence(memory.confidence)})`,
    }
  },
  shape: {
    header: countedHeader('Operational Memory'),
    opening: (service) => `\n\n### ${service}`,
    compareGroups,
  },
}

/** The order if not everything fits. */
const PINNED_FIRST: Block<Memory> = {
  ...BLOCK,
  compare: (a, b) => Number(b.pinned) - Number(a.pinned) || BLOCK.compare(a, b),
}

/**
 * The memories for operations agents at the start of a session. The most certain are chosen across all services, and
 * then grouped by service. If all fit, pins change nothing; if not, pinned memories come first.
 */
export function renderOperational(given: readonly Memory[], options: OperationalOptions): Rendered {
  const memories = withOneSpelling(given)
  const characters = CHARACTERS_PER_TOKEN * (options.budget ?? DEFAULTS.budget)
  const further = Math.max(0, (options.total ?? 0) - memories.length)
  const room = { characters, lines: Number.POSITIVE_INFINITY, further }
  const rendered = renderBlock(memories, BLOCK, room, options)
  const isShort = further > 0 || rendered.omitted.length > 0
  return isShort && memories.some(({ pinned }) => pinned)
    ? renderBlock(memories, PINNED_FIRST, room, options)
    : rendered
}

/** One heading per service, in the spelling of the oldest memory. */
function withOneSpelling(memories: readonly Memory[]): Memory[] {
  const oldest = new Map<string, Memory>()
  for (const memory of memories) {
    const key = memory.service === null ? null : serviceKey(memory.service)
    if (key !== null && !((oldest.get(key)?.id ?? '~') < memory.id)) oldest.set(key, memory)
  }
  return memories.map((memory) =>
    memory.service === null ? memory : { ...memory, service: oldest.get(serviceKey(memory.service))!.service },
  )
}

/** Alphabetical, ignoring case, general last. Not by locale, so that all machines produce the same text. */
function compareGroups(a: string, b: string): number {
  if (a === GENERAL || b === GENERAL) return Number(a === GENERAL) - Number(b === GENERAL)
  return compareDescending(b.toLowerCase(), a.toLowerCase()) || compareDescending(b, a)
}
