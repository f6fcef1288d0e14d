import { MemoryError } from '../../model/errors.ts'
import { apply } from './apply.ts'
import type { WorkspaceContent } from './content.ts'
import type { Holder } from './holder.ts'
import { withLock } from './lock.ts'
import { findPlace } from './place.ts'
import { findHeld, joinHolders, leaveHolders } from './refresh.ts'
import { isInjected, undo } from './undo.ts'

export { createHolder, type Holder } from './holder.ts'

/**
 * Puts an agent's instructions and memories where it will read them, beside what the repository has there, and out of reach of
 * its commits. May be repeated; `restoreWorkspace` undoes it, also after a process that was killed at any point. With a holder
 * it stays until every holder that lives has restored; they share one block, the newest's.
 */
export async function injectWorkspace(
  workspace: string,
  content: WorkspaceContent,
  { holder }: { holder?: Holder } = {},
): Promise<void> {
  const place = await findPlace(workspace)
  await withLock(place.lock, async () => {
    const held = await findHeld(place)
    const something = content.instructions.trim() !== '' || content.memory !== ''
    if (!held) await undo(place)
    if (!something) return
    await (held ? joinHolders(held, content, holder) : apply(place, content, holder))
  })
}

/**
 * Restores the workspace, and keeps what the agent wrote. Returns true when there was something to restore. While other runs
 * hold it, a holder only gives up its own hold. A caller that is no holder then gets a CONFLICT, unless it uses force.
 */
export async function restoreWorkspace(
  workspace: string,
  { holder, force = false }: { holder?: Holder; force?: boolean } = {},
): Promise<boolean> {
  const place = await findPlace(workspace)
  if (!(await isInjected(place))) return false
  return withLock(place.lock, async () => {
    const held = force ? null : await findHeld(place)
    const others = held?.holds.filter(({ id }) => id !== holder?.id) ?? []
    if (!held || others.length === 0) return undo(place)
    if (holder === undefined) throw inUse(workspace, others)
    await leaveHolders(held, others)
    return false
  })
}

function inUse(workspace: string, holders: readonly Holder[]): MemoryError {
  const who = holders.map(({ name, pid, since }) => `${name} (process ${pid}, since ${since})`)
  const details = { holders: holders.map(({ name, host, pid, since }) => ({ name, host, pid, since })) }
  return new MemoryError('CONFLICT', `${workspace} is still in use by ${who.join(', ')}.`, { details })
}
