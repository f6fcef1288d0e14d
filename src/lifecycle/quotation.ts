import type { Memory } from '../model/memory.ts'
import { plainOf } from '../text/plain.ts'
import { tokenize } from '../text/tokens.ts'
import { cosineOf, type Relater, type Statement } from './relate/relate.ts'

/** A memory that a new observation may concern. */
export interface Neighbour {
  memory: Memory
  vector: Float32Array | null
  /** The speaking session has already reinforced it. */
  counted: boolean
  /** The speaker has already contradicted it. */
  opposed?: boolean
  /** The speaking session was shown it. */
  shown: boolean
  /** It comes from the same answer, whose lines seldom contradict each other. */
  together?: boolean
  /** It is in another layer: it can be linked to, but not changed. */
  elsewhere?: boolean
}

/**
 * From this value on, the nearest memory is taken as the quoted one: the cosine, or the share of the quoted words it
 * contains.
 */
const CLOSE_ENOUGH = 0.8
/** A shorter quotation must contain a number, or it could come from anywhere. */
const TELLING_WORDS = 3

/**
 * The memory an agent quotes: the same text, else the same meaning, else the nearest. A memory that contradicts the
 * quotation does not match. If two match equally well, the result is null, because a guess could change the wrong one.
 * Memories of the given category are preferred.
 */
export function findQuoted(
  quotation: Statement,
  neighbours: readonly Neighbour[],
  category: Memory['category'],
  relater: Relater,
): Neighbour | null {
  const own = neighbours.filter(({ memory }) => memory.category === category)
  const others = neighbours.filter(({ memory }) => memory.category !== category)
  return findAmong(quotation, own, relater) ?? findAmong(quotation, others, relater)
}

function findAmong(quotation: Statement, neighbours: readonly Neighbour[], relater: Relater): Neighbour | null {
  const same = neighbours.find(({ memory }) => sameWords(memory.content, quotation.text))
  if (same !== undefined) return same
  const words = new Set(tokenize(quotation.text))
  const fits = neighbours.flatMap((neighbour) => {
    const verdict = relater.relate(quotation, { text: neighbour.memory.content, vector: neighbour.vector })
    if (verdict.relation === 'contradicts') return []
    // The same meaning outranks any similarity.
    if (verdict.relation === 'same') return { neighbour, fit: 2 + verdict.score }
    const fit = Math.max(cosineOf(quotation.vector, neighbour.vector) ?? 0, coverage(words, neighbour.memory.content))
    return fit >= CLOSE_ENOUGH ? { neighbour, fit } : []
  })
  const best = Math.max(...fits.map(({ fit }) => fit))
  const [first, second] = fits.filter(({ fit }) => fit === best)
  return first !== undefined && second === undefined ? first.neighbour : null
}

/** The share of the quoted words that a text contains: a quotation is often partial. */
function coverage(words: ReadonlySet<string>, text: string): number {
  const telling = words.size >= TELLING_WORDS || [...words].some((word) => /\d/.test(word))
  return telling ? words.intersection(new Set(tokenize(text))).size / words.size : 0
}

/** Whether two texts differ only in case, spacing and the full stop. */
export function sameWords(a: string, b: string): boolean {
  return plainOf(a) === plainOf(b)
}
