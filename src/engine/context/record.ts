import { repeatKey } from '../../model/once-keys.ts'
import type { Rendered } from '../../recall/budget.ts'
import { showingEvent } from '../run-events.ts'
import { beginning, requireOwnSession, storeShowing } from '../sessions.ts'
import { writeDecayOf } from '../sweep.ts'
import { commitAll } from '../write.ts'
import type { Asked } from './render.ts'

/** Records the session, what it was shown, and the decay of memories that it may see. */
export async function record(asked: Asked, session: string, { included, omitted }: Rendered): Promise<void> {
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
