import type { Candidate } from '../../model/candidate.ts'
import type { JsonObject } from '../../model/fields.ts'
import { landingLayer, SHARED_NOTE } from '../../model/landing.ts'
import type { Identifiers, Layer } from '../../model/layer.ts'
import type { Caller, Core } from '../core.ts'
import { isWithin } from '../within.ts'
import type { Target } from './target.ts'

export type Landing = (candidate: Candidate) => { layer: Layer; identifiers: Identifiers; metadata: JsonObject }

/**
 * Where candidates are stored. An explicit layer takes precedence. A statement about a project's memory also goes to the project: a correction
 * must be visible where the error was.
 */
export async function landingFor(core: Core, target: Target, candidates: readonly Candidate[]): Promise<Landing> {
  const shared = await sharedOf(core, target, candidates)
  return (candidate) => {
    const identifiers = { ...target.identifiers, ...candidate.identifiers }
    const about = candidate.declares?.memory
    const usual =
      about !== undefined && shared.has(about)
        ? 'project'
        : landingLayer(candidate.category, identifiers, target.private)
    const named = target.layer ?? candidate.layer
    const isShared = named === undefined && usual === 'agent' && !target.private && identifiers.projectId !== undefined
    const { [SHARED_NOTE]: _, ...metadata } = candidate.metadata
    return { layer: named ?? usual, identifiers, metadata: isShared ? { ...metadata, [SHARED_NOTE]: true } : metadata }
  }
}

/** Whether this caller's findings stay with its agent: by the settings, or because it may not write to the project. */
export function isPrivate({ settings }: Core, { within }: Caller, identifiers: Identifiers): boolean {
  if (settings.private || within === undefined || identifiers.projectId === undefined) return settings.private
  return !isWithin(within, { layer: 'project', identifiers })
}

/** Which of the memories named by candidates are the project's. */
async function sharedOf(
  { storage, attempt }: Core,
  { identifiers: { projectId } }: Target,
  candidates: readonly Candidate[],
): Promise<ReadonlySet<string>> {
  const named = candidates.flatMap(({ declares }) => declares?.memory ?? [])
  if (named.length === 0) return new Set()
  const found = await attempt(() => storage.get([...new Set(named)]))
  const own = found.filter(({ memory }) => memory.layer === 'project' && memory.identifiers.projectId === projectId)
  return new Set(own.map(({ memory }) => memory.id))
}
