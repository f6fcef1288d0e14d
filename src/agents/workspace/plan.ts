import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { MemoryError } from '../../model/errors.ts'
import type { Bytes } from './block.ts'
import { readIfThere, statIfThere, temporaryOf } from './files.ts'
import { type FileEntry, hashOf } from './journal.ts'
import { git, gitSays, type IndexEntry, indexEntry, isUnchanged, pathIn, type Repository } from './repository.ts'

/** A file as it is before us, and what it is going to be. */
export interface PlannedFile extends FileEntry {
  baseBytes: Bytes
  shield: { exclude: string[]; filter: string[] }
  /** What the index has, where the file is just that: git is to go on seeing it so. */
  unchanged: IndexEntry | null
}

/** Looks at everything and changes nothing. `ours` gets to know whether the file has content of its own. */
export async function planFile(
  workspace: string,
  name: string,
  repository: Repository | null,
  ours: (hasOwn: boolean) => { bytes: Bytes; plain: boolean },
): Promise<PlannedFile> {
  const target = await findTarget(workspace, name)
  const own = await readIfThere(target.source ?? target.path)
  const known = repository ? await indexEntry(repository, pathIn(repository, target.path)) : null
  // Git tracks it and it is not checked out: with git's content under ours, nothing looks deleted or emptied.
  const baseBytes = own ?? (repository && isFile(known) ? await readStaged(repository, target.path) : '')
  const unchanged =
    repository && known && (await looksUnchanged(repository, target, known, own !== null)) ? known : null
  const { bytes, plain } = ours(own !== null || baseBytes !== '')
  const guarded = repository ? await protect(repository, target, known) : { tracked: null, exclude: [], filter: [] }
  return {
    name,
    path: target.path,
    link: target.link,
    existed: own !== null || target.link !== null,
    base: hashOf(baseBytes),
    ours: bytes,
    plain,
    tracked: guarded.tracked,
    baseBytes,
    shield: { exclude: guarded.exclude, filter: guarded.filter },
    unchanged,
  }
}

interface Target {
  path: string
  /** What a link says that leads out of the workspace, or nowhere. */
  link: string | null
  /** Where such a link leads. */
  source: string | null
}

async function findTarget(workspace: string, name: string): Promise<Target> {
  const folder = await realFolder(workspace, dirname(name))
  const path = join(folder, basename(name))
  const present = await statIfThere(path)
  if (present?.isDirectory()) throw unusable(name, 'it is a folder')
  if (!present?.isSymbolicLink()) return { path, link: null, source: null }
  const target = await realpath(path).catch(() => null)
  if (target !== null && (await statIfThere(target))?.isDirectory()) throw unusable(name, 'it is a link to a folder')
  // A link to AGENTS.md beside it: what the agent writes through it is to be committed there.
  if (target !== null && isInside(workspace, target)) return { path: target, link: null, source: null }
  return { path, link: await readlink(path), source: target }
}

/** The folder as it is, or will be. Links may stay in the workspace; through others we would write into somebody else's files. */
async function realFolder(workspace: string, folder: string): Promise<string> {
  let real = workspace
  for (const part of folder.split('/').filter((each) => each !== '.')) {
    const next = join(real, part)
    const present = await statIfThere(next)
    if (present?.isSymbolicLink()) {
      const target = await realpath(next).catch(() => null)
      if (target === null || !isInside(workspace, target)) throw unusable(folder, 'it is a link out of the workspace')
      real = target
    } else real = next
    if (present && !(await statIfThere(real))?.isDirectory()) throw unusable(folder, 'it is not a folder')
  }
  return real
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !way.split(sep).includes('.git')
}

export function unusable(name: string, why: string): MemoryError {
  return new MemoryError('INVALID_INPUT', `Cannot write ${name} in the workspace: ${why}.`, {
    details: { field: 'workspace', path: name },
  })
}

const isFile = (entry: IndexEntry | null) => entry?.mode.startsWith('100') === true

/** Where the user told git to look away from a file of theirs, it is left at that. */
async function looksUnchanged(repository: Repository, { path }: Target, known: IndexEntry, existed: boolean) {
  if (!existed) return isFile(known)
  return !known.skipped && (await isUnchanged(repository, pathIn(repository, path), known))
}

async function readStaged(repository: Repository, path: string): Promise<Bytes> {
  return git(repository, ['cat-file', 'blob', `:${pathIn(repository, path)}`])
}

/**
 * Not tracked: ignored. Tracked: filtered, so that what the agent itself changes can still be committed. Where a filter cannot
 * help (the kind of file changes, or it has a filter of its own), git is told to look away from it.
 */
async function protect(repository: Repository, { path, link }: Target, known: IndexEntry | null) {
  const file = pathIn(repository, path)
  const exclude = [pathIn(repository, temporaryOf(path))]
  const filtered = !(await hasFilter(repository, file))
  const filter = filtered ? [file] : []
  if (!known) return { tracked: null, exclude: [...exclude, file], filter }
  const skip = !known.skipped && (link !== null || !filtered)
  return { tracked: { path: file, skipped: known.skipped, skip }, exclude, filter }
}

async function hasFilter(repository: Repository, file: string): Promise<boolean> {
  const answer = await git(repository, ['check-attr', '-z', 'filter', '--', file])
  return !['unspecified', 'unset', 'set', 'nokosu'].includes(answer.split('\0')[2] ?? '')
}

/** A `.gitignore` may take back what we exclude; then it would be committed, and must not be written. */
export async function assertIgnored(repository: Repository, file: PlannedFile): Promise<void> {
  if (file.tracked) return
  const path = pathIn(repository, file.path)
  if (await gitSays(repository, ['check-ignore', '--quiet', '--no-index', '--', path])) return
  throw new MemoryError(
    'UNSUPPORTED',
    `A .gitignore says that ${path} is to be committed, and it is not there yet: commit one first, even an empty one.`,
    { details: { path } },
  )
}
