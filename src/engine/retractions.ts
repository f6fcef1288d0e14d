import { isRetracted, RETRACTED } from '../lifecycle/decisions.ts'
import { LIMITS } from '../model/limits.ts'
import type { Memory } from '../model/memory.ts'
import { escapeContent } from '../recall/render-block.ts'
import type { Core } from './core.ts'
import { RETRACTION } from './retract.ts'
import type { SessionState } from './session-states.ts'

/** What a session was shown, and is told that it is wrong. */
export interface Withdrawn {
  id: string
  content: string
  why: string
}

/** Memories that this session was shown, that were retracted since, and that it was not told of yet. */
export async function untoldRetractions(core: Core, session: string, state: SessionState): Promise<Withdrawn[]> {
  // A session that was shown nothing has nothing to be told.
  if (state.shown.size === 0) return []
  const { storage, attempt } = core
  const { items } = await attempt(() => storage.events({ any: [{ session }], after: null, limit: LIMITS.pageLimit }))
  const named = items.flatMap(({ type, data }) => (type === RETRACTION ? [String(data.memory)] : []))
  const ids = [...new Set(named)].filter((id) => !state.told.has(id))
  const found = ids.length === 0 ? [] : await attempt(() => storage.get(ids))
  return found
    .map(({ memory }) => memory)
    .filter(isRetracted)
    .map((memory) => ({ id: memory.id, content: memory.content, why: whyOf(memory) }))
}

function whyOf({ metadata }: Memory): string {
  return String((metadata[RETRACTED] as { why?: unknown } | undefined)?.why ?? '')
}

/** As an agent reads it, before what else matters now. */
export function renderRetractions(withdrawn: readonly Withdrawn[]): string {
  if (withdrawn.length === 0) return ''
  const lines = withdrawn.map(({ content, why }) => `- “${escapeContent(content)}”: ${escapeContent(why)}`)
  return ['Shown to you before, and wrong. An operator has retracted it:', ...lines].join('\n')
}
