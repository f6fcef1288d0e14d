import { realpath, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Bytes, leadingBlock, removeBlock, subtractLines } from './block.ts'
import { readIfThere, removeEmptyFolders, replaceByLink, replaceFile, statIfThere, temporaryOf } from './files.ts'
import { type FileEntry, hashOf, type Journal, type JournalFolder } from './journal.ts'
import { IMPORT, INSTRUCTIONS, localJournals, MEMORY, type Place } from './place.ts'
import { git, literal, lookAway, pathIn, type Repository, refreshIndex } from './repository.ts'
import { raiseShields } from './shield.ts'

export async function isInjected({ workspace, journals }: Place): Promise<boolean> {
  if ((await journals.read(workspace)) ?? (await statIfThere(localJournals(workspace).path))) return true
  return leadingBlock((await readIfThere(join(workspace, INSTRUCTIONS))) ?? '') !== null
}

/** Undoes whatever there is to undo here: of this process, of one that was killed, of one that saw no repository here yet. */
export async function undo(place: Place): Promise<boolean> {
  const { workspace, repository, journals } = place
  const local = localJournals(workspace)
  const journal = await journals.read(workspace)
  if (journal) await undoJournal(journal, repository, journals)
  const older = repository ? await local.read(workspace) : null
  if (older) await undoJournal(older, null, local)
  return [
    journal !== null || older !== null,
    // A process was killed before its journal was whole, so before it changed anything.
    await removeLocal(local),
    journal === null && older === null && (await removeOrphan(place)),
  ].includes(true)
}

async function undoJournal(journal: Journal, repository: Repository | null, journals: JournalFolder): Promise<void> {
  const { workspace, files, folders } = journal
  // In the order of reading: the import goes before the file that it names.
  const isFirst = ({ name }: FileEntry) => Number(name === INSTRUCTIONS)
  for (const [position, file] of [...files.entries()].reverse().sort(([, a], [, b]) => isFirst(b) - isFirst(a))) {
    await undoFile(file, journals.original(workspace, position))
    await rm(temporaryOf(file.path), { force: true })
    if (repository && file.tracked) await undoTracking(repository, file.path, file.tracked)
  }
  if (repository) {
    const others = (await journals.readAll()).filter((other) => other.workspace !== workspace)
    await raiseShields(
      repository,
      others.map((other) => other.shield),
    )
    // Without our filter git reads the files quickly, and holds its lock no longer than it must.
    for (const { tracked } of files) if (tracked) await refreshIndex(repository, tracked.path)
  }
  await removeEmptyFolders(folders)
  await journals.remove(workspace)
}

async function removeLocal({ path }: JournalFolder): Promise<boolean> {
  if (!(await statIfThere(path))) return false
  await rm(path, { recursive: true })
  return true
}

/** What the file has besides ours. */
export function restOf(file: FileEntry, bytes: Bytes): Bytes {
  const ours = writtenIn(file, bytes)
  return file.plain ? subtractLines(bytes, ours) : removeBlock(bytes, ours)
}

/** Which of ours the file has: a process may have been killed before it could replace one by the other. */
export function writtenIn({ ours, earlier }: FileEntry, bytes: Bytes): Bytes {
  const present = [ours, earlier ?? ours].filter((each) => bytes.startsWith(each))
  // One may begin like the other.
  return present.toSorted((a, b) => b.length - a.length)[0] ?? ours
}

async function undoFile(file: FileEntry, original: string): Promise<void> {
  const { path, existed, base } = file
  const present = await statIfThere(path)
  // Not written yet, restored already, or removed by the agent.
  if (!present?.isFile()) return
  const bytes = (await readIfThere(path))!
  const rest = restOf(file, bytes)
  const untouched = hashOf(rest) === base
  if (file.link !== null) {
    const target = resolve(dirname(path), file.link)
    // The agent wrote into what it took for the file behind the link, so there it goes.
    if (!untouched && (await statIfThere(dirname(target))))
      await replaceFile(await realpath(target).catch(() => target), rest)
    else if (!untouched) return replaceFile(path, rest)
    return replaceByLink(path, file.link)
  }
  if (rest === bytes) return
  if (!existed && (untouched || rest.trim() === '')) return rm(path)
  const kept = untouched ? await readIfThere(original) : null
  if (kept === rest) await rename(original, path)
  else await replaceFile(path, rest)
}

async function undoTracking(
  repository: Repository,
  file: string,
  { path, skipped, skip }: NonNullable<FileEntry['tracked']>,
): Promise<void> {
  const known = (await git(repository, ['ls-files', '--', literal(path)])) !== ''
  if (!known) return
  if (skip) await lookAway(repository, path, false)
  if (skipped && !(await statIfThere(file))) await lookAway(repository, path, true)
}

/** A block of ours that no journal tells of, such as in a folder that was copied. What the repository has committed stays. */
async function removeOrphan({ workspace, repository }: Place): Promise<boolean> {
  const path = await realpath(join(workspace, INSTRUCTIONS)).catch(() => null)
  const bytes = path === null ? null : await readIfThere(path)
  const block = leadingBlock(bytes ?? '')
  if (path === null || bytes === null || block === null) return false
  if (repository && (await isCommitted(repository, path))) return false
  const rest = bytes.slice(block.length)
  if (block.includes(`\n${IMPORT}\n`)) {
    await rm(join(workspace, MEMORY), { force: true })
    await removeEmptyFolders([join(workspace, '.claude/memory'), join(workspace, '.claude')])
  }
  if (rest === '') await rm(path)
  else await replaceFile(path, rest)
  return true
}

async function isCommitted(repository: Repository, path: string): Promise<boolean> {
  const [, object] = (await git(repository, ['ls-files', '-s', '--', literal(pathIn(repository, path))])).split(' ')
  return object !== undefined && leadingBlock(await git(repository, ['cat-file', 'blob', object])) !== null
}
