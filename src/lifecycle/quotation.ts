import type { Memory } from '../model/memory.ts'
import { tokenize } from '../text/tokens.ts'
import { cosineOf, type Relater, type Statement } from './relate/relate.ts'

/** A memory that a new observation may concern. */
export interface Neighbour {
  memory: Memory
  vector: Float32Array | null
  /** The session that speaks has counted for it already. */
  counted: boolean
  /** Whoever speaks has contradicted it already. */
  opposed?: boolean
  /** The session that speaks was shown it. */
  shown: boolean
  /** It was said in the same breath: lines of one answer seldom contradict each other. */
  together?: boolean
  /** It belongs to another layer: it can be linked to, and is not changed from here. */
  elsewhere?: boolean
}

/** From so much on, the nearest memory is taken to be the quoted one: the cosine, or the share of the quoted words it has. */
const CLOSE_ENOUGH = 0.8
/** Fewer quoted words than this must hold a number, or they could come from anywhere. */
const TELLING_WORDS = 3

/**
 * The memory that an agent quotes, in its own words: the same text, else the same meaning, else the nearest one. A memory
 * that contradicts the quotation is not it, and of two that fit alike none is taken, for a guess would change the wrong
 * one. Those of the given category go first.
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
    // The same meaning beats any nearness.
    if (verdict.relation === 'same') return { neighbour, fit: 2 + verdict.score }
    const fit = Math.max(cosineOf(quotation.vector, neighbour.vector) ?? 0, coverage(words, neighbour.memory.content))
    return fit >= CLOSE_ENOUGH ? { neighbour, fit } : []
  })
  const best = Math.max(...fits.map(({ fit }) => fit))
  const [first, second] = fits.filter(({ fit }) => fit === best)
  return first !== undefined && second === undefined ? first.neighbour : null
}

/** The share of the quoted words that a text has: a quotation is often a part of what it quotes. */
function coverage(words: ReadonlySet<string>, text: string): number {
  const telling = words.size >= TELLING_WORDS || [...words].some((word) => /\d/.test(word))
  return telling ? words.intersection(new Set(tokenize(text))).size / words.size : 0
}

/** Whether two texts differ at most in case, spacing and the full stop. */
export function sameWords(a: string, b: string): boolean {
  return plain(a) === plain(b)
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim().replace(/\.$/, '')
}
