import { z } from 'zod'
import { isExpired, type Memory } from '../model/memory.ts'
import { escapeContent, escapeLabel, formatConfidence } from '../recall/render-block.ts'
import { roundDown } from '../text/round-down.ts'

/** A memory's fields besides its text that a model needs. */
const STATES = ['unverified', 'inactive', 'expired', 'held for review'] as const

/**
 * A memory as shown to a model: escaped as in a context, without fields that only machines need. The same in the text and in
 * the structured result, because clients differ in which of the two their model reads.
 */
export const shownSchema = z.strictObject({
  id: z.string(),
  content: z.string(),
  layer: z.string(),
  category: z.string(),
  service: z.string().nullable(),
  tags: z.array(z.string()),
  confidence: z.number(),
  updatedAt: z.string(),
  version: z.number(),
  state: z.enum(STATES).optional(),
})
export type Shown = z.output<typeof shownSchema>

/** Replaces text that agents may not read. */
const HELD = '(held for review: an operator has to accept it before it is shown)'

/** Maximum characters of one memory among several: a long one must not crowd out the others. */
const MOST_AMONG_OTHERS = 1000

export function toShownAmong(memory: Memory, now: Date): Shown {
  const shown = toShown(memory, now)
  if (shown.content.length <= MOST_AMONG_OTHERS) return shown
  return {
    ...shown,
    content: `${shown.content.slice(0, MOST_AMONG_OTHERS).toWellFormed()}… (memory_get shows the rest)`,
  }
}

export function toShown(memory: Memory, now: Date): Shown {
  const { id, layer, category, service, tags, confidence, updatedAt, version } = memory
  const state = stateOf(memory, now)
  const held = state === 'held for review'
  return {
    id,
    content: held ? HELD : escapeContent(memory.content),
    layer,
    category,
    service: service === null ? null : held ? '' : escapeLabel(service),
    tags: held ? [] : tags.map(escapeLabel),
    confidence,
    updatedAt,
    version,
    ...(state === null ? {} : { state }),
  }
}

function stateOf(memory: Memory, now: Date): Shown['state'] | null {
  if (memory.trust === 'quarantined') return 'held for review'
  if (!memory.active) return 'inactive'
  if (isExpired(memory, now)) return 'expired'
  return memory.trust === 'flagged' ? 'unverified' : null
}

/** One line: the text as in a context, then what a tool needs to refer to it. No content can begin like this. */
export function toLine(shown: Shown, score?: number): string {
  const { id, content, layer, category, service, tags, confidence, state } = shown
  const label = service ? `${category}:${service}` : category
  const facts = [
    `confidence: ${formatConfidence(confidence)}`,
    ...(score === undefined ? [] : [`score: ${roundDown(score)}`]),
    layer,
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(', ')}`]),
    `id: ${id}`,
  ]
  return `- ${state === undefined ? '' : `[${state}] `}[${label}] ${content} (${facts.join(', ')})`
}
