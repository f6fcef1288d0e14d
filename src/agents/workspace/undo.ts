import { rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { MemoryError } from '../../model/errors.ts'
import { type Bytes, oursOf, wholeBlock, withoutBlock } from './block.ts'
import { cleanCopies, type OnCopy } from './copies.ts'
import { readIfThere, removeEmptyFolders, shortenFile, statIfThere, temporaryOf } from './files.ts'
import { type Git, gitIn, pathIn, refreshIndex } from './git.ts'
import { type Injected, type Place, readRecord, removeRecord, type WrittenFile } from './record.ts'
import { raiseShields } from './shield.ts'

export const MEMORY = '.claude/memory/MEMORY.md'
const FOLDERS = ['.claude/memory', '.claude']

export interface UndoOptions {
  /** The ids of this injection, known even without a record. */
  blocks?: readonly Bytes[] | undefined
  /** When it was injected, in milliseconds. */
  since?: number | undefined
  /** Null: no agent can have made copies. */
  onCopy?: OnCopy | null | undefined
}

/** Undoes every injection found here: of this process, of a killed one, of a copied folder. */
export async function undo(
  place: Place,
  file: string,
  signal: AbortSignal,
  { blocks = [], since = 0, onCopy = () => {} }: UndoOptions = {},
): Promise<boolean> {
  const { repository } = place
  const git = gitIn(repository?.root ?? place.workspace, signal)
  const record = await readRecord(place)
  // The files come first: they need neither git nor disk space.
  const found = record ? await undoRecord(place, git, record) : await undoBlocks(place, git, [file, MEMORY])
  try {
    const ours = oursOf([...(record?.files ?? []).map((each) => each.ours), ...blocks])
    if (onCopy) await cleanCopies(place, { ours, since: record?.at ?? since, onCopy, signal })
    await removeRecord(place)
    // Even without a record: an earlier attempt may have failed here.
    if (repository) await raiseShields(repository, git)
    for (const path of repository ? (record?.filter ?? []) : []) await refreshIndex(git, path)
  } catch (error) {
    throw left(`the files are restored, but not all git settings in ${repository?.commonDir}`, error)
  }
  return found
}

function left(what: string, error: unknown): MemoryError {
  const why = (error as Error).message
  const how = "'nokosu inject --restore' removes the rest"
  return new MemoryError('PROVIDER_ERROR', `${what} (${why}); ${how}`, { retryable: false, cause: error })
}

/** Continues with the other files if one fails. */
async function undoRecord(
  { workspace, repository, next }: Place,
  git: Git,
  { files, folders }: Injected,
): Promise<boolean> {
  const failures: [string, unknown][] = []
  // In reading order: the import is removed before the file that it names.
  for (const file of files.toReversed()) {
    const path = join(workspace, file.path)
    const isTracked = repository !== null && (await isCommitted(git, pathIn(repository.root, path)))
    await undoFile(path, file, { next, isTracked }).catch((error) => failures.push([file.path, error]))
  }
  if (failures.length > 0) {
    const names = failures.map(([name]) => name).join(' and ')
    throw left(`the nokosu block is still in ${names} of ${workspace}`, failures[0]![1])
  }
  await removeEmptyFolders(folders.map((folder) => join(workspace, folder)))
  return true
}

async function undoFile(
  path: string,
  { ours, base, modified }: Omit<WrittenFile, 'path'>,
  { next, isTracked = false }: { next?: string | undefined; isTracked?: boolean } = {},
): Promise<void> {
  for (const temporary of [temporaryOf(path), next ?? []].flat())
    if (await statIfThere(temporary)) await rm(temporary, { force: true })
  // Not written yet, or changed since: then it belongs to the agent.
  if (!(await statIfThere(path))?.isFile()) return
  const bytes = (await readIfThere(path))!
  const rest = withoutBlock(bytes, ours, base ?? '')
  if (rest === bytes && rest !== base) return
  if (base === null && rest.trim() === '' && !isTracked) return rm(path)
  if (rest !== bytes) await shortenFile(path, rest, next)
  // Also if a process was killed between the two steps.
  if (rest === base) await utimes(path, new Date(), modified / 1000)
}

/** Blocks without a record are removed if they are still as we wrote them and no commit contains them. */
async function undoBlocks({ workspace, repository }: Place, git: Git, names: readonly string[]): Promise<boolean> {
  let found = false
  for (const path of names.map((name) => join(workspace, name))) {
    const bytes = (await statIfThere(path))?.isFile() ? await readIfThere(path) : null
    const ours = wholeBlock(bytes ?? '')
    if (ours === null || (repository && (await isCommitted(git, pathIn(repository.root, path), ours)))) continue
    const base = withoutBlock(bytes!, ours, '')
    await undoFile(path, { ours, base: base === '' ? null : base, modified: Date.now() })
    found = true
  }
  if (found) await removeEmptyFolders(FOLDERS.map((folder) => join(workspace, folder)))
  return found
}

async function isCommitted(git: Git, path: string, ours: Bytes = ''): Promise<boolean> {
  return git(['cat-file', 'blob', `HEAD:${path}`]).then(
    (committed) => committed.includes(ours),
    // Not in the last commit, or no commit yet: what is only in the index can still be taken back.
    () => false,
  )
}
