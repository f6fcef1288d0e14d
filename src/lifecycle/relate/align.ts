import type { Content } from './content.ts'
import type { Facets } from './facets.ts'

/** Which topic words two statements share, and which only one of them has. */
export interface Alignment {
  restA: readonly Content[]
  restB: readonly Content[]
  shared: readonly Content[]
  /** The share of the weight that is common, without the words in `except`: 0 to 1. */
  overlap(except?: ReadonlySet<Content>): number
}

export function align(a: Facets, b: Facets): Alignment {
  const open = new Set(b.content)
  const restA: Content[] = []
  const shared: Content[] = []
  let common = 0
  for (const content of a.content) {
    const partner = [...open].find((other) => sameConcept(content.concept, other.concept))
    if (partner === undefined) restA.push(content)
    else {
      open.delete(partner)
      shared.push(content)
      common += content.weight + partner.weight
    }
  }
  const restB = [...open]
  return {
    restA,
    restB,
    shared,
    overlap(except = new Set()) {
      const rest = [...restA, ...restB].filter((content) => !except.has(content))
      const total =
        common + rest.reduce((sum, content) => sum + (content.minor ? 0.25 * content.weight : content.weight), 0)
      return total === 0 ? 0 : common / total
    },
  }
}

/** Equal, or one stem the beginning of the other, as in `deliver` and `deliveri`. */
function sameConcept(a: string, b: string): boolean {
  if (a === b) return true
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return short.length >= 5 && long.length - short.length <= 3 && long.startsWith(short)
}
