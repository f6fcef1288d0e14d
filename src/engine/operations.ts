import { z } from 'zod'
import { text } from '../model/fields.ts'
import { parseInput } from '../model/parse.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Caller, Core } from './core.ts'
import { memoryOperations } from './memories.ts'
import type { Operations, OwnMemories } from './nokosu.ts'
import { seesHeld } from './operator.ts'
import { personalities } from './personalities.ts'
import { countByLayer, searchMemories } from './search.ts'
import { beginSession, endSession, findSession, recordShowing } from './sessions.ts'
import { unheldStorage } from './unheld-storage.ts'

/**
 * Everything a caller can do, counted and timed, with errors that name the operation. Whether a call has to say for whom it is
 * made (`Who`) is a matter of types: `resolveClaim` holds it at run time.
 */
export function createOperations<New, Who>(core: Core, caller: Caller, metrics: Metrics): Operations<New, Who> {
  const operations = unobserved(core, caller, metrics)
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => {
      if (typeof operation !== 'function' || name === 'export') return [name, operation]
      const call = operation as (...values: unknown[]) => Promise<unknown>
      return [name, (...values: unknown[]) => metrics.observe(name, async () => call(...values))]
    }),
  ) as unknown as Operations<New, Who>
}

function unobserved(core: Core, caller: Caller, metrics: Metrics): OwnMemories {
  /** What the caller reads with. Writing compares with all that there is. */
  const view = seesHeld(core, caller) ? core : { ...core, storage: unheldStorage(core.storage) }
  const { maxContentLength } = core.storage.capabilities
  const textArgument = z.strictObject({ text: text(maxContentLength, 'CONTENT_TOO_LONG') })
  return {
    ...memoryOperations(core, view, caller),
    async search(request) {
      const results = await searchMemories(view, caller, request)
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
    async remember(candidates, target) {
      return (await import('./remember.ts')).remember(core, caller, candidates, target)
    },
    async context(request) {
      return (await import('./context.ts')).buildContext(view, caller, request)
    },
    async review(id, decision, claim = {}) {
      return (await import('./review.ts')).review(core, caller, { ...claim, id, decision })
    },
    async history(id, request = {}) {
      return (await import('./records.ts')).readHistory(view, caller, { ...request, id })
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
      yield* (await import('./transfer.ts')).exportMemories(view, caller, request)
    },
    personality: personalities(core, caller),
  }
}
