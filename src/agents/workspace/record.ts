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
  /** From the workspace, so that it is still right when the folder was moved. */
  path: string
  ours: Bytes
  /** What it had before us; null when it was not there. */
  base: Bytes | null
  /** When that was written, in milliseconds. */
  modified: number
}

/** What was injected into a workspace. Written before the first change and removed after the last. */
export interface Injected {
  version: 3
  files: WrittenFile[]
  /** Folders that were not there, from the workspace. */
  folders: string[]
  /** Paths from the root of the repository that git is to clean, and those of them that were not there before. */
  filter: string[]
  fresh: string[]
  /** When, in milliseconds. */
  at: number
  /** For people. Null for what was injected by hand. */
  holder: { name: string; pid: number; since: string } | null
}

export interface Place {
  workspace: string
  repository: Repository | null
  /** All worktrees share it. */
  folder: string
  record: string
  /** Locked for as long as a run needs what was injected. */
  held: string
  /** Where the next content of a file is written, out of git's sight; undefined where there is no such place. */
  next: string | undefined
}

export async function findPlace(given: string, signal?: AbortSignal): Promise<Place> {
  const workspace = await realpath(given).catch(() => null)
  if (workspace === null || !(await stat(workspace)).isDirectory()) {
    const why = workspace === null ? `There is no workspace ${given}.` : `${given} is not a folder.`
    throw invalidInput('workspace', why)
  }
  const repository = await findRepository(workspace, signal)
  // Neither the agent nor `git clean` comes across the repository's own folder. Its key is relative: the folder may be moved.
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

/** Makes the folder, and refuses one that somebody else has put there. */
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
  // One that cannot be read tells nothing; the blocks still tell themselves.
  const parsed = parseJson(Buffer.from(bytes, 'latin1').toString('utf8'))
  return parsed.ok && (parsed.value as Injected).version === 3 ? (parsed.value as Injected) : null
}

export async function writeRecord({ record }: Place, injected: Injected): Promise<void> {
  await replaceFile(record, Buffer.from(JSON.stringify(injected), 'utf8').toString('latin1'))
}

export async function removeRecord({ record }: Place): Promise<void> {
  await rm(record, { force: true })
}

/** Of all worktrees of a repository. One that was removed has taken its records along. */
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
