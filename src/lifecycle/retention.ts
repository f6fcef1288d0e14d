import { isWorkflow } from '../model/categories.ts'
import type { Layer } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'

/** The names are those of the configuration. */
export interface RetentionLimits {
  projectRetention: number
  sectionRetention: number
  taskRetention: number
  /** Across all scopes of a project. */
  maxKeep: number
}

export interface Retained extends Pick<Memory, 'id' | 'layer' | 'category' | 'importance' | 'createdAt' | 'trust'> {
  /** Identifies the scope: equal for memories of one scope within a layer. */
  scopeKey: string
  /** null if it has no project. */
  project: string | null
}

/**
 * Which active workflow memories to deactivate. First, each task, section and project keeps its newest. Then, if a
 * project still has more than `maxKeep`, the least important are dropped, oldest first. An operator's are dropped last,
 * so that no number of agents' memories removes one. Ties in time are ordered by id, the greater being newer. Other
 * layers have no limit of their own.
 */
export function planRetention(memories: readonly Retained[], limits: RetentionLimits): string[] {
  const perScope: Partial<Record<Layer, number>> = {
    project: limits.projectRetention,
    section: limits.sectionRetention,
    task: limits.taskRetention,
  }
  const seen = new Map<string, number>()
  const dropped: string[] = []
  const kept: Retained[] = []
  const keptFirst = (a: Retained, b: Retained) => isOperators(b) - isOperators(a) || compareAge(b, a)
  for (const memory of memories.filter(isWorkflow).sort(keptFirst)) {
    const scope = `${memory.layer} ${memory.scopeKey}`
    const newer = seen.get(scope) ?? 0
    seen.set(scope, newer + 1)
    if (newer < (perScope[memory.layer] ?? Number.POSITIVE_INFINITY)) kept.push(memory)
    else dropped.push(memory.id)
  }
  const byProject = Map.groupBy(kept, ({ project }) => project)
  return [...dropped, ...[...byProject.values()].flatMap((own) => surplusOf(own, limits.maxKeep))]
}

function surplusOf(kept: readonly Retained[], most: number): string[] {
  const leastFirst = kept.toSorted(
    (a, b) => isOperators(a) - isOperators(b) || a.importance - b.importance || compareAge(a, b),
  )
  return leastFirst.slice(0, Math.max(0, kept.length - most)).map(({ id }) => id)
}

function isOperators({ trust }: Retained): number {
  return Number(trust === 'operator')
}

/** Oldest first. */
function compareAge(a: Retained, b: Retained): number {
  return a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id) ? -1 : 1
}
