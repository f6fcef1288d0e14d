import { LIMITS } from '../model/limits.ts'
import { type Link, type Memory, REVIEW_TAG } from '../model/memory.ts'

/** The tags of a memory that an operator is to look at. */
export function putUp({ tags }: Memory): string[] {
  return tags.includes(REVIEW_TAG) ? tags : [...tags, REVIEW_TAG].slice(-LIMITS.tags)
}

/** Of very many links the newest stay. */
export function linked(memory: Memory, relation: Link['relation'], other: string): Link[] {
  // The last word counts: what was corrected and is said again corrects its correction.
  const rest = memory.links.filter((link) => link.memory !== other)
  return [...rest, { relation, memory: other }].slice(-LIMITS.links)
}
