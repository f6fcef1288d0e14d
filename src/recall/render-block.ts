import { escapePromptText } from '../guard/escape.ts'
import { ACTIVE_CONFIDENCE, clampConfidence, isExpired, type Memory } from '../model/memory.ts'
import { fitBlock, type Line, type Rendered, type Room, type Shape } from './budget.ts'

/** Common to all renderers: skip hidden memories, make one safe line per memory, fit the budget. */
export interface Block<Item> {
  /** Display order. Total: no two different memories compare equal. */
  compare(a: Item, b: Item): number
  memoryOf(item: Item): Memory
  /** The memory's line, or the reason it has none. */
  toLine(item: Item): Omit<Line, 'id'> | { reason: string }
  shape: Shape
}

/** The time of display, and which memories are disputed. */
export interface Shown {
  now: Date
  /** By id: who says it and who disagrees. */
  disputed?: ReadonlyMap<string, string>
}

export function renderBlock<Item>(
  items: readonly Item[],
  block: Block<Item>,
  room: Room,
  { now, disputed }: Shown,
): Rendered {
  const lines: Line[] = []
  const withheld: Rendered['omitted'] = []
  for (const item of items.toSorted(block.compare)) {
    const memory = block.memoryOf(item)
    const reason = whyWithheld(memory, now)
    const line = reason === null ? block.toLine(item) : { reason }
    if ('reason' in line) withheld.push({ id: memory.id, reason: line.reason })
    else
      lines.push({ id: memory.id, ...line, text: markUnverified(line.text, memory) + mark(disputed?.get(memory.id)) })
  }
  const rendered = fitBlock(lines, block.shape, room)
  return { ...rendered, omitted: [...withheld, ...rendered.omitted] }
}

/**
 * Flagged memories are marked first. Content cannot imitate the mark: escaped text never begins with a bare bracket,
 * and every other line begins with its category.
 */
function markUnverified(line: string, { trust }: Memory): string {
  return trust === 'flagged' ? line.replace(/^- /, '- [unverified] ') : line
}

function mark(note: string | undefined): string {
  return note === undefined ? '' : ` (${note})`
}

function whyWithheld(memory: Memory, now: Date): string | null {
  if (memory.trust === 'quarantined') return 'held for review'
  if (!memory.active) return 'inactive'
  if (isExpired(memory, now)) return 'expired'
  if (memory.confidence >= ACTIVE_CONFIDENCE) return null
  return `confidence ${formatConfidence(memory.confidence)} is below ${ACTIVE_CONFIDENCE}`
}

/** One or two decimals: 0.9, 0.85, 1.0. */
export function formatConfidence(confidence: number): string {
  const clamped = clampConfidence(confidence)
  return Number.isInteger(clamped * 10) ? clamped.toFixed(1) : clamped.toFixed(2)
}

/** Starts with a letter, has single spaces, and no character that is special in Markdown, XML or a chat template. */
const PROSE = /^[A-Za-z][\w.,;'"/%()+=&-]*(?: [\w.,;'"/%()+=&-]+)*$/

/** Content for use after a bullet. Plain prose needs no escaping: most stored text, at a tenth of the time. */
export function escapeContent(content: string): string {
  return PROSE.test(content) ? content : escapePromptText(content)
}

/** A short name for a heading or square brackets, which it cannot close. */
export function escapeLabel(label: string): string {
  return escapeContent(label).replaceAll('[', '(').replaceAll(']', ')')
}

/** 12,345. Without `Intl`, which takes 8 ms to load: more than any other line of an import. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `## Title (3 memories, ~412 tokens)`, or `(23 of 50 memories, ~1,987 tokens)` if some are left out. */
export function countedHeader(title: string): Shape['header'] {
  return ({ included, total, tokens }) => {
    const of = included === total ? '' : ` of ${grouped(total)}`
    const noun = total === 1 ? 'memory' : 'memories'
    return `## ${title} (${grouped(included)}${of} ${noun}, ~${grouped(tokens)} tokens)`
  }
}

/** Greatest first. */
export function compareDescending(a: string | number, b: string | number): number {
  return a < b ? 1 : a > b ? -1 : 0
}
