import type { Memory } from '../model/memory.ts'
import { estimateTokens, type Rendered } from './budget.ts'
import type { Shown } from './render-block.ts'
import { renderMoment } from './render-moment.ts'

/** Of the budget, for what the task calls for. */
const SHARE = 0.25
/** Less has nothing to do with the task. */
const LEAST = 0.1
const HEADER = '### For this task'
const SEPARATOR = '\n\n'

/** Kept free in a block that does not hold everything. The same for every task, so that what comes before stays the same. */
export function askedShare(budget: number): number {
  return Math.floor(SHARE * budget)
}

/** What is always shown, byte for byte the same, and behind it what the task calls for and is not shown above. */
export function joinAsked(
  stable: Rendered,
  asked: readonly { memory: Memory; score: number; notedBy?: string }[],
  { budget, ...shown }: Shown & { budget: number },
): Rendered {
  const isShown = new Set(stable.included.map(({ id }) => id))
  const others = asked.filter(({ memory, score }) => score >= LEAST && !isShown.has(memory.id))
  const room = budget - estimateTokens(stable.text + SEPARATOR)
  const rendered = room < 1 ? null : renderMoment(others, { ...shown, budget: room, header: HEADER })
  if (rendered === null || rendered.text === '') return stable
  const added = new Set(rendered.included.map(({ id }) => id))
  const text = [stable.text, rendered.text].filter((part) => part !== '').join(SEPARATOR)
  return {
    text,
    included: [...stable.included, ...rendered.included],
    omitted: stable.omitted.filter(({ id }) => !added.has(id)),
    tokens: estimateTokens(text),
  }
}
