import type { Scored } from './merge.ts'

/** A match that was left out because an active memory corrects it. */
export interface Correction {
  id: string
  by: string
}

/** The state of belief of the memories found. */
export interface Beliefs {
  /** By id: the id of the memory shown instead. */
  corrected: ReadonlyMap<string, string>
  /** By id: the id of the memory that says the same and is shown instead. */
  repeated: ReadonlyMap<string, string>
  /** By id: who says it and who disagrees. */
  disputed: ReadonlyMap<string, string>
}

/**
 * The results above the threshold, with corrections replacing what they correct, or preceding it with `keep`. A match
 * also counts for its correction, so that a question in the old words finds the new memory.
 */
export function putCorrections(
  scored: readonly Scored[],
  corrections: ReadonlyMap<string, string>,
  { threshold, keep }: { threshold: number; keep: boolean },
): { reaching: Scored[]; corrected: Correction[] } {
  if (corrections.size === 0) return { reaching: scored.filter(({ score }) => score >= threshold), corrected: [] }
  const corrected: Correction[] = []
  const best = new Map<string, number>()
  for (const { memory, score } of scored) {
    const by = corrections.get(memory.id)
    if (by === undefined || score < threshold) continue
    if (!keep) corrected.push({ id: memory.id, by })
    for (const id of followed(memory.id, corrections)) best.set(id, Math.max(score, best.get(id) ?? 0))
  }
  const reaching = scored
    .filter(({ memory }) => keep || !corrections.has(memory.id))
    .map((one) => ({ ...one, score: Math.max(one.score, best.get(one.memory.id) ?? 0) }))
    .filter(({ score }) => score >= threshold)
  return { reaching, corrected }
}

/** The same results, but each corrected memory comes directly after its correction. */
export function behindCorrections<T extends { memory: { id: string } }>(
  results: readonly T[],
  corrections: ReadonlyMap<string, string>,
): T[] {
  const placed: T[] = []
  const waiting = new Map<string, T[]>()
  const shown = new Set(results.map(({ memory }) => memory.id))
  const place = (one: T) => {
    placed.push(one)
    shown.delete(one.memory.id)
    for (const corrected of waiting.get(one.memory.id) ?? []) place(corrected)
  }
  for (const one of results) {
    const by = corrections.get(one.memory.id)
    if (by === undefined || !shown.has(by)) place(one)
    else waiting.set(by, [...(waiting.get(by) ?? []), one])
  }
  // Memories that correct each other in a cycle.
  return [...placed, ...results.filter(({ memory }) => shown.has(memory.id))]
}

/** The correction, its correction, and so on. */
function followed(id: string, corrections: ReadonlyMap<string, string>): Set<string> {
  const all = new Set<string>()
  for (let by = corrections.get(id); by !== undefined && !all.has(by); by = corrections.get(by)) all.add(by)
  return all
}
