import { z } from 'zod'
import { MemoryError } from '../model/errors.ts'
import { type Identifiers, type Layer, readableScopes, type ScopeSelector } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import { CATEGORIES, type Memory, WORKFLOW_CATEGORIES } from '../model/memory.ts'
import { identifiersSchema, idSchema, searchSchema, text } from '../model/schema.ts'
import type { Rendered } from '../recall/budget.ts'
import { renderFile } from '../recall/render-file.ts'
import { renderOperational } from '../recall/render-operational.ts'
import { renderQuery } from '../recall/render-query.ts'
import { renderWorkflow } from '../recall/render-workflow.ts'
import { chooseLayers } from '../recall/search.ts'
import type { Conditions, ListQuery } from '../storage/storage.ts'
import { type Core, withoutUndefined } from './core.ts'
import { searchMemories } from './search.ts'
import { ensureSession } from './sessions.ts'
import { decayStale } from './sweep.ts'

export const CONTEXT_FORMATS = ['operational', 'workflow', 'file', 'query'] as const
export type ContextFormat = (typeof CONTEXT_FORMATS)[number]

export const contextSchema = z.strictObject({
  format: z.enum(CONTEXT_FORMATS).default('operational'),
  identifiers: identifiersSchema.default({}),
  /** What the agent is about to do; for the query format. */
  query: text(LIMITS.query, 'QUERY_TOO_LONG').optional(),
  /** Tokens of the whole block. */
  budget: z.int().min(1).optional(),
  threshold: searchSchema.shape.threshold,
  /** The session that is shown this. With it the showing is recorded; without, someone only looks. */
  session: idSchema.optional(),
})

export type ContextRequest = z.input<typeof contextSchema>
type ParsedContext = z.output<typeof contextSchema>

export interface Context extends Rendered {
  format: ContextFormat
  /** The memories behind `included`, in the order shown. */
  memories: Memory[]
  /** Memories that could have been shown. */
  available: number
}

/** More candidates than any budget has room for. */
const MOST_CANDIDATES = 1200
const MOST_RESULTS = LIMITS.searchLimit

const NOT_WORKFLOW = CATEGORIES.filter((category) => !(WORKFLOW_CATEGORIES as readonly string[]).includes(category))

/**
 * The block of memories that an agent is shown: bounded, stable, safe, with what was left out and why. Where memory is
 * switched off, nothing is shown and nothing recorded.
 */
export async function buildContext(core: Core, request: ParsedContext): Promise<Context> {
  const identifiers = withoutUndefined(request.identifiers)
  if (!core.settings.enabled) return nothing(request.format)
  if (request.session !== undefined) {
    await ensureSession(core, request.session, identifiers)
    await decayStale(core)
  }
  const { rendered, memories, available } = await render(core, request, identifiers)
  const byId = new Map(memories.map((memory) => [memory.id, memory]))
  const shown = rendered.included.map(({ id }) => byId.get(id)!)
  if (request.session !== undefined && shown.length > 0) {
    const { session, format } = request
    const entries = rendered.included.map(({ id, tokens }, position) => ({ memory: id, position, tokens }))
    const at = core.now().toISOString()
    await core.attempt(() => core.storage.recordInjection({ session, format, at, entries }))
  }
  return { ...rendered, format: request.format, memories: shown, available }
}

function nothing(format: ContextFormat): Context {
  return { format, text: '', included: [], omitted: [], tokens: 0, memories: [], available: 0 }
}

interface Material {
  rendered: Rendered
  memories: Memory[]
  available: number
}

async function render(core: Core, request: ParsedContext, identifiers: Identifiers): Promise<Material> {
  const now = core.now()
  const budget = request.budget ?? core.budget
  switch (request.format) {
    case 'operational': {
      const scopes = await openScopes(core, identifiers)
      const where = { categories: NOT_WORKFLOW, visibleAt: now }
      const { memories, totalCount } = await list(core, { scopes, where, order: 'confidence' })
      return {
        memories,
        available: totalCount,
        rendered: renderOperational(memories, { now, budget, total: totalCount }),
      }
    }
    case 'workflow': {
      const memories = await workflowMemories(core, identifiers)
      return {
        memories,
        available: memories.length,
        rendered: renderWorkflow(memories, { now, taskId: identifiers.taskId ?? null, maxCharacters: 4 * budget }),
      }
    }
    case 'file': {
      const scope = requireScope('agent', identifiers)
      const { memories, totalCount } = await list(core, { scopes: [scope], where: { visibleAt: now } })
      return { memories, available: totalCount, rendered: renderFile(memories, { now }) }
    }
    case 'query': {
      if (request.query === undefined) {
        throw new MemoryError('INVALID_INPUT', 'Invalid query: the query format needs one.', {
          details: { field: 'query' },
        })
      }
      const { query, threshold } = request
      const found = await searchMemories(core, {
        query,
        identifiers,
        threshold,
        limit: MOST_RESULTS,
        order: 'relevance',
      })
      const memories = found.results.map((result) => result.memory)
      return { memories, available: found.totalCount, rendered: renderQuery(found.results, { now, budget }) }
    }
  }
}

/**
 * What is remembered of the task, of its section and of its project. What earlier tasks of the same section left counts as
 * the section's: that is how the next task comes to know it.
 */
export async function workflowMemories(core: Core, identifiers: Identifiers): Promise<Memory[]> {
  const visibleAt = core.now()
  const { sectionId, projectId } = identifiers
  const parts = await Promise.all([
    ...(['task', 'section', 'project'] as const).map(async (layer) => {
      const scope = readableScopes(layer, identifiers)
      return scope ? (await list(core, { scopes: [scope], where: { visibleAt }, order: 'importance' })).memories : []
    }),
    sectionId === undefined
      ? []
      : list(core, {
          scopes: null,
          where: { visibleAt, taskOfSection: { sectionId, projectId: projectId ?? null } },
          order: 'importance',
        }).then(({ memories }) => memories),
  ])
  return [...new Map(parts.flat().map((memory) => [memory.id, memory])).values()]
}

async function list(
  core: Core,
  query: Pick<ListQuery, 'scopes'> & { where: Conditions; order?: NonNullable<ListQuery['order']> },
): Promise<{ memories: Memory[]; totalCount: number }> {
  return core.attempt(() => core.storage.list({ ...query, limit: MOST_CANDIDATES, after: null }))
}

/** The scopes that the identifiers open; without any, the whole store, as an operator sees it. */
async function openScopes(core: Core, identifiers: Identifiers): Promise<ScopeSelector[] | null> {
  if (Object.keys(identifiers).length === 0) return null
  const known = await core.complete(identifiers)
  return chooseLayers(undefined, known).flatMap((layer) => readableScopes(layer, known) ?? [])
}

function requireScope(layer: Layer, identifiers: Identifiers): ScopeSelector {
  const [only] = chooseLayers([layer], identifiers)
  return readableScopes(only!, identifiers)!
}
