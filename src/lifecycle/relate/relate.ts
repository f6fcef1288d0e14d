import type { EmbeddingProvider } from '../../embedding/provider.ts'
import { align } from './align.ts'
import { findConflicts } from './conflict.ts'
import { type Facets, readFacets } from './facets.ts'
import { type Comparison, judgeAgreement, judgeConflict, other } from './judge.ts'
import type { RelationVerdict } from './relation.ts'

export type { Relation, RelationVerdict } from './relation.ts'

/** A statement, with its unit-length embedding when there is one. */
export interface Statement {
  text: string
  vector: Float32Array | null
}

/** Decides how two statements stand to each other; a learned model can take the place of the rules. */
export interface Relater {
  relate(a: Statement, b: Statement): RelationVerdict
}

export interface RuleRelaterOptions {
  /** The embedding provider's own, for models whose cosines are compressed. */
  calibrate?: EmbeddingProvider['calibrate']
}

/**
 * Relates by rules: the words show what differs, words and embeddings together whether the topic is the same. Without
 * vectors it decides less often. Symmetric and deterministic.
 */
export function ruleRelater({ calibrate }: RuleRelaterOptions = {}): Relater {
  return {
    relate(a, b) {
      // One fixed order, so that the verdict cannot depend on which came first.
      const [first, second] = a.text <= b.text ? [a, b] : [b, a]
      const raw = cosine(first.vector, second.vector)
      const similarity = raw === null || calibrate === undefined ? raw : calibrate(raw)
      return decide(closestClauses(readFacets(first.text), readFacets(second.text), similarity))
    },
  }
}

function decide(pair: Comparison): RelationVerdict {
  const { one, two } = pair
  if (one.environments.size > 0 && two.environments.size > 0 && one.environments.isDisjointFrom(two.environments)) {
    return other(0.9, 'different environments')
  }
  const conflicts = findConflicts(one, two, pair.alignment)
  const [conflict, second] = conflicts
  if (conflict === undefined) return judgeAgreement(pair)
  if (second !== undefined && conflicts.every((each) => each.type !== 'scope')) {
    return other(0.6, `differs twice: ${conflict.reason}; ${second.reason}`)
  }
  return judgeConflict(conflict, pair)
}

/** Of statements with several clauses, the two that have most in common. */
function closestClauses(a: readonly Facets[], b: readonly Facets[], similarity: number | null): Comparison {
  const pairs = a.flatMap((one) => b.map((two) => ({ one, two, alignment: align(one, two), similarity })))
  return pairs.reduce((best, pair) => (pair.alignment.overlap() > best.alignment.overlap() ? pair : best))
}

/** Of two unit vectors; null when one is missing or they come from different models. */
function cosine(a: Float32Array | null, b: Float32Array | null): number | null {
  if (a === null || b === null || a.length !== b.length) return null
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return sum
}
