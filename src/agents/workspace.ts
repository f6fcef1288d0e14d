import { apply } from './workspace/apply.ts'
import { withLock } from './workspace/lock.ts'
import { findPlace } from './workspace/place.ts'
import { isInjected, undo } from './workspace/undo.ts'

export interface WorkspaceContent {
  /** Personality and role text, without the import line. */
  instructions: string
  /** The text of MEMORY.md; empty for none. */
  memory: string
}

/**
 * Puts an agent's instructions and memories where it will read them, beside what the repository has there, and out of reach of
 * its commits. May be repeated; `restoreWorkspace` undoes it, also after a process that was killed at any point.
 */
export async function injectWorkspace(workspace: string, content: WorkspaceContent): Promise<void> {
  const place = await findPlace(workspace)
  await withLock(place.lock, async () => {
    await undo(place)
    if (content.instructions.trim() !== '' || content.memory !== '') await apply(place, content)
  })
}

/** Makes the workspace as it was before; what the agent itself wrote stays. True when there was something to restore. */
export async function restoreWorkspace(workspace: string): Promise<boolean> {
  const place = await findPlace(workspace)
  if (!(await isInjected(place))) return false
  return withLock(place.lock, () => undo(place))
}
