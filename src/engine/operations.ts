import { z } from 'zod'
import { text } from '../model/fields.ts'
import { parseInput, requireOptions } from '../model/parse.ts'
import type { Asking } from '../model/provider.ts'
import type { Claim } from '../model/schema.ts'
import type { Metrics } from '../observe/metrics.ts'
import { stoppable, takeSignal, withSignals } from './abort.ts'
import { withAudit } from './audit.ts'
import type { Caller, Core } from './core.ts'
import { hideHeld } from './hide-held.ts'
import { memoryOperations } from './memories.ts'
import type { Operations, OwnMemories } from './nokosu.ts'
import { seesHeld } from './operator.ts'
import { personalities } from './personalities.ts'
import type { ExportOptions } from './transfer.ts'

/**
 * All calls, counted and timed, with errors that name the operation. Whether a call must name its owner
 * (`Who`) is a matter of types; `resolveClaim` checks it at run time.
 */
export function createOperations<New, Who>(core: Core, caller: Caller, metrics: Metrics): Operations<New, Who> {
  const build = (own: Core) => {
    const operations = Object.entries(withAudit(own, caller, (each) => unobserved(each, caller, metrics))).map(
      ([name, operation]) => {
        type Call = (...values: unknown[]) => Promise<unknown>
        const observed = (...values: unknown[]) =>
          metrics.observe(name, async () => {
            requireOptions(name, values)
            return (operation as Call)(...values)
          })
        return [name, observed]
      },
    )
    return Object.fromEntries(operations)
  }
  return {
    ...withSignals(core, build),
    async *export(...request: Asking<ExportOptions & Partial<Claim>, Who>) {
      const { signal, rest } = takeSignal('export', request)
      const { exportMemories } = await import('./transfer.ts')
      const own = signal === null ? null : stoppable(core, signal)
      const lines = exportMemories(viewOf(own?.core ?? core, caller), caller, (rest[0] ?? {}) as ExportOptions)
      if (own === null) return yield* lines
      for (let next = await own.run(() => lines.next()); !next.done; next = await own.run(() => lines.next()))
        yield next.value
    },
    personality: withSignals(
      core,
      (own) => withAudit(own, caller, (each) => personalities(each, caller), 'personality'),
      'personality',
    ),
  }
}

/** The caller's read access. Writes are compared with everything. */
function viewOf(core: Core, caller: Caller): Core {
  return seesHeld(core, caller) ? core : { ...core, storage: hideHeld(core.storage) }
}

function unobserved(core: Core, caller: Caller, metrics: Metrics): Omit<OwnMemories, 'export' | 'personality'> {
  const view = viewOf(core, caller)
  const { maxContentLength } = core.storage.capabilities
  const textArgument = z.strictObject({ text: text(maxContentLength, 'CONTENT_TOO_LONG') })
  return {
    ...memoryOperations(core, view, caller),
    async search(request, options = {}) {
      const asked = typeof request === 'string' ? { ...options, query: request } : request
      const { countByLayer, searchMemories } = await import('./search.ts')
      const results = await searchMemories(view, caller, asked)
      metrics.searched(countByLayer(results))
      return results
    },
    async generateEmbedding(input) {
      const content = parseInput(textArgument, { text: input }, 'generateEmbedding').text
      // A copy: the original stays in the cache.
      return (await core.embedder.embed([content]))[0]!.vector.slice()
    },
    capture: async (source, request) => (await import('./capture.ts')).capture(core, caller, source, request),
    record: async (event, options) => (await import('./capture.ts')).recordEvent(core, caller, event, options),
    prune: async (scope) => (await import('./capture.ts')).prune(core, caller, scope),
    async remember(candidates, target = {}) {
      return (await import('./remember.ts')).remember(core, caller, candidates, target)
    },
    context: async (request = {}) => (await import('./context/build.ts')).buildContext(view, caller, request),
    recall: async (request) => (await import('./recall.ts')).recall(view, caller, request, core),
    async review(id, decision, claim = {}) {
      return (await import('./review.ts')).review(core, caller, { ...claim, id, decision })
    },
    decisions: async (id, claim = {}) => (await import('./decisions.ts')).readDecisions(view, caller, { ...claim, id }),
    undo: async (id, claim = {}) => (await import('./undo.ts')).undo(core, caller, { ...claim, id }),
    settle: async (ids, as, claim = {}) => (await import('./settle.ts')).settle(core, caller, { ...claim, ids, as }),
    retract: async (id, request) => (await import('./retract.ts')).retract(core, caller, { ...request, id }),
    history: async (id, request = {}) => (await import('./records.ts')).readHistory(view, caller, { ...request, id }),
    async usefulness(ids, claim = {}) {
      return (await import('./usefulness.ts')).usefulness(view, caller, { ...claim, ids: ids as string[] })
    },
    restore: async (id, claim = {}) => (await import('./restore.ts')).restore(view, caller, { ...claim, id }),
    deleted: async (request = {}) => (await import('./restore.ts')).listDeleted(view, caller, request),
    findIds: async (part, request) => (await import('./find-ids.ts')).findIds(view, caller, { ...request, part }),
    tally: async (request) => (await import('./tally.ts')).tally(view, caller, request),
    sessions: async (request = {}) => (await import('./records.ts')).listSessions(view, caller, request),
    standings: async (request = {}) => (await import('./standings.ts')).readStandings(view, caller, request),
    asOf: async (request) => (await import('./as-of.ts')).readAsOf(view, caller, request),
    fleet: async (request = {}) => (await import('./fleet.ts')).readFleet(view, caller, request),
    runs: async (request = {}) => (await import('./runs.ts')).listRuns(view, caller, request),
    injections: async (request) => (await import('./records.ts')).listInjections(view, caller, request),
    events: async (request = {}) => (await import('./records.ts')).listEvents(view, caller, request),
    beginSession: async (start) => (await import('./sessions.ts')).beginSession(core, caller, start),
    endSession: async (id, end) => (await import('./sessions.ts')).endSession(core, caller, id, end),
    session: async (id, claim) => (await import('./sessions.ts')).findSession(core, caller, id, claim),
    recordShowing: async (showing) => (await import('./sessions.ts')).recordShowing(view, caller, showing),
  }
}
