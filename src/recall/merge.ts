import { type Layer, precedence } from '../model/layer.ts'
import { DEFAULTS } from '../model/limits.ts'
import type { Memory } from '../model/memory.ts'
import { dot } from '../vector/dot.ts'

/** A memory with its evidence, before layers are merged. */
export interface Scored {
  memory: Memory
  layer: Layer
  score: number
  semantic: number | null
  keyword: number
  vector: Float32Array | null
  /** The query terms it contains, as a bit mask. */
  held: number
}

export type Order = 'precedence' | 'relevance'

/** (1 + cosine) / 2 above which two memories say the same. */
const DUPLICATE = 0.95

export type Merged = Scored & { collapsed: string[] }

/**
 * Takes the best scores over all layers, up to the limit and with a place for the nearest, and sorts them. Duplicates are folded into the one of higher
 * precedence and keep the better score. Within a layer only identical text is a duplicate: near-identical sentences
 * there may contradict each other, and both must be shown.
 */
export function mergeLayers(
  results: readonly Scored[],
  order: Order,
  limit: number,
): { merged: Merged[]; totalCount: number } {
  const kept: Merged[] = []
  /** The results kept, by normalised text, so that each text is normalised once. */
  const places = new Map<string, number>()
  for (const candidate of results.toSorted(comparer('relevance'))) {
    const text = plain(candidate)
    const same = places.get(text) ?? Number.POSITIVE_INFINITY
    const near = kept.findIndex((other, i) => i < same && isNear(other, candidate))
    const twin = near < 0 ? same : near
    if (twin === Number.POSITIVE_INFINITY) {
      places.set(text, kept.push({ ...candidate, collapsed: [] }) - 1)
      continue
    }
    const other = kept[twin]!
    if (precedence(candidate.layer) < precedence(other.layer)) {
      places.delete(plain(other))
      places.set(text, twin)
      kept[twin] = { ...candidate, score: other.score, collapsed: [other.memory.id, ...other.collapsed] }
    } else {
      other.collapsed.push(candidate.memory.id)
    }
  }
  return { merged: best(kept, order, limit).sort(comparer(order)), totalCount: kept.length }
}

/** The best of these. If nearer layers come first, the nearest layer with an answer keeps a place. */
function best(all: readonly Merged[], order: Order, limit: number): Merged[] {
  const chosen = all.slice(0, limit)
  if (order === 'relevance' || limit < 2 || chosen.length === all.length) return chosen
  const answers = all.filter(({ score }) => score >= DEFAULTS.threshold)
  const nearest = Math.min(...answers.map(({ layer }) => precedence(layer)))
  const isNearest = ({ layer }: Merged) => precedence(layer) === nearest
  if (answers.length > 0 && !chosen.some(isNearest)) chosen[limit - 1] = answers.find(isNearest)!
  return chosen
}

function comparer(order: Order): (a: Scored, b: Scored) => number {
  const byPrecedence = (a: Scored, b: Scored) => precedence(a.layer) - precedence(b.layer)
  const byScore = (a: Scored, b: Scored) => b.score - a.score
  const [first, second] = order === 'precedence' ? [byPrecedence, byScore] : [byScore, byPrecedence]
  return (a, b) => first(a, b) || second(a, b) || (a.memory.id < b.memory.id ? 1 : -1)
}

/**
 * Whether two from different layers have the same meaning. A correction is similar to what it corrects, but differs.
 */
function isNear(a: Scored, b: Scored): boolean {
  if (a.layer === b.layer || a.vector === null || b.vector === null) return false
  if ((1 + dot(a.vector, b.vector)) / 2 < DUPLICATE) return false
  return !contradicts(a.memory, b.memory) && !contradicts(b.memory, a.memory)
}

function contradicts({ links }: Memory, { id }: Memory): boolean {
  return links.some(({ relation, memory }) => memory === id && relation.startsWith('contradict'))
}

/** The text without case and extra spaces. */
function plain({ memory }: Scored): string {
  return memory.content.toLowerCase().replace(/\s+/g, ' ').trim()
}
