import { z } from 'zod'
import { decayed } from '../lifecycle/decay.ts'
import { EVENT_CATEGORIES } from '../model/categories.ts'
import { idSchema, text } from '../model/fields.ts'
import { type Identifiers, precedence, readableScopes, requireIdentifier, type ScopeSelector } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import { type Memory, memorySchema } from '../model/memory.ts'
import { repeatKey } from '../model/once-keys.ts'
import { parseInput } from '../model/parse.ts'
import { claimFields, keySchema, searchSchema } from '../model/schema.ts'
import type { Rendered } from '../recall/budget.ts'
import type { Correction } from '../recall/corrections.ts'
import { recurringLessons } from '../recall/merge-lessons.ts'
import { type AskedLook, askedShare, joinAsked } from '../recall/render-asked.ts'
import { renderFile, spellingOf } from '../recall/render-file.ts'
import { renderOperational } from '../recall/render-operational.ts'
import { renderQuery } from '../recall/render-query.ts'
import { renderWorkflow } from '../recall/render-workflow.ts'
import type { Conditions } from '../storage/conditions.ts'
import type { MemoryOrder, MemoryPage } from '../storage/memory-query.ts'
import { readable, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { leaveOutCorrected } from './corrected.ts'
import { findFor } from './recall.ts'
import { showingEvent } from './run-events.ts'
import { searchMemories } from './search.ts'
import { beginning, requireOwnSession, storeShowing } from './sessions.ts'
import { writeDecayOf } from './sweep.ts'
import { commitAll } from './write.ts'

export const CONTEXT_FORMATS = ['operational', 'workflow', 'file', 'query'] as const
export type ContextFormat = (typeof CONTEXT_FORMATS)[number]

const common = {
  ...claimFields,
  /** Tokens of the whole block. */
  budget: z.int().min(1).optional(),
  /** The session that is shown this. With it the showing is recorded; without, someone only looks. */
  session: idSchema.optional(),
  key: keySchema,
}

export const contextSchema = z.union([
  z.strictObject({
    ...common,
    format: z.enum(['operational', 'workflow', 'file']).default('operational'),
    /** Of `file`: it goes into a prompt, where no import is read, so code stays as it was written (`@Autowired`). */
    inPrompt: z.boolean().optional(),
    /** The prompt or task that the session begins with: where not everything fits, what it calls for comes too. */
    for: text(LIMITS.query, 'QUERY_TOO_LONG').optional(),
  }),
  z.strictObject({
    ...common,
    format: z.literal('query'),
    /** What the agent is about to do. */
    query: text(LIMITS.query, 'QUERY_TOO_LONG'),
    threshold: searchSchema.shape.threshold,
  }),
])
export type ContextRequest = z.input<typeof contextSchema>
type ParsedContext = z.output<typeof contextSchema>

export const contextResultSchema = z.strictObject({
  format: z.enum(CONTEXT_FORMATS),
  /** The empty string when there is nothing to say. */
  text: z.string(),
  /** In the order shown, each with what its own line costs. */
  included: z.array(z.strictObject({ id: idSchema, tokens: z.int() })),
  omitted: z.array(z.strictObject({ id: idSchema, reason: z.string() })),
  /** Of the whole text. */
  tokens: z.int(),
  /** The memories behind `included`, in the order shown. */
  memories: z.array(memorySchema),
  /** Memories that could have been shown. */
  available: z.int(),
})
export type Context = z.output<typeof contextResultSchema>

/** More candidates than any budget has room for. */
const MOST_CANDIDATES = 1200

/** Room for everything. */
const ENDLESS = Number.MAX_SAFE_INTEGER

/** What a session is told at its start: not how tasks went, unless an operator wrote it. */
const AT_START: readonly Conditions[] = [
  { exceptCategories: EVENT_CATEGORIES },
  { categories: EVENT_CATEGORIES, trust: ['operator'] },
]

/**
 * The block of memories that an agent is shown: bounded, stable, safe, with what was left out and why. Where memory is
 * switched off, nothing is shown and nothing recorded.
 */
export async function buildContext(core: Core, caller: Caller, input: ContextRequest): Promise<Context> {
  const request = parseContext(input)
  const who = resolveClaim(caller, request)
  if (!core.settings.enabled) return nothing(request.format)
  const reader = new Reader(core, caller, request, who)
  const { rendered, memories, available } = await reader.render()
  const byId = new Map(memories.map((memory) => [memory.id, memory]))
  const shown = rendered.included.map(({ id }) => byId.get(id)!)
  if (request.session !== undefined) await reader.record(rendered)
  return { ...rendered, format: request.format, memories: shown, available }
}

/** A union reports the branch that was meant: that of the format. */
function parseContext(input: ContextRequest): ParsedContext {
  const [plain, query] = contextSchema.options
  return input?.format === 'query' ? parseInput(query, input, 'context') : parseInput(plain, input, 'context')
}

export function nothing(format: ContextFormat): Context {
  return { format, text: '', included: [], omitted: [], tokens: 0, memories: [], available: 0 }
}

const REJECTIONS: Conditions = { categories: ['rejection'] }

interface Listed {
  memories: Memory[]
  total: number
}

interface Material {
  rendered: Rendered
  memories: Memory[]
  available: number
}

class Reader {
  readonly #core: Core
  readonly #caller: Caller
  readonly #request: ParsedContext
  readonly #who: Identifiers | null
  readonly #now: Date

  constructor(core: Core, caller: Caller, request: ParsedContext, who: Identifiers | null) {
    this.#core = core
    this.#caller = caller
    this.#request = request
    this.#who = who
    this.#now = core.now()
  }

  /** The session, what it was shown, and what age took from the memories that it may see. */
  async record({ included, omitted }: Rendered): Promise<void> {
    const { session, format, key } = this.#request
    const identifiers = this.#who ?? {}
    const entries = included.map(({ id, tokens }, position) => ({ memory: id, position, tokens }))
    if (entries.length > 0) {
      await storeShowing(this.#core, this.#caller, {
        session: session!,
        format,
        entries,
        identifiers,
        at: this.#now,
        key: repeatKey(key, 'context', identifiers, session, format),
        also: showingEvent(session!, identifiers, this.#now, {
          format,
          shown: entries.length,
          omitted: omitted.map(({ id, reason }) => ({ memory: id, reason })),
        }),
      })
    } else {
      await requireOwnSession(this.#core, this.#caller, session!)
      const named = repeatKey(key, 'context', identifiers, session, format)
      const own = named === undefined ? {} : { key: named }
      const writes = [beginning(session!, identifiers, this.#now)]
      await commitAll(this.#core, { ...own, by: this.#caller.by, at: this.#now, writes })
    }
    const scopes = await this.#scopes()
    // The whole store is left to `sweep`.
    if (scopes !== null) await writeDecayOf(this.#core, scopes)
  }

  async render(): Promise<Material> {
    const now = this.#now
    const request = this.#request
    const budget = request.budget ?? this.#core.budget
    switch (request.format) {
      case 'operational': {
        const found = await this.#atStart(await this.#scopes())
        const settled = (room: number) =>
          settle(found, now, (memories, { total, disputed }) =>
            renderOperational(memories, { now, budget: room, total, disputed }),
          )
        return this.#andAsked(found, settled, { header: '### For this task' })
      }
      case 'workflow': {
        const [memories, elsewhere] = [await this.#workflow(), await this.#rejectedElsewhere()]
        const about = { taskId: this.#who?.taskId ?? null, task: request.for }
        const found = { memories: [...memories, ...elsewhere], total: memories.length }
        const isOwn = new Set(memories.map(({ id }) => id))
        return settle(found, now, (kept, { disputed }) => {
          const { own = [], others = [] } = Object.groupBy(kept, ({ id }) => (isOwn.has(id) ? 'own' : 'others'))
          return renderWorkflow(own, { now, ...about, elsewhere: others, maxCharacters: 4 * budget, disputed })
        })
      }
      case 'file': {
        const who = this.#who ?? {}
        requireIdentifier('agent', who)
        const selector = readableScopes('agent', who)
        // Every agent is every one of a project.
        if (selector === null) requireIdentifier('project', who)
        const own = await this.#list(selector === null ? [] : [selector], {}, 'newest')
        const shared = await this.#atStart(await this.#sharedScopes())
        const found = { memories: [...own.memories, ...shared.memories], total: own.total + shared.total }
        const { inPrompt } = request
        const settled = (room: number) =>
          settle(found, now, (memories, { disputed }) => {
            const { mine = [], others = [] } = Object.groupBy(memories, ({ layer }) =>
              layer === 'agent' ? 'mine' : 'others',
            )
            const lines = room === ENDLESS ? { lines: ENDLESS } : {}
            return renderFile(mine, { now, disputed, shared: { memories: others, budget: room }, inPrompt, ...lines })
          })
        const look = { header: '## For this task\n', room: askedShare(budget), spell: spellingOf({ inPrompt }) }
        return this.#andAsked(found, settled, look)
      }
      case 'query': {
        const { query, threshold } = request
        const found = await searchMemories(this.#core, this.#caller, {
          ...(this.#who === null ? { everything: true } : { identifiers: this.#who }),
          query,
          threshold,
          limit: LIMITS.searchLimit,
          order: 'relevance',
          explain: true,
        })
        const score = new Map(found.results.map((result) => [result.memory.id, result]))
        const memories = found.results.map((result) => result.memory)
        const disputes = found.results.flatMap(({ memory, disputed }): [string, string][] =>
          disputed === undefined ? [] : [[memory.id, disputed]],
        )
        const { corrected = [] } = found
        return settle({ memories, total: found.totalCount + corrected.length, corrected }, now, (kept, { disputed }) =>
          renderQuery(
            kept.map(({ id }) => score.get(id)!),
            { now, budget, disputed: new Map([...disputes, ...disputed]) },
          ),
        )
      }
    }
  }

  /** Everything while it fits; else less of it, with what the task calls for behind it. */
  async #andAsked(found: Listed, settled: (room: number) => Material, look: AskedLook): Promise<Material> {
    const [now, budget, task] = [this.#now, this.#request.budget ?? this.#core.budget, this.#request]
    const whole = settled(budget)
    if (!('for' in task) || task.for === undefined) return whole
    const { included } = settled(ENDLESS).rendered
    if (found.total === found.memories.length && whole.rendered.included.length === included.length) return whole
    const { current, disputed } = await findFor(this.#core, this.#caller, this.#who, task.for, now)
    const { rendered, memories, available } = settled(budget - askedShare(budget))
    const known = new Set(memories.map(({ id }) => id))
    const further = current.map(({ memory }) => memory).filter(({ id }) => !known.has(id))
    return {
      rendered: joinAsked(rendered, current, { ...look, now, budget, disputed }),
      memories: [...memories, ...further],
      available,
    }
  }

  async #atStart(scopes: readonly ScopeSelector[] | null): Promise<Listed> {
    const lists = await Promise.all(AT_START.map((where) => this.#list(scopes, where, 'confidence')))
    const lessons = await this.#recurring()
    return {
      memories: [...lists.flatMap(({ memories }) => memories), ...lessons],
      total: lists.reduce((sum, { total }) => sum + total, lessons.length),
    }
  }

  /** What several tasks of the project were rejected for. A task is told so by its own block. */
  async #recurring(): Promise<Memory[]> {
    const { projectId, sectionId, taskId } = this.#who ?? {}
    if (projectId === undefined || sectionId !== undefined || taskId !== undefined) return []
    const { memories } = await this.#list([{ layer: 'task', agentsOf: projectId }], REJECTIONS, 'newest')
    return recurringLessons(memories, this.#now)
  }

  /**
   * What is remembered of the task, of its section and of its project. What earlier tasks of the same section left counts as
   * the section's: that is how the next task comes to know it. Tasks without a section share what they left in the project.
   */
  async #workflow(): Promise<Memory[]> {
    const who = this.#who ?? {}
    const own = (['task', 'section', 'project'] as const).flatMap((layer) => readableScopes(layer, who) ?? [])
    const { sectionId, projectId, taskId } = who
    const shares = sectionId !== undefined || (taskId !== undefined && projectId !== undefined)
    const tasks: ScopeSelector[] = shares
      ? [{ layer: 'task', section: sectionId ?? null, project: projectId ?? null }]
      : []
    return (await this.#list([...own, ...tasks], {}, 'importance')).memories
  }

  /** What tasks of the project's other sections were rejected for: what recurs there concerns this section too. */
  async #rejectedElsewhere(): Promise<Memory[]> {
    const { projectId, sectionId, taskId } = this.#who ?? {}
    if (projectId === undefined || (sectionId === undefined && taskId === undefined)) return []
    const { memories } = await this.#list([{ layer: 'task', agentsOf: projectId }], REJECTIONS, 'newest')
    return memories.filter(({ identifiers }) => identifiers.sectionId !== sectionId && identifiers.taskId !== taskId)
  }

  async #list(scopes: readonly ScopeSelector[] | null, where: Conditions, order: MemoryOrder): Promise<Listed> {
    const { storage, attempt } = this.#core
    const page: MemoryPage = await attempt(() =>
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

  /** What an agent shares with everybody: the project's and what is above it. */
  async #sharedScopes(): Promise<ScopeSelector[]> {
    const scopes = (await this.#scopes()) ?? []
    return scopes.filter(({ layer }) => precedence(layer) >= precedence('project'))
  }

  async #scopes(): Promise<readonly ScopeSelector[] | null> {
    return this.#who === null ? null : (await readable(this.#core, this.#who, undefined)).scopes
  }
}

/** Leaves out what a memory that is shown corrects, and says so; what is disputed is marked. */
function settle(
  found: { memories: Memory[]; total: number; corrected?: readonly Correction[] },
  now: Date,
  render: (memories: Memory[], about: { total: number; disputed: ReadonlyMap<string, string> }) => Rendered,
): Material {
  const { kept, corrected, repeated, disputed } = leaveOutCorrected(found.memories, now)
  const all = [...corrected, ...(found.corrected ?? [])]
  const rendered = render(kept, { total: found.total - all.length - repeated.length, disputed })
  const omitted = [
    ...all.map(({ id, by }) => ({ id, reason: `corrected by ${by}` })),
    ...repeated.map(({ id, by }) => ({ id, reason: `says the same as ${by}` })),
  ]
  return {
    rendered: { ...rendered, omitted: [...rendered.omitted, ...omitted] },
    memories: found.memories,
    available: found.total,
  }
}
