import { join } from 'node:path'
import { MemoryError } from '../../model/errors.ts'
import { apply } from './apply.ts'
import type { WorkspaceContent } from './content.ts'
import { type Lock, tryLock, withLock } from './lock.ts'
import { findPlace, openFolder, type Place, readRecord } from './record.ts'
import { undo } from './undo.ts'

const INSTRUCTIONS = 'CLAUDE.md'

export interface InjectOptions {
  /** The name of the file with the instructions. */
  file?: string | undefined
  /** Who holds the workspace until it restores it. Nobody: it stays injected when this process is gone. */
  holder?: string | undefined
  /** At most this long; then nothing is injected. For a run, whose agent waits. */
  boundMs?: number | undefined
}

const PATIENCE_MS = 10_000

/**
 * Writes an agent's instructions and memories into its workspace, beside what is there, and out of reach of its commits. Returns
 * how to undo it. `restoreWorkspace` undoes it as well, also after a process that was killed at any point. A workspace that a
 * living run holds is a CONFLICT: each run is to read its own.
 */
export async function injectWorkspace(
  workspace: string,
  content: WorkspaceContent,
  { file = INSTRUCTIONS, holder, boundMs = PATIENCE_MS }: InjectOptions = {},
): Promise<() => Promise<boolean>> {
  const signal = AbortSignal.timeout(boundMs)
  const place = await findPlace(workspace, signal)
  await openFolder(place)
  return withLock(lockOf(place), boundMs, async () => {
    const hold = await take(place)
    try {
      await undo(place, file, signal)
      await apply(place, content, { holder, file, signal })
    } catch (error) {
      hold.release()
      throw error
    }
    if (holder === undefined) hold.release()
    return () => restore(place, file).finally(() => hold.release())
  })
}

/** Restores the workspace, and keeps what the agent wrote. True when there was something to restore. Force: also during a run. */
export async function restoreWorkspace(
  workspace: string,
  { file = INSTRUCTIONS, force = false }: { file?: string | undefined; force?: boolean } = {},
): Promise<boolean> {
  const place = await findPlace(workspace)
  await openFolder(place)
  return restore(place, file, async () => {
    if (!force) (await take(place)).release()
  })
}

function restore(place: Place, file: string, check: () => Promise<void> = async () => {}): Promise<boolean> {
  return withLock(lockOf(place), PATIENCE_MS, async () => {
    await check()
    return undo(place, file, AbortSignal.timeout(PATIENCE_MS))
  })
}

/** All worktrees share it: they share what git is told. */
function lockOf({ folder }: Place): string {
  return join(folder, 'lock')
}

async function take(place: Place): Promise<Lock> {
  const hold = tryLock(place.held)
  if (hold !== null) return hold
  const holder = (await readRecord(place))?.holder
  const who = holder ? `${holder.name} (process ${holder.pid}, since ${holder.since})` : 'another run'
  throw new MemoryError('CONFLICT', `${place.workspace} is in use by ${who}.`, { details: { holder: holder ?? null } })
}
