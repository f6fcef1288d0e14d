import { MemoryError } from '../../model/errors.ts'
import type { Scope } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import type { Memory } from '../../model/memory.ts'
import { heldKey, rejectedKey } from '../../model/once-keys.ts'
import type { ReviewState } from '../../model/outcome.ts'
import type { Core } from '../core.ts'

/** What has become of words that would be held for review, where they were before. */
export interface Fate {
  review: ReviewState
  /** The memory that says them, held or accepted. */
  memory: Memory | null
}

const REASONS: Record<ReviewState, string> = {
  held: 'held for review already',
  accepted: 'accepted by an operator earlier',
  rejected: 'rejected by an operator earlier',
  removed: 'held for review before, and changed or removed since',
}

export function reasonOf({ review }: Pick<Fate, 'review'>): string {
  return REASONS[review]
}

/** Null: nobody has said these words in this scope so that they were held. */
export async function fateOf({ storage, attempt }: Core, scope: Scope, content: string): Promise<Fate | null> {
  const { layer, owner, project } = scope
  const [page, known] = await Promise.all([
    attempt(() =>
      storage.memories({
        scopes: [{ layer, owner, projects: [project] }],
        where: { text: content, trust: ['operator', 'quarantined'] },
        order: 'newest',
        limit: LIMITS.pageLimit,
        after: null,
        count: false,
        vectors: false,
      }),
    ),
    attempt(() => storage.known([heldKey(scope, { content }), rejectedKey(scope, { content })])),
  ])
  const same = page.items.map(({ memory }) => memory).filter((memory) => memory.content === content)
  const accepted = same.find(({ trust }) => trust === 'operator')
  if (accepted) return { review: 'accepted', memory: accepted }
  if (same[0]) return { review: 'held', memory: same[0] }
  if (known.has(rejectedKey(scope, { content }))) return { review: 'rejected', memory: null }
  return known.size > 0 ? { review: 'removed', memory: null } : null
}

/** Where each addition is a memory of its own, what is held is not added twice, and what was decided not a second time. */
export function saidBefore(fate: Fate | null, place: string): MemoryError {
  const { review, memory } = fate ?? { review: 'held', memory: null }
  const about = review === 'accepted' && memory !== null ? { id: memory.id } : {}
  return new MemoryError('CONFLICT', `Not stored: these words were ${reasonOf({ review })}.`, {
    details: { field: `${place}content`, review, ...about },
  })
}
