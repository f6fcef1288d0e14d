import { decayed } from '../../lifecycle/decay.ts'
import { EVENT_CATEGORIES } from '../../model/categories.ts'
import { type Identifiers, precedence, readableScopes, type ScopeSelector } from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'
import { recurringLessons } from '../../recall/merge-lessons.ts'
import type { Conditions } from '../../storage/conditions.ts'
import type { MemoryOrder } from '../../storage/memory-query.ts'
import { readable } from '../claim.ts'
import type { Core } from '../core.ts'

/** More candidates than fit any budget. */
const MOST_CANDIDATES = 1200

/** Categories for the start of a session: not how tasks went, unless an operator wrote it. */
const AT_START: readonly Conditions[] = [
  { exceptCategories: EVENT_CATEGORIES },
  { categories: EVENT_CATEGORIES, trust: ['operator'] },
]

const REJECTIONS: Conditions = { categories: ['rejection'] }

export interface Listed {
  memories: Memory[]
  total: number
}

/** The memories a context may contain, for one reader at one time. */
export class Lists {
  readonly #core: Core
  readonly #who: Identifiers | null
  readonly #now: Date

  constructor(core: Core, who: Identifiers | null, now: Date) {
    this.#core = core
    this.#who = who
    this.#now = now
  }

  async atStart(scopes: readonly ScopeSelector[] | null): Promise<Listed> {
    const lists = await Promise.all(AT_START.map((where) => this.list(scopes, where, 'confidence')))
    const lessons = await this.#recurring()
    return {
      memories: [...lists.flatMap(({ memories }) => memories), ...lessons],
      total: lists.reduce((sum, { total }) => sum + total, lessons.length),
    }
  }

  /** Why several of the project's tasks were rejected. A task sees this in its own block. */
  async #recurring(): Promise<Memory[]> {
    const { projectId, sectionId, taskId } = this.#who ?? {}
    if (projectId === undefined || sectionId !== undefined || taskId !== undefined) return []
    const { memories } = await this.list([{ layer: 'task', agentsOf: projectId }], REJECTIONS, 'newest')
    return recurringLessons(memories, this.#now)
  }

  /**
   * Memories of the task, its section and its project. What earlier tasks of the same section recorded counts as
   * the section's, so that the next task sees it. Tasks without a section share their memories in the project.
   */
  async workflow(): Promise<Memory[]> {
    const who = this.#who ?? {}
    const own = (['task', 'section', 'project'] as const).flatMap((layer) => readableScopes(layer, who) ?? [])
    const { sectionId, projectId, taskId } = who
    const shares = sectionId !== undefined || (taskId !== undefined && projectId !== undefined)
    const tasks: ScopeSelector[] = shares
      ? [{ layer: 'task', section: sectionId ?? null, project: projectId ?? null }]
      : []
    return (await this.list([...own, ...tasks], {}, 'importance')).memories
  }

  /** Why tasks of other sections were rejected: if it recurs there, it concerns this section too. */
  async rejectedElsewhere(): Promise<Memory[]> {
    const { projectId, sectionId, taskId } = this.#who ?? {}
    if (projectId === undefined || (sectionId === undefined && taskId === undefined)) return []
    const { memories } = await this.list([{ layer: 'task', agentsOf: projectId }], REJECTIONS, 'newest')
    return memories.filter(({ identifiers }) => identifiers.sectionId !== sectionId && identifiers.taskId !== taskId)
  }

  async list(scopes: readonly ScopeSelector[] | null, where: Conditions, order: MemoryOrder): Promise<Listed> {
    const { storage, attempt } = this.#core
    const page = await attempt(() =>
      storage.memories({
        scopes,
        where: { ...where, visibleAt: this.#now.toISOString() },
        order,
        limit: MOST_CANDIDATES,
        after: null,
        count: true,
        vectors: false,
      }),
    )
    const memories = page.items.map(({ memory }) => decayed(memory, this.#now, this.#core.settings.decay))
    return { memories, total: page.totalCount ?? memories.length }
  }

  /** What an agent shares with others: the layers from the project up. */
  async sharedScopes(): Promise<ScopeSelector[]> {
    const scopes = (await this.scopes()) ?? []
    return scopes.filter(({ layer }) => precedence(layer) >= precedence('project'))
  }

  async scopes(): Promise<readonly ScopeSelector[] | null> {
    return this.#who === null ? null : (await readable(this.#core, this.#who, undefined)).scopes
  }
}
