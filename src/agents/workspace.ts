import { link, mkdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { MemoryError } from '../model/errors.ts'
import { leadingBlock, makeBlock, removeBlock, subtractLines, toBytes } from './workspace/block.ts'
import {
  codeOf,
  readIfThere,
  removeEmptyFolders,
  replaceByLink,
  replaceFile,
  statIfThere,
  temporaryOf,
} from './workspace/files.ts'
import { type FileEntry, hashOf, type Journal, JournalFolder } from './workspace/journal.ts'
import { withLock } from './workspace/lock.ts'
import { assertIgnored, type PlannedFile, planFile } from './workspace/plan.ts'
import {
  findRepository,
  forgetSize,
  git,
  literal,
  pathIn,
  type Repository,
  refreshIndex,
} from './workspace/repository.ts'
import { raiseShields } from './workspace/shield.ts'

export interface WorkspaceContent {
  /** Personality and role text, without the import line. */
  instructions: string
  /** The text of MEMORY.md; empty for none. */
  memory: string
}

const INSTRUCTIONS = 'CLAUDE.md'
const MEMORY = '.claude/memory/MEMORY.md'
/** Claude Code does not look for the memory file by itself. */
const IMPORT = `@${MEMORY}`

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

interface Place {
  workspace: string
  repository: Repository | null
  journals: JournalFolder
  lock: string
}

async function findPlace(given: string): Promise<Place> {
  const workspace = await realpath(given).catch((cause) => {
    throw new MemoryError('INVALID_INPUT', `There is no workspace ${given}.`, {
      details: { field: 'workspace' },
      cause,
    })
  })
  if (!(await stat(workspace)).isDirectory()) {
    throw new MemoryError('INVALID_INPUT', `${given} is not a folder.`, { details: { field: 'workspace' } })
  }
  const repository = await findRepository(workspace)
  // In the repository's own folder neither the agent nor `git clean` comes across them.
  if (repository) {
    const folder = join(repository.commonDir, 'nokosu')
    return { workspace, repository, journals: new JournalFolder(folder), lock: folder }
  }
  const lock = join(tmpdir(), `nokosu-${process.getuid?.() ?? 'user'}`, hashOf(toBytes(workspace)).slice(0, 16))
  return { workspace, repository, journals: localJournals(workspace), lock }
}

function localJournals(workspace: string): JournalFolder {
  return new JournalFolder(join(workspace, '.nokosu-restore'))
}

async function isInjected({ workspace, journals }: Place): Promise<boolean> {
  if ((await journals.read(workspace)) ?? (await statIfThere(localJournals(workspace).path))) return true
  return leadingBlock((await readIfThere(join(workspace, INSTRUCTIONS))) ?? '') !== null
}

async function apply({ workspace, repository, journals }: Place, content: WorkspaceContent): Promise<void> {
  const hasMemory = content.memory !== ''
  const block = makeBlock([content.instructions.trim(), ...(hasMemory ? [IMPORT] : [])].join('\n\n').trim())
  const files = [
    // The file before the line that imports it.
    ...(hasMemory
      ? [
          await planFile(workspace, MEMORY, repository, (hasOwn) =>
            hasOwn
              ? { bytes: makeBlock(content.memory), plain: false }
              : { bytes: toBytes(content.memory), plain: true },
          ),
        ]
      : []),
    await planFile(workspace, INSTRUCTIONS, repository, () => ({ bytes: block, plain: false })),
  ]
  const journal: Journal = {
    version: 1,
    workspace,
    files: files.map(({ baseBytes, shield, unchanged, ...entry }) => entry),
    folders: await missingFolders(workspace),
    shield: {
      exclude: files.flatMap((file) => file.shield.exclude),
      filter: files.flatMap((file) => file.shield.filter),
    },
  }
  await journals.write(journal)
  try {
    if (repository) await shelter(repository, journals, files)
    for (const [position, file] of files.entries()) {
      await keepOriginal(file, journals.original(workspace, position))
      await mkdir(dirname(file.path), { recursive: true })
      await replaceFile(file.path, file.ours + file.baseBytes)
      if (repository && file.unchanged && !file.tracked?.skip) {
        await forgetSize(repository, pathIn(repository, file.path), file.unchanged)
      }
    }
  } catch (error) {
    await undoJournal(journal, repository, journals)
    throw error
  }
}

/** Everything that keeps the files out of commits, before there is anything to keep out. */
async function shelter(repository: Repository, journals: JournalFolder, files: readonly PlannedFile[]): Promise<void> {
  await raiseShields(
    repository,
    (await journals.readAll()).map((journal) => journal.shield),
  )
  for (const file of files) {
    await assertIgnored(repository, file)
    if (file.tracked?.skip) await lookAway(repository, file.tracked.path, true)
  }
}

async function lookAway(repository: Repository, path: string, away: boolean): Promise<void> {
  await git(repository, ['update-index', away ? '--skip-worktree' : '--no-skip-worktree', '--', path])
}

async function missingFolders(workspace: string): Promise<string[]> {
  const folders = ['.claude', '.claude/memory'].map((folder) => join(workspace, folder))
  const present = await Promise.all(folders.map(statIfThere))
  return folders.filter((_, position) => present[position] === null)
}

/** The very file, with its times and all else it has, for as long as ours takes its place. A copy would not be it. */
async function keepOriginal(file: PlannedFile, original: string): Promise<void> {
  if (!file.existed || file.link !== null) return
  try {
    await link(file.path, original)
  } catch (error) {
    // Another disk, or a file that we may not link: its content is what must come back, and that it does.
    if (!['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EEXIST'].includes(codeOf(error) ?? '')) throw error
  }
}

/** Undoes whatever there is to undo here: of this process, of one that was killed, of one that saw no repository here yet. */
async function undo(place: Place): Promise<boolean> {
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
  for (const [position, file] of [...files.entries()].reverse()) {
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

async function undoFile(file: FileEntry, original: string): Promise<void> {
  const { path, existed, ours, plain, base } = file
  const present = await statIfThere(path)
  // Not written yet, restored already, or removed by the agent.
  if (!present?.isFile()) return
  const bytes = (await readIfThere(path))!
  const rest = plain ? subtractLines(bytes, ours) : removeBlock(bytes, ours)
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
