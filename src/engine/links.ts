import { LIMITS } from '../model/limits.ts'
import { type Link, type Memory, REVIEW_TAG } from '../model/memory.ts'

/** Tags for memories that an operator should review. */
export function putUp({ tags }: Memory): string[] {
  return tags.includes(REVIEW_TAG) ? tags : [...tags, REVIEW_TAG].slice(-LIMITS.tags)
}

/** If there are many links, the newest are kept. */
export function linked(memory: Memory, relation: Link['relation'], other: string): Link[] {
  // The latest statement counts: if a corrected statement is repeated, it corrects its correction.
  const rest = memory.links.filter((link) => link.memory !== other)
  return [...rest, { relation, memory: other }].slice(-LIMITS.links)
}
