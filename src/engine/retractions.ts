import { isRetracted, RETRACTED } from '../lifecycle/decisions.ts'
import { LIMITS } from '../model/limits.ts'
import type { Memory } from '../model/memory.ts'
import { escapeContent } from '../recall/render-block.ts'
import type { Core } from './core.ts'
import { RETRACTION } from './retract.ts'
import type { SessionState } from './session-states.ts'

/** A memory that a session was shown and has to be told is wrong. */
export interface Withdrawn {
  id: string
  content: string
  why: string
}

/** Memories that this session was shown and that were retracted since, without the session having been told. */
export async function untoldRetractions(core: Core, session: string, state: SessionState): Promise<Withdrawn[]> {
  // A session that was shown nothing needs no notice.
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

/** The notice for an agent, placed before other memories. */
export function renderRetractions(withdrawn: readonly Withdrawn[]): string {
  if (withdrawn.length === 0) return ''
  const lines = withdrawn.map(({ content, why }) => `- “${escapeContent(content)}”: ${escapeContent(why)}`)
  return ['You were shown this earlier. It was wrong, and an operator has retracted it:', ...lines].join('\n')
}
