import { MemoryError } from '../../model/errors.ts'
import type { Scope } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import type { Memory } from '../../model/memory.ts'
import { heldKey, rejectedKey } from '../../model/once-keys.ts'
import type { ReviewState } from '../../model/outcome.ts'
import type { Core } from '../core.ts'

/** The earlier decision about a text that would be held for review. */
export interface PastReview {
  review: ReviewState
  /** The memory with this text, held or accepted. */
  memory: Memory | null
}

const REASONS: Record<ReviewState, string> = {
  held: 'already held for review',
  accepted: 'accepted by an operator earlier',
  rejected: 'rejected by an operator earlier',
  removed: 'held for review before, and has been changed or removed since',
}

export function reasonOf({ review }: Pick<PastReview, 'review'>): string {
  return REASONS[review]
}

/** Null: this text was never held in this scope. */
export async function reviewStateOf(
  { storage, attempt }: Core,
  scope: Scope,
  content: string,
): Promise<PastReview | null> {
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

/** For calls that must return a memory, when the caller may not read any. */
export function heldBefore({ review, memory }: PastReview): MemoryError {
  const about = review === 'accepted' && memory !== null ? { id: memory.id } : {}
  return new MemoryError('CONFLICT', `Not stored: this text was ${REASONS[review]}.`, {
    details: { field: 'content', review, ...about },
  })
}
