import { repeatKey } from '../../model/once-keys.ts'
import type { Rendered } from '../../recall/budget.ts'
import { resolveClaim } from '../claim.ts'
import { type Context, type ContextRequest, nothing, parseContext } from '../context.ts'
import type { Caller, Core } from '../core.ts'
import { showingEvent } from '../run-events.ts'
import { beginning, requireOwnSession, storeShowing } from '../sessions.ts'
import { writeDecayOf } from '../sweep.ts'
import { commitAll } from '../write.ts'
import { Lists } from './lists.ts'
import { type Asked, render } from './render.ts'

/**
 * The block of memories for an agent: bounded, stable and safe, with what was left out and why. If memory is
 * switched off, nothing is shown or recorded.
 */
export async function buildContext(core: Core, caller: Caller, input: ContextRequest): Promise<Context> {
  const request = parseContext(input)
  const who = resolveClaim(caller, request)
  if (!core.settings.enabled) return nothing(request.format)
  const now = core.now()
  const asked = { core, caller, request, who, now, lists: new Lists(core, who, now) }
  const { rendered, memories, available } = await render(asked)
  const byId = new Map(memories.map((memory) => [memory.id, memory]))
  const shown = rendered.included.map(({ id }) => byId.get(id)!)
  if (request.session !== undefined) await record(asked, request.session, rendered)
  return { ...rendered, format: request.format, memories: shown, available }
}

/** Records the session, what it was shown, and the decay of memories that it may see. */
async function record(asked: Asked, session: string, { included, omitted }: Rendered): Promise<void> {
  const { core, caller, request, who, now, lists } = asked
  const { format, key } = request
  const identifiers = who ?? {}
  const own = repeatKey(key, 'context', identifiers, session, format)
  if (included.length > 0) {
    await storeShowing(core, caller, {
      ...{ session, format, identifiers, at: now, key: own },
      entries: included.map(({ id, tokens }, position) => ({ memory: id, position, tokens })),
      also: showingEvent(session, identifiers, now, {
        format,
        shown: included.length,
        omitted: omitted.map(({ id, reason }) => ({ memory: id, reason })),
      }),
    })
  } else {
    await requireOwnSession(core, caller, session)
    const writes = [beginning(session, identifiers, now)]
    await commitAll(core, { ...(own === undefined ? {} : { key: own }), by: caller.by, at: now, writes })
  }
  const scopes = await lists.scopes()
  // The whole store is left to `sweep`.
  if (scopes !== null) await writeDecayOf(core, scopes)
}
