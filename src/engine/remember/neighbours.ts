import type { Comparable } from '../../lifecycle/compare.ts'
import type { Neighbour } from '../../lifecycle/quotation.ts'
import { cosineOf } from '../../lifecycle/relate/relate.ts'
import type { Candidate } from '../../model/candidate.ts'
import { type Scope, scopeOf } from '../../model/layer.ts'
import { isVisible } from '../../model/memory.ts'
import { countedKey } from '../../model/once-keys.ts'
import { type Material, NEIGHBOURS } from './look-up.ts'
import type { PendingMemories } from './pending.ts'
import type { Clean } from './prepare.ts'

/** The state of a batch, for comparing a candidate. */
export interface Beheld {
  material: Material
  pending: PendingMemories
  /** Memories that the agent or the session has contradicted, in this batch or earlier. */
  opposed: ReadonlySet<string>
  session: string | undefined
  now: Date
}

/** The memory that a candidate names by id; null if it was not shown, or no longer exists. */
export function namedBy(
  { declares }: Candidate,
  { material: { named, known }, pending, opposed, session }: Beheld,
): Neighbour | null {
  const stored = declares?.memory === undefined ? undefined : named.get(declares.memory)
  if (stored === undefined) return null
  const changed = pending.get(stored.id)
  const counted = changed !== undefined || (session !== undefined && known.has(countedKey(session, stored.id)))
  return { memory: changed?.memory ?? stored, vector: null, counted, opposed: opposed.has(stored.id), shown: true }
}

/** Stored neighbours of a candidate, as changed by this batch, and the batch's own additions in its scope. */
export function neighboursOf(clean: Clean, { material, pending, opposed, session, now }: Beheld): Neighbour[] {
  const stored = material.neighbours.get(clean) ?? new Map()
  const found: Neighbour[] = [...stored.values()]
    .filter(({ memory }) => pending.get(memory.id) === undefined)
    .map(({ memory, vector }) => ({
      memory,
      vector,
      elsewhere: !sameScope(scopeOf(memory.layer, memory.identifiers), clean.scope),
      counted: session !== undefined && material.known.has(countedKey(session, memory.id)),
      opposed: opposed.has(memory.id),
      shown: material.shown.has(memory.id),
    }))
  for (const { memory, vector, fresh } of pending.all()) {
    if (!isVisible(memory, now) || !sameScope(scopeOf(memory.layer, memory.identifiers), clean.scope)) continue
    const own = vector ?? stored.get(memory.id)?.vector ?? null
    // This session has reinforced everything that this batch has.
    const seen = {
      counted: session !== undefined,
      opposed: opposed.has(memory.id),
      shown: material.shown.has(memory.id),
    }
    found.push({ memory, vector: own, ...seen, together: fresh })
  }
  return found
}

export function sameScope(a: Scope, b: Scope): boolean {
  return a.layer === b.layer && a.owner === b.owner && a.project === b.project
}

/** As many of a batch's earlier candidates as of stored memories: its cost must not grow with the square of its size. */
export function nearest<Peer extends Comparable>(
  peers: readonly Peer[],
  { embedding, quoted }: Clean,
): readonly Peer[] {
  if (peers.length <= NEIGHBOURS) return peers
  const vectors = [embedding.vector, ...(quoted ? [quoted.vector] : [])]
  const ranked = peers.map((peer) => ({
    peer,
    cosine: Math.max(...vectors.map((vector) => cosineOf(peer.vector, vector) ?? 1)),
  }))
  ranked.sort((a, b) => b.cosine - a.cosine)
  return ranked.slice(0, NEIGHBOURS).map(({ peer }) => peer)
}
