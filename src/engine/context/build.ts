import { resolveClaim } from '../claim.ts'
import { type Context, type ContextRequest, nothing, parseContext } from '../context.ts'
import type { Caller, Core } from '../core.ts'
import { Lists } from './lists.ts'
import { render } from './render.ts'

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
  if (request.session !== undefined) await (await import('./record.ts')).record(asked, request.session, rendered)
  return { ...rendered, format: request.format, memories: shown, available }
}
