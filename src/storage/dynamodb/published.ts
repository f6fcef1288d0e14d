import type { Memory } from '../../model/memory.ts'
import type { Row } from '../reference/data.ts'
import type { StoredRow } from './memory-item.ts'
import { partitionOf } from './place.ts'

/** What decides whether a memory hides the one that it contradicts. */
export type Opponent = Pick<Row, 'visibleUntil'> & { memory: Pick<Memory, 'trust'> }

/**
 * Whether other programs may read the memory at the published key: it is not held, inactive, expired, or corrected. A
 * memory that another one contradicts is hidden, unless the other is hidden itself. An agent does not hide what an
 * operator said, except where an operator settled it so. Memories outside the commit are not read: what an operator said
 * stays where it was if the other memory is not in the commit.
 */
export function isPublished(
  { memory, visibleUntil }: Row,
  at: string,
  before: StoredRow | null,
  others: (id: string) => Opponent | undefined,
): boolean {
  if (visibleUntil <= at || wasReplaced(memory)) return false
  return !opponentsOf(memory).some((id) => {
    const other = others(id)
    if (other) return other.visibleUntil > at && (memory.trust !== 'operator' || other.memory.trust === 'operator')
    const wasHidden = before !== null && partitionOf(before.place) !== before.place.agentProjectKey
    return memory.trust !== 'operator' || (wasHidden && opponentsOf(before.row.memory).includes(id))
  })
}

function opponentsOf({ links }: Memory): string[] {
  return links.flatMap(({ relation, memory }) => (relation === 'contradictedBy' ? [memory] : []))
}

function wasReplaced({ metadata: { settled } }: Memory): boolean {
  return Array.isArray(settled) && settled.some((each) => (each as { as?: unknown } | null)?.as === 'replaced')
}
