import { z } from 'zod'
import { text } from '../model/fields.ts'
import { parseInput, requireOptions } from '../model/parse.ts'
import type { Metrics } from '../observe/metrics.ts'
import { stoppable, takeSignal } from './abort.ts'
import type { Caller, Core } from './core.ts'
import { hideHeld } from './hide-held.ts'
import { memoryOperations } from './memories.ts'
import type { Operations, OwnMemories } from './nokosu.ts'
import { seesHeld } from './operator.ts'
import { personalities } from './personalities.ts'
import { countByLayer, searchMemories } from './search.ts'
import { beginSession, endSession, findSession, recordShowing } from './sessions.ts'

/**
 * Everything a caller can do, counted and timed, with errors that name the operation. Whether a call has to say for whom it is
 * made (`Who`) is a matter of types: `resolveClaim` holds it at run time.
 */
export function createOperations<New, Who>(core: Core, caller: Caller, metrics: Metrics): Operations<New, Who> {
  const operations = unobserved(core, caller, metrics)
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => {
      if (typeof operation !== 'function' || name === 'export') return [name, operation]
      type Call = (...values: unknown[]) => Promise<unknown>
      const observed = (call: Call, values: unknown[]) =>
        metrics.observe(name, async () => {
          requireOptions(name, values)
          return call(...values)
        })
      return [
        name,
        async (...values: unknown[]) => {
          const { signal, rest } = takeSignal(name, values)
          if (signal === null) return observed(operation as Call, rest)
          const { core: own, run } = stoppable(core, signal)
          const stopping = unobserved(own, caller, metrics)[name as keyof OwnMemories] as Call
          return run(() => observed(stopping, rest))
        },
      ]
    }),
  ) as unknown as Operations<New, Who>
}

function unobserved(core: Core, caller: Caller, metrics: Metrics): OwnMemories {
  /** What the caller reads with. Writing compares with all that there is. */
  const view = seesHeld(core, caller) ? core : { ...core, storage: hideHeld(core.storage) }
  const { maxContentLength } = core.storage.capabilities
  const textArgument = z.strictObject({ text: text(maxContentLength, 'CONTENT_TOO_LONG') })
  return {
    ...memoryOperations(core, view, caller),
    async search(request, options = {}) {
      const asked = typeof request === 'string' ? { ...options, query: request } : request
      const results = await searchMemories(view, caller, asked)
      metrics.searched(countByLayer(results))
      return results
    },
    async generateEmbedding(input) {
      const content = parseInput(textArgument, { text: input }, 'generateEmbedding').text
      // A copy: the original stays in the cache.
      return (await core.embedder.embed([content]))[0]!.vector.slice()
    },
    async capture(source, request) {
      return (await import('./capture.ts')).capture(core, caller, source, request)
    },
    async record(event, options) {
      return (await import('./capture.ts')).recordEvent(core, caller, event, options)
    },
    async prune(scope) {
      return (await import('./capture.ts')).prune(core, caller, scope)
    },
    async remember(candidates, target = {}) {
      return (await import('./remember.ts')).remember(core, caller, candidates, target)
    },
    async context(request = {}) {
      return (await import('./context.ts')).buildContext(view, caller, request)
    },
    async recall(request) {
      return (await import('./recall.ts')).recall(view, caller, request, core)
    },
    async review(id, decision, claim = {}) {
      return (await import('./review.ts')).review(core, caller, { ...claim, id, decision })
    },
    async decisions(id, claim = {}) {
      return (await import('./decisions.ts')).readDecisions(view, caller, { ...claim, id })
    },
    async undo(id, claim = {}) {
      return (await import('./undo.ts')).undo(core, caller, { ...claim, id })
    },
    async settle(ids, as, claim = {}) {
      return (await import('./settle.ts')).settle(core, caller, { ...claim, ids, as })
    },
    async retract(id, request) {
      return (await import('./retract.ts')).retract(core, caller, { ...request, id })
    },
    async history(id, request = {}) {
      return (await import('./records.ts')).readHistory(view, caller, { ...request, id })
    },
    async usefulness(ids, claim = {}) {
      return (await import('./usefulness.ts')).usefulness(view, caller, { ...claim, ids: ids as string[] })
    },
    async restore(id, claim = {}) {
      return (await import('./restore.ts')).restore(view, caller, { ...claim, id })
    },
    async deleted(request) {
      return (await import('./restore.ts')).listDeleted(view, caller, request)
    },
    async findIds(part, request) {
      return (await import('./find-ids.ts')).findIds(view, caller, { ...request, part })
    },
    async tally(request) {
      return (await import('./tally.ts')).tally(view, caller, request)
    },
    async sessions(request) {
      return (await import('./records.ts')).listSessions(view, caller, request)
    },
    async injections(request) {
      return (await import('./records.ts')).listInjections(view, caller, request)
    },
    async events(request) {
      return (await import('./records.ts')).listEvents(view, caller, request)
    },
    async beginSession(start) {
      return beginSession(core, caller, start)
    },
    async endSession(id, end) {
      return endSession(core, caller, id, end)
    },
    async session(id, claim) {
      return findSession(core, caller, id, claim)
    },
    async recordShowing(showing) {
      return recordShowing(view, caller, showing)
    },
    async *export(request) {
      const { signal, rest } = takeSignal('export', [request])
      const { exportMemories } = await import('./transfer.ts')
      for await (const line of exportMemories(view, caller, rest[0] as typeof request)) {
        signal?.throwIfAborted()
        yield line
      }
    },
    personality: personalities(core, caller),
  }
}
