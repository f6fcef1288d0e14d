import type { Alignment } from './align.ts'
import { ACTS_ON, type Content } from './content.ts'

const PLACE = new Set(['in', 'on', 'at', 'to', 'into', 'onto', 'by', 'from', 'under'])
const MEANS = new Set(['with', 'via', 'through', 'by', 'over', 'as', ...ACTS_ON])
const BE = new Set(['is', 'are', 'was', 'were', 'be'])
/** What is asked for or served, several of which hold side by side. */
const OPEN = new Set(['need', 'for'])
/** Kinds that say where or when, wherever they stand. */
const ANYWHERE = new Set(['weekday', 'path', 'channel', 'address'])
const IDENTIFIERS = new Set(['path', 'channel', 'address', 'identifier'])
/** Kinds of circumstance: against a word of unknown kind they show another aspect. */
const CIRCUMSTANCE = new Set(['weekday', 'arch', 'ip', 'month', 'format', 'scheme', 'language'])

/** The words that fill one slot with two different values: an owner, a place, a tool. Null without such a slot. */
export function findRivals(alignment: Alignment): [Content[], Content[]] | null {
  const { restA, restB, shared } = alignment
  if (!shared.some((content) => content.weight >= 0.4)) return null
  const kinds = kindsOf(restA).intersection(kindsOf(restB))
  const [left, right] = [slotValue(restA, kinds), slotValue(restB, kinds)]
  if (left === null || right === null || [...left, ...right].every((content) => content.weight < 1)) return null
  return fillOneSlot(left, right, shared) ? [left, right] : null
}

function kindsOf(rest: readonly Content[]): Set<string | null> {
  return new Set(rest.filter((content) => content.kind !== null).map((content) => content.kind))
}

/** The words that only one statement has: things of a kind that both name, else all when they form one phrase. */
function slotValue(rest: readonly Content[], kinds: ReadonlySet<string | null>): Content[] | null {
  const heavy = rest.filter(
    (content) => content.weight >= 1 && !content.minor && (kinds.size === 0 || kinds.has(content.kind)),
  )
  const value = heavy.length > 0 ? heavy : rest.filter((content) => PLACE.has(content.marker))
  const first = value[0]
  if (first === undefined || value.some((content) => content.marker !== first.marker || content.conditional))
    return null
  return value
}

function fillOneSlot(left: readonly Content[], right: readonly Content[], shared: readonly Content[]): boolean {
  const [x, y] = [left[0] as Content, right[0] as Content]
  const [kind, otherKind] = [left, right].map((value) => value.find((content) => content.kind !== null)?.kind ?? null)
  const sameKind = kind !== null && kind === otherKind
  if (!sameKind && [kind, otherKind].some((each) => each && (CIRCUMSTANCE.has(each) || (kind && otherKind))))
    return false
  if (OPEN.has(x.marker) || OPEN.has(y.marker)) return false
  if (sameKind && ANYWHERE.has(kind ?? '')) return true
  const owned = shared.some((content) => content.concept === 'own')
  const used = shared.some((content) => content.concept === 'us')
  const equated = BE.has(x.marker) || BE.has(y.marker)
  if (x.marker === '' || y.marker === '') return owned || (sameKind && (used || equated))
  if (sameKind) return true
  if ([kind, otherKind].some((each) => IDENTIFIERS.has(each ?? ''))) return false
  const names = x.named && y.named
  if (equated) return names || owned
  const sameRole = [PLACE, MEANS].some((role) => role.has(x.marker) && role.has(y.marker))
  // Common nouns fill many slots: at most one word each.
  return sameRole && (names || left.length + right.length === 2)
}
