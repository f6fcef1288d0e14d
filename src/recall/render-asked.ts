import type { Memory } from '../model/memory.ts'
import { estimateTokens, type Rendered } from './budget.ts'
import type { Shown } from './render-block.ts'
import { renderMoment } from './render-moment.ts'

/** The share of the budget for memories about the task. */
const SHARE = 0.25
/** Below this score, a memory is unrelated to the task. */
const LEAST = 0.1
const SEPARATOR = '\n\n'

/**
 * Reserved in a block that cannot hold everything. It does not depend on the task, so that the text before it stays the
 * same.
 */
export function askedShare(budget: number): number {
  return Math.floor(SHARE * budget)
}

/** How the section looks in a format. */
export interface AskedLook {
  header: string
  /** For a file, in which imports are expanded. */
  spell?: ((text: string) => string) | undefined
  /** Tokens for the section; by default what the fixed part leaves of the budget. */
  room?: number
}

/** The fixed part, byte for byte the same, followed by memories about the task that are not shown above. */
export function joinAsked(
  stable: Rendered,
  asked: readonly { memory: Memory; score: number; notedBy?: string }[],
  { header, spell = (text) => text, room, budget, ...shown }: Shown & AskedLook & { budget: number },
): Rendered {
  const isShown = new Set(stable.included.map(({ id }) => id))
  const others = asked.filter(({ memory, score }) => score >= LEAST && !isShown.has(memory.id))
  const left = room ?? budget - estimateTokens(stable.text + SEPARATOR)
  const rendered = renderMoment(others, { ...shown, budget: left, header })
  if (rendered.text === '') return stable
  const added = new Set(rendered.included.map(({ id }) => id))
  const end = stable.text.endsWith('\n') ? '\n' : ''
  const text = [stable.text.trimEnd(), spell(rendered.text)].filter((part) => part !== '').join(SEPARATOR) + end
  return {
    text,
    included: [...stable.included, ...rendered.included],
    omitted: stable.omitted.filter(({ id }) => !added.has(id)),
    tokens: estimateTokens(text),
  }
}
