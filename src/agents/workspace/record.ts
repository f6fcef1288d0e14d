import { createHash } from 'node:crypto'
import { lstat, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { invalidInput, MemoryError } from '../../model/errors.ts'
import { parseJson } from '../../text/json.ts'
import type { Bytes } from './block.ts'
import { readIfThere, replaceFile } from './files.ts'
import { findRepository, pathIn, type Repository } from './git.ts'

export interface WrittenFile {
  /** Relative to the workspace, so that it stays right if the folder moves. */
  path: string
  ours: Bytes
  /** The content before ours; null if the file did not exist. */
  base: Bytes | null
  /** When that content was written, in milliseconds. */
  modified: number
}

/** What was injected into a workspace. Written before the first change and removed after the last. */
export interface Injected {
  version: 3
  files: WrittenFile[]
  /** Folders that did not exist, relative to the workspace. */
  folders: string[]
  /** Paths that git must clean, relative to the repository's root, and those among them that did not exist before. */
  filter: string[]
  fresh: string[]
  /** When, in milliseconds. */
  at: number
  /** For display. Null if it was injected by hand. */
  holder: { name: string; pid: number; since: string } | null
}

export interface Place {
  workspace: string
  repository: Repository | null
  /** Shared by all worktrees. */
  folder: string
  record: string
  /** Locked as long as a run needs the injected files. */
  held: string
  /** Where a file's new content is written, out of git's sight; undefined if there is no such place. */
  next: string | undefined
}

export async function findPlace(given: string, signal?: AbortSignal): Promise<Place> {
  const workspace = await realpath(given).catch(() => null)
  if (workspace === null || !(await stat(workspace)).isDirectory()) {
    const why = workspace === null ? `There is no workspace ${given}.` : `${given} is not a folder.`
    throw invalidInput('workspace', why)
  }
  const repository = await findRepository(workspace, signal)
  // Agents and `git clean` do not touch the repository's own folder. The key is relative, because the folder may be moved.
  const folder = repository ? join(repository.commonDir, 'nokosu') : privateFolder()
  const records = repository ? join(repository.gitDir, 'nokosu') : folder
  const key = repository ? pathIn(repository.root, workspace) : workspace
  const path = join(records, createHash('sha256').update(key).digest('hex').slice(0, 16))
  const next = repository ? `${path}.next` : undefined
  return { workspace, repository, folder, record: `${path}.json`, held: `${path}.held`, next }
}

function privateFolder(): string {
  return join(tmpdir(), `nokosu-inject-${process.getuid?.() ?? 'user'}`)
}

/** Creates the folder, and refuses one that someone else put there. */
export async function openFolder({ folder, record, repository }: Place): Promise<void> {
  for (const path of [folder, dirname(record)]) await mkdir(path, { recursive: true, mode: 0o700 })
  const { uid } = await lstat(folder)
  if (repository === null && process.getuid !== undefined && uid !== process.getuid()) {
    throw new MemoryError('CONFIGURATION_ERROR', `${folder} belongs to another user.`)
  }
}

export async function readRecord({ record }: Pick<Place, 'record'>): Promise<Injected | null> {
  const bytes = await readIfThere(record)
  if (bytes === null) return null
  // An unreadable record is ignored; the blocks still identify themselves.
  const parsed = parseJson(Buffer.from(bytes, 'latin1').toString('utf8'))
  return parsed.ok && (parsed.value as Injected).version === 3 ? (parsed.value as Injected) : null
}

export async function writeRecord({ record }: Place, injected: Injected): Promise<void> {
  await replaceFile(record, Buffer.from(JSON.stringify(injected), 'utf8').toString('latin1'))
}

export async function removeRecord({ record }: Place): Promise<void> {
  await rm(record, { force: true })
}

/** For all worktrees of a repository. A removed worktree takes its records along. */
export async function allRecords(commonDir: string): Promise<Injected[]> {
  const worktrees = await readdir(join(commonDir, 'worktrees')).catch(() => [])
  const folders = [commonDir, ...worktrees.map((name) => join(commonDir, 'worktrees', name))]
  const found: Injected[] = []
  for (const folder of folders.map((each) => join(each, 'nokosu'))) {
    for (const name of await readdir(folder).catch(() => [])) {
      const injected = /^[0-9a-f]{16}\.json$/.test(name) ? await readRecord({ record: join(folder, name) }) : null
      if (injected) found.push(injected)
    }
  }
  return found
}
