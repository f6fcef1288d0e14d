import { type Layer, precedence } from '../model/layer.ts'
import { CHARACTERS_PER_TOKEN, DEFAULTS } from '../model/limits.ts'
import type { Memory } from '../model/memory.ts'
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

/** The part of a search result that is used here. */
export interface Found {
  memory: Memory
  score: number
  layer: Layer
}

const BLOCK: Block<Found> = {
  compare: (a, b) =>
    compareDescending(a.score, b.score) ||
    precedence(a.layer) - precedence(b.layer) ||
    compareDescending(a.memory.id, b.memory.id),
  memoryOf: ({ memory }) => memory,
  toLine({ memory, layer }) {
    const content = escapeContent(memory.content)
    if (content === '') return { reason: 'nothing visible in it' }
    const { category, service } = memory
    const label = escapeLabel(service === null ? category : `${category}:${service}`)
    return { group: layer, text: `- [${label}] ${content} (confidence: ${formatConfidence(memory.confidence)})` }
  },
  shape: {
    header: countedHeader('Relevant Memory'),
    opening: (layer) => `\n\n### ${layer}`,
    compareGroups: (a, b) => precedence(a as Layer) - precedence(b as Layer),
  },
}

/** Search results for a task: chosen by score, shown by layer, nearest layer first. */
export function renderQuery(results: readonly Found[], options: Shown & { budget?: number }): Rendered {
  const characters = CHARACTERS_PER_TOKEN * (options.budget ?? DEFAULTS.budget)
  return renderBlock(results, BLOCK, { characters, lines: Number.POSITIVE_INFINITY }, options)
}
