import { CHARACTERS_PER_TOKEN } from '../model/limits.ts'

/** The result of a renderer. It does not depend on the order of the memories given. */
export interface Rendered {
  /** Empty if there is nothing to show. */
  text: string
  /** In display order, each with the cost of its own line. */
  included: { id: string; tokens: number }[]
  omitted: { id: string; reason: string }[]
  /** For the whole text. */
  tokens: number
}

/** Tokens of a text as the budget counts them: one per four UTF-16 units, rounded up. */
export function estimateTokens(text: string): number {
  return tokensOf(text.length)
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}

/** One memory as a line of a block. */
export interface Line {
  id: string
  /** Lines of one group are kept together. */
  group: string
  text: string
}

interface Counts {
  included: number
  total: number
}

/** The layout of a block: the header, and for each group its opening and its lines, one per line. */
export interface Shape {
  /** Must not get shorter when `tokens` grows. */
  header(counts: Counts & { tokens: number }): string
  /** The text between the header or previous group and the first line, without the last line break. */
  opening(group: string): string
  compareGroups(a: string, b: string): number
}

export interface Room {
  characters: number
  lines: number
  /** Memories that were not passed in, and count as left out. */
  further?: number
}

/**
 * Takes lines in order while the whole block, with header and openings, fits. A line that does not fit is skipped, and
 * a smaller one after it may still be taken.
 */
export function fitBlock(lines: readonly Line[], shape: Shape, room: Room): Rendered {
  const total = lines.length + (room.further ?? 0)
  const all = takeAll(lines, shape)
  // A header without omissions may be shorter, so try to fit everything first.
  const fitsWhole =
    total === lines.length &&
    total <= room.lines &&
    lengthOf(all.characters, { included: total, total }, shape) <= room.characters
  const { chosen, omitted } = fitsWhole ? { chosen: all, omitted: [] } : takeSome(lines, shape, room)
  const taken = [...chosen.groups.values()].flat()
  if (taken.length === 0) return { text: '', included: [], omitted, tokens: 0 }

  const groups = [...chosen.groups].sort(([a], [b]) => shape.compareGroups(a, b))
  const body = groups.map(([group, own]) => shape.opening(group) + own.map(({ text }) => `\n${text}`).join(''))
  const text = settleHeader(chosen.characters, { included: taken.length, total }, shape) + body.join('')
  const included = groups.flatMap(([, own]) => own.map((line) => ({ id: line.id, tokens: estimateTokens(line.text) })))
  return { text, included, omitted, tokens: estimateTokens(text) }
}

/** The lines taken so far, by group, and the size of the block without its header. */
interface Chosen {
  groups: Map<string, Line[]>
  characters: number
}

function takeAll(lines: readonly Line[], shape: Shape): Chosen {
  const chosen: Chosen = { groups: new Map(), characters: 0 }
  for (const line of lines) take(chosen, line, costOf(chosen, line, shape))
  return chosen
}

function takeSome(lines: readonly Line[], shape: Shape, room: Room): { chosen: Chosen; omitted: Rendered['omitted'] } {
  const chosen: Chosen = { groups: new Map(), characters: 0 }
  const omitted: Rendered['omitted'] = []
  const total = lines.length + (room.further ?? 0)
  let included = 0
  for (const line of lines) {
    if (included >= room.lines) {
      omitted.push({ id: line.id, reason: `there is room for ${room.lines} entries` })
      continue
    }
    const cost = costOf(chosen, line, shape)
    const characters = chosen.characters + cost
    const shortestHeader = shape.header({ included: included + 1, total, tokens: 0 }).length
    const left = room.characters - chosen.characters - shortestHeader
    const fits = cost <= left && lengthOf(characters, { included: included + 1, total }, shape) <= room.characters
    if (!fits) {
      omitted.push({ id: line.id, reason: `over budget: needs ${cost} characters, ${Math.max(0, left)} are left` })
      continue
    }
    take(chosen, line, cost)
    included++
  }
  return { chosen, omitted }
}

function costOf({ groups }: Chosen, line: Line, shape: Shape): number {
  return (groups.has(line.group) ? 0 : shape.opening(line.group).length) + 1 + line.text.length
}

function take(chosen: Chosen, line: Line, cost: number): void {
  const group = chosen.groups.get(line.group)
  if (group === undefined) chosen.groups.set(line.group, [line])
  else group.push(line)
  chosen.characters += cost
}

function lengthOf(characters: number, counts: Counts, shape: Shape): number {
  return settleHeader(characters, counts, shape).length + characters
}

/**
 * The header states the token count of the whole block, including itself, so its length and the number depend on each
 * other. The number only grows from round to round, by less each time, so this terminates, usually in the second round.
 */
function settleHeader(characters: number, counts: Counts, shape: Shape): string {
  let tokens = tokensOf(characters)
  for (;;) {
    const header = shape.header({ ...counts, tokens })
    const whole = tokensOf(header.length + characters)
    if (whole === tokens) return header
    tokens = whole
  }
}
