import type { StoredMemory } from './memory-query.ts'

/** A copy for the caller, who may change it. The vector is shared, since it is only read. */
export function copyOf({ memory, vector }: StoredMemory): StoredMemory {
  const { identifiers, tags, metadata, links, thread } = memory
  return {
    memory: {
      ...memory,
      identifiers: { ...identifiers },
      tags: tags.length === 0 ? [] : [...tags],
      metadata: isEmpty(metadata) ? {} : structuredClone(metadata),
      links: links.length === 0 ? [] : links.map((link) => ({ ...link })),
      thread: thread && { ...thread },
    },
    vector,
  }
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false
  return true
}
