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
  /** Tokens of the whole block. */
  budget?: number
  /** How many there are in all, when the surest were chosen from more than are given. */
  total?: number
}

/** The group of what belongs to no service, and of a service that is called so. */
const GENERAL = 'general'

const BLOCK: Block<Memory> = {
  /** The newest of equal confidence first: where room is short, what was just learned is not kept out by what is old. */
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

/** Where not everything fits. */
const PINNED_FIRST: Block<Memory> = {
  ...BLOCK,
  compare: (a, b) => Number(b.pinned) - Number(a.pinned) || BLOCK.compare(a, b),
}

/**
 * What operations agents are told at the start of a session. The memories that are surest are chosen over all services,
 * and then shown by service. While all fit, a pin changes nothing; when they do not, pinned ones are chosen first.
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

/** One heading a service: the spelling of the oldest memory. */
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

/** Alphabetical without regard to case, general last. Not by locale: every machine must give the same text. */
function compareGroups(a: string, b: string): number {
  if (a === GENERAL || b === GENERAL) return Number(a === GENERAL) - Number(b === GENERAL)
  return compareDescending(b.toLowerCase(), a.toLowerCase()) || compareDescending(b, a)
}
