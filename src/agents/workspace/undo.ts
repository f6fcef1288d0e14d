import { rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bytes, nonceOf, wholeBlock, withoutBlock } from './block.ts'
import { cleanCopies, type OnCopy } from './copies.ts'
import { readIfThere, removeEmptyFolders, shortenFile, statIfThere, temporaryOf } from './files.ts'
import { type Git, gitIn, indexEntry, pathIn } from './git.ts'
import { type Injected, type Place, readRecord, removeRecord, type WrittenFile } from './record.ts'
import { raiseShields } from './shield.ts'

export const MEMORY = '.claude/memory/MEMORY.md'
const FOLDERS = ['.claude/memory', '.claude']

/** Undoes whatever there is to undo here: of this process, of one that was killed, of a folder that was copied. */
export async function undo(
  place: Place,
  file: string,
  signal: AbortSignal,
  { nonce, onCopy = () => {} }: { nonce?: string | undefined; onCopy?: OnCopy | undefined } = {},
): Promise<boolean> {
  const git = gitIn(place.repository?.root ?? place.workspace, signal)
  const record = await readRecord(place)
  // The files come first: they need neither git nor space.
  const found = record ? await undoRecord(place.workspace, record) : await undoBlocks(place, git, [file, MEMORY])
  const nonces = [...(record?.files ?? []).map(({ ours }) => nonceOf(ours)), ...(nonce === undefined ? [] : [nonce])]
  for (const each of new Set(nonces)) await cleanCopies(place, git, each, onCopy)
  await removeRecord(place)
  const { repository } = place
  if (repository) {
    // Also without a record: it may have failed at this the last time.
    await raiseShields(repository, git)
    for (const path of record?.filter ?? []) await refreshIndex(git, path)
  }
  return found
}

async function undoRecord(workspace: string, { files, folders }: Injected): Promise<boolean> {
  // In the order of reading: the import goes before the file that it names.
  for (const file of files.toReversed()) await undoFile(join(workspace, file.path), file)
  await removeEmptyFolders(folders.map((folder) => join(workspace, folder)))
  return true
}

async function undoFile(path: string, { ours, base, modified }: Omit<WrittenFile, 'path'>): Promise<void> {
  await rm(temporaryOf(path), { force: true })
  // Not written yet, or something else by now: the agent's.
  if (!(await statIfThere(path))?.isFile()) return
  const bytes = (await readIfThere(path))!
  const rest = withoutBlock(bytes, ours, base ?? '')
  if (rest === bytes && rest !== base) return
  if (base === null && rest.trim() === '') return rm(path)
  if (rest !== bytes) await shortenFile(path, rest)
  // Also where somebody was killed between the two.
  if (rest === base) await utimes(path, new Date(), modified / 1000)
}

/** Blocks that no record tells of go where they are still as we wrote them, and no commit has them. */
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

async function isCommitted(git: Git, path: string, ours: Bytes): Promise<boolean> {
  return git(['cat-file', 'blob', `HEAD:${path}`]).then(
    (committed) => committed.includes(ours),
    // Not in the last commit, or no commit at all: what is only in the index can still be taken back.
    () => false,
  )
}

/** Tells git the size and time of a file whose content is unchanged. Not worth a failure where its index is locked. */
async function refreshIndex(git: Git, path: string): Promise<void> {
  const known = await indexEntry(git, path)
  if (!known || known.skipped || !known.mode.startsWith('100')) return
  const hash = await git(['hash-object', '--', path]).catch(() => '')
  if (hash.trim() === known.object) await git(['-c', 'core.safecrlf=false', 'update-index', '--', path]).catch(() => {})
}
