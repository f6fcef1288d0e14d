import type { Memory } from '../model/memory.ts'
import { estimateTokens, type Rendered } from './budget.ts'
import { type Block, compareDescending, escapeContent, renderBlock } from './render-block.ts'

/** How many of an agent's memories of a project are read. */
const MAX_MEMORIES = 50

const HEADER = `# Memory

What earlier runs learned here, newest first; check it before you rely on it.`

const BLOCK: Block<Memory> = {
  compare: (a, b) => compareDescending(a.createdAt, b.createdAt) || compareDescending(a.id, b.id),
  memoryOf: (memory) => memory,
  toLine({ content, service }) {
    // "Takes 60s to start" says nothing without the service it is about.
    const item = escapeContent(service === null ? content : `${service}: ${content}`)
    return item === '' ? { reason: 'nothing visible in it' } : { group: '', text: `- ${item}` }
  },
  shape: { header: () => HEADER, opening: () => '\n', compareGroups: () => 0 },
}

/** The memory file of an agent's workspace. Empty text: there is to be no file. */
export function renderFile(memories: readonly Memory[], options: { now: Date }): Rendered {
  const room = { characters: Number.POSITIVE_INFINITY, lines: MAX_MEMORIES }
  const rendered = renderBlock(memories, BLOCK, room, options.now)
  if (rendered.text === '') return rendered
  const text = `${rendered.text}\n`
  return { ...rendered, text, tokens: estimateTokens(text) }
}
