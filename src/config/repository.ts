import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { readGitConfig } from './git-config.ts'

export interface Repository {
  root: string
  /** The main working tree, which outlives the others; git's own folder for a bare repository. */
  main: string
  common: string
  /** Null if no branch is checked out. */
  branch: string | null
}

/** The repository around a folder. Reads git's files directly: a hook has no time to start git, which may not even be installed. */
export function findRepository(folder: string): Repository | null {
  for (let current = resolve(folder); ; current = dirname(current)) {
    const found = readRepository(current)
    if (found !== null) return found
    if (dirname(current) === current) return null
  }
}

/** The folder's name: `shop` for `shop/.git`, and for `shop.git` if it is a bare repository with working trees. */
export function folderName({ main, common }: Repository): string {
  return basename(main === common ? main.replace(/(?<=[^/\\])\.git$/, '') : main)
}

function readRepository(root: string): Repository | null {
  const entry = join(root, '.git')
  const kind = statSync(entry, { throwIfNoEntry: false })
  if (kind === undefined) return null
  if (kind.isDirectory()) return { root, main: root, common: entry, branch: readBranch(entry) }
  const target = /^gitdir: (.+)$/m.exec(readIfThere(entry) ?? '')?.[1]
  if (target === undefined) return null
  const own = resolve(root, target.trim())
  const shared = readIfThere(join(own, 'commondir'))
  // A submodule's git folder is elsewhere too, but not shared.
  if (shared === null) return { root, main: root, common: own, branch: readBranch(own) }
  const common = resolve(own, shared.trim())
  return { root, main: mainOf(common), common, branch: readBranch(own) }
}

/** The working tree of a git folder, or the folder itself. */
function mainOf(common: string): string {
  if (basename(common) === '.git') return dirname(common)
  const worktree = readGitConfig(common).get('core.worktree')
  if (worktree !== undefined) return resolve(common, worktree)
  // `shop/.git` may be a file that points to `shop/.bare`.
  const beside = /^gitdir: (.+)$/m.exec(readIfThere(join(dirname(common), '.git')) ?? '')?.[1]
  return beside !== undefined && resolve(dirname(common), beside.trim()) === common ? dirname(common) : common
}

function readBranch(folder: string): string | null {
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(readIfThere(join(folder, 'HEAD')) ?? '')?.[1]
  // Git writes this if branches are stored in another format.
  return branch === undefined || branch === '.invalid' ? null : branch
}

/** Null if the file does not exist or cannot be read. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
