import { type Identifiers, readableScopes, requireIdentifier } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import type { Memory } from '../../model/memory.ts'
import type { Rendered } from '../../recall/budget.ts'
import type { Correction } from '../../recall/corrections.ts'
import { type AskedLook, askedShare, joinAsked } from '../../recall/render-asked.ts'
import { renderOperational } from '../../recall/render-operational.ts'
import type { ParsedContext } from '../context.ts'
import type { Caller, Core } from '../core.ts'
import { leaveOutCorrected } from '../corrected.ts'
import type { Listed, Lists } from './lists.ts'

/** Unlimited budget. */
const ENDLESS = Number.MAX_SAFE_INTEGER

/** The reader, the requested block and its options, and the time. */
export interface Asked<Request = ParsedContext> {
  core: Core
  caller: Caller
  request: Request
  who: Identifiers | null
  now: Date
  lists: Lists
}

/** A block, and the memories it was chosen from. */
export interface Material {
  rendered: Rendered
  memories: Memory[]
  available: number
}

type AtStart = Exclude<ParsedContext, { format: 'query' }>
type Queried = Extract<ParsedContext, { format: 'query' }>

export function render(asked: Asked): Promise<Material> {
  const { request } = asked
  if (request.format === 'query') return queried({ ...asked, request })
  const render = { operational, workflow, file }[request.format]
  return render({ ...asked, request })
}

async function operational(asked: Asked<AtStart>): Promise<Material> {
  const { now, lists } = asked
  const found = await lists.atStart(await lists.scopes())
  const settled = (budget: number) =>
    settle(found, now, (memories, { total, disputed }) => renderOperational(memories, { now, budget, total, disputed }))
  return andAsked(asked, found, settled, { header: '### For this task' })
}

async function workflow({ core, request, who, now, lists }: Asked<AtStart>): Promise<Material> {
  const { renderWorkflow } = await import('../../recall/render-workflow.ts')
  const [memories, elsewhere] = [await lists.workflow(), await lists.rejectedElsewhere()]
  const about = { taskId: who?.taskId ?? null, task: request.for, maxCharacters: 4 * (request.budget ?? core.budget) }
  const found = { memories: [...memories, ...elsewhere], total: memories.length }
  const isOwn = new Set(memories.map(({ id }) => id))
  return settle(found, now, (kept, { disputed }) => {
    const { own = [], others = [] } = Object.groupBy(kept, ({ id }) => (isOwn.has(id) ? 'own' : 'others'))
    return renderWorkflow(own, { now, ...about, elsewhere: others, disputed })
  })
}

async function file(asked: Asked<AtStart>): Promise<Material> {
  const { renderFile, spellingOf } = await import('../../recall/render-file.ts')
  const { core, request, now, lists } = asked
  const who = asked.who ?? {}
  requireIdentifier('agent', who)
  const selector = readableScopes('agent', who)
  // Every agent shares its project's memories.
  if (selector === null) requireIdentifier('project', who)
  const own = await lists.list(selector === null ? [] : [selector], {}, 'newest')
  const shared = await lists.atStart(await lists.sharedScopes())
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
  const room = askedShare(request.budget ?? core.budget)
  return andAsked(asked, found, settled, { header: '## For this task\n', room, spell: spellingOf({ inPrompt }) })
}

async function queried({ core, caller, request, who, now }: Asked<Queried>): Promise<Material> {
  const { query, threshold, budget = core.budget } = request
  const { renderQuery } = await import('../../recall/render-query.ts')
  const { searchMemories } = await import('../search.ts')
  const found = await searchMemories(core, caller, {
    ...(who === null ? { everything: true } : { identifiers: who }),
    ...{ query, threshold, limit: LIMITS.searchLimit, order: 'relevance', explain: true },
  })
  const results = new Map(found.results.map((result) => [result.memory.id, result]))
  const disputes = found.results.flatMap(({ memory, disputed }): [string, string][] =>
    disputed === undefined ? [] : [[memory.id, disputed]],
  )
  const { corrected = [] } = found
  const memories = found.results.map(({ memory }) => memory)
  return settle({ memories, total: found.totalCount + corrected.length, corrected }, now, (kept, about) => {
    const disputed = new Map([...disputes, ...about.disputed])
    return renderQuery(
      kept.map(({ id }) => results.get(id)!),
      { now, budget, disputed },
    )
  })
}

/** Everything if it fits; otherwise less of it, followed by what the task calls for. */
async function andAsked(
  { core, caller, request, who, now }: Asked<AtStart>,
  found: Listed,
  settled: (room: number) => Material,
  look: AskedLook,
): Promise<Material> {
  const { budget = core.budget } = request
  const whole = settled(budget)
  if (request.for === undefined) return whole
  const { included } = settled(ENDLESS).rendered
  if (found.total === found.memories.length && whole.rendered.included.length === included.length) return whole
  const { findFor } = await import('../recall.ts')
  const { current, disputed } = await findFor(core, caller, who, request.for, now)
  const { rendered, memories, available } = settled(budget - askedShare(budget))
  const known = new Set(memories.map(({ id }) => id))
  const further = current.map(({ memory }) => memory).filter(({ id }) => !known.has(id))
  return {
    rendered: joinAsked(rendered, current, { ...look, now, budget, disputed }),
    memories: [...memories, ...further],
    available,
  }
}

/** Leaves out what a shown memory corrects, and says so; marks what is disputed. */
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
