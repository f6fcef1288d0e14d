import { CHARACTERS_PER_TOKEN } from '../model/limits.ts'
import type { Memory } from '../model/memory.ts'
import type { Rendered } from './budget.ts'
import {
  type Block,
  compareDescending,
  escapeContent,
  escapeLabel,
  formatConfidence,
  renderBlock,
  type Shown,
} from './render-block.ts'

interface Chosen {
  memory: Memory
  score: number
  /** The other agent that noted it, if any. */
  notedBy?: string
}

const BLOCK: Block<Chosen> = {
  compare: (a, b) => compareDescending(a.score, b.score) || compareDescending(a.memory.id, b.memory.id),
  memoryOf: ({ memory }) => memory,
  toLine({ memory, notedBy }) {
    const content = escapeContent(memory.content)
    if (content === '') return { reason: 'nothing visible in it' }
    const { category, service } = memory
    const label = escapeLabel(service === null ? category : `${category}:${service}`)
    const author = notedBy === undefined ? '' : `noted by ${escapeLabel(notedBy)}, `
    return { group: '', text: `- [${label}] ${content} (${author}confidence: ${formatConfidence(memory.confidence)})` }
  },
  shape: { header: () => 'From memory:', opening: () => '', compareGroups: () => 0 },
}

/** The text an agent gets at a moment: a few lines, most important first. */
export function renderMoment(
  chosen: readonly Chosen[],
  options: Shown & { budget: number; header?: string },
): Rendered {
  const characters = CHARACTERS_PER_TOKEN * options.budget
  const { header = 'From memory:' } = options
  const block = { ...BLOCK, shape: { ...BLOCK.shape, header: () => header } }
  return renderBlock(chosen, block, { characters, lines: Number.POSITIVE_INFINITY }, options)
}
