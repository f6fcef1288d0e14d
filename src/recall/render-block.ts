import { escapePromptText } from '../guard/escape.ts'
import { ACTIVE_CONFIDENCE, clampConfidence, isExpired, type Memory } from '../model/memory.ts'
import { fitBlock, type Line, type Rendered, type Room, type Shape } from './budget.ts'

/** What every renderer does: leave out what may not be shown, make one safe line of each memory, fill the room. */
export interface Block<Item> {
  /** Those to be shown first come first. Total: no two different memories may compare equal. */
  compare(a: Item, b: Item): number
  memoryOf(item: Item): Memory
  /** The memory's line, or why it has none here. */
  toLine(item: Item): Omit<Line, 'id'> | { reason: string }
  shape: Shape
}

/** When it is shown, and what is disputed of it. */
export interface Shown {
  now: Date
  /** By id, who says it and who says otherwise. */
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
 * What the guard flagged says so before anything else. No content can say it in our place: an escaped text never begins with a
 * bare bracket, and every other line begins with its category.
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

/** Begins with a letter, single spaces, and no character that means anything to Markdown, XML or a chat template. */
const PROSE = /^[A-Za-z][\w.,;'"/%()+=&-]*(?: [\w.,;'"/%()+=&-]+)*$/

/** Content for its place behind a bullet. Prose is what escaping gives back as it is: most of what is stored, at a tenth of the time. */
export function escapeContent(content: string): string {
  return PROSE.test(content) ? content : escapePromptText(content)
}

/** A short name for a heading or between square brackets, which it cannot close. */
export function escapeLabel(label: string): string {
  return escapeContent(label).replaceAll('[', '(').replaceAll(']', ')')
}

const THOUSANDS = new Intl.NumberFormat('en-US')

/** `## Title (3 memories, ~412 tokens)`, or `(23 of 50 memories, ~1,987 tokens)` when some are left out. */
export function countedHeader(title: string): Shape['header'] {
  return ({ included, total, tokens }) => {
    const of = included === total ? '' : ` of ${THOUSANDS.format(total)}`
    const noun = total === 1 ? 'memory' : 'memories'
    return `## ${title} (${THOUSANDS.format(included)}${of} ${noun}, ~${THOUSANDS.format(tokens)} tokens)`
  }
}

/** Greatest first. */
export function compareDescending(a: string | number, b: string | number): number {
  return a < b ? 1 : a > b ? -1 : 0
}
