import { join } from 'node:path'
import { MemoryError } from '../../model/errors.ts'
import { apply, blocksOf } from './apply.ts'
import { newNonce, nonceOf, type Ours, oursOf } from './block.ts'
import type { WorkspaceContent } from './content.ts'
import type { OnCopy } from './copies.ts'
import { type Lock, tryLock, withLock } from './lock.ts'
import { findPlace, type Injected, openFolder, type Place, readRecord } from './record.ts'
import { assertInstructionFile } from './target.ts'
import { type UndoOptions, undo } from './undo.ts'

const INSTRUCTIONS = 'CLAUDE.md'

export interface InjectOptions {
  file?: string | undefined
  /** Who holds the workspace until it restores it. Nobody: it stays injected when this process is gone. */
  holder?: string | undefined
  /** What tells its blocks from all others; a new one by default. */
  nonce?: string | undefined
  /** Told of copies of the block that the agent left. */
  onCopy?: OnCopy | undefined
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
  { file = INSTRUCTIONS, holder, nonce: given, onCopy, boundMs = PATIENCE_MS }: InjectOptions = {},
): Promise<() => Promise<boolean>> {
  assertInstructionFile(file)
  const signal = AbortSignal.timeout(boundMs)
  const since = Date.now()
  const place = await findPlace(workspace, signal)
  await openFolder(place)
  return withLock(lockOf(place), boundMs, async () => {
    const hold = await take(place)
    // The same again is to be the same file.
    const before = (await readRecord(place))?.files[0]
    const nonce = given ?? (before ? nonceOf(before.ours) : newNonce())
    try {
      await undo(place, file, signal)
      await apply(place, content, { holder, file, nonce, signal })
    } catch (error) {
      hold.release()
      throw error
    }
    if (holder === undefined) hold.release()
    const blocks = blocksOf(content, file, nonce).map(([, block]) => block)
    return () => restore(workspace, file, { blocks, since, onCopy }).finally(() => hold.release())
  })
}

/** Restores the workspace, and keeps what the agent wrote. True when there was something to restore. Force: also during a run. */
export async function restoreWorkspace(
  workspace: string,
  { file = INSTRUCTIONS, force = false, onCopy }: Pick<InjectOptions, 'file' | 'onCopy'> & { force?: boolean } = {},
): Promise<boolean> {
  const check = async (place: Place) => {
    if (!force) (await take(place)).release()
  }
  return restore(workspace, file, { check, onCopy })
}

interface RestoreOptions extends UndoOptions {
  check?: (place: Place) => Promise<void>
}

async function restore(workspace: string, file: string, { check, ...options }: RestoreOptions): Promise<boolean> {
  // Looked for anew: the agent may have made another repository in its place.
  const place = await findPlace(workspace)
  await openFolder(place)
  return withLock(lockOf(place), PATIENCE_MS, async () => {
    await check?.(place)
    return undo(place, file, AbortSignal.timeout(PATIENCE_MS), options)
  })
}

/** Takes out what a run that is gone has left. What was injected by hand is to stay, and what a living run holds is its own. */
export async function restoreLeft(workspace: string): Promise<void> {
  const place = await findPlace(workspace)
  if (!(await readRecord(place))?.holder) return
  const hold = tryLock(place.held)
  if (hold === null) return
  hold.release()
  await restoreWorkspace(workspace)
}

/** Who holds files in a workspace right now, and what tells the blocks in them; null where nobody does. */
export async function holderOf(workspace: string): Promise<{ name: string; file: string; ours: Ours } | null> {
  const place = await findPlace(workspace)
  const record = await readRecord(place)
  const files = record?.files ?? []
  const last = files.at(-1)
  if (last === undefined) return null
  const hold = tryLock(place.held)
  hold?.release()
  if (hold !== null) return null
  return { name: describe(record), file: last.path, ours: oursOf(files.map(({ ours }) => ours)) }
}

function describe(record: Injected | null): string {
  const holder = record?.holder
  return holder ? `${holder.name} (process ${holder.pid}, since ${holder.since})` : 'another run'
}

/** All worktrees share it: they share what git is told. */
function lockOf({ folder }: Place): string {
  return join(folder, 'lock')
}

async function take(place: Place): Promise<Lock> {
  const hold = tryLock(place.held)
  if (hold !== null) return hold
  const record = await readRecord(place)
  throw new MemoryError('CONFLICT', `${place.workspace} is in use by ${describe(record)}.`, {
    details: { holder: record?.holder ?? null },
  })
}
