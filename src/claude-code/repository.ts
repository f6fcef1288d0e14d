import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

export interface Repository {
  /** The folder of the repository. A worktree has its repository's name, not its own folder's: it is the same project. */
  name: string
  /** Null when no branch is checked out. */
  branch: string | null
}

/** The repository around a folder. Reads git's files itself: a hook has no time for a process that may not even be there. */
export function findRepository(folder: string): Repository | null {
  for (let current = resolve(folder); ; current = dirname(current)) {
    const found = readRepository(current)
    if (found !== null) return found
    if (dirname(current) === current) return null
  }
}

function readRepository(root: string): Repository | null {
  const entry = join(root, '.git')
  const kind = statSync(entry, { throwIfNoEntry: false })
  if (kind === undefined) return null
  if (kind.isDirectory()) return { name: basename(root), branch: readBranch(entry) }
  const target = /^gitdir: (.+)$/m.exec(read(entry) ?? '')?.[1]
  if (target === undefined) return null
  const own = resolve(root, target.trim())
  const common = read(join(own, 'commondir'))
  // A submodule has a folder for itself elsewhere too, but shares it with nobody.
  return { name: common === null ? basename(root) : nameOf(resolve(own, common.trim())), branch: readBranch(own) }
}

/** `shop/.git`, or `shop.git` where a bare repository has worktrees. */
function nameOf(common: string): string {
  return basename(common) === '.git' ? basename(dirname(common)) : basename(common, '.git')
}

function readBranch(folder: string): string | null {
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(read(join(folder, 'HEAD')) ?? '')?.[1]
  // What git writes where the branches are kept in a format of another kind.
  return branch === undefined || branch === '.invalid' ? null : branch
}

/** Null for a file that is not there, or not for us. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
