import { chmod, lchown, lstat, readFile, rename, rm, rmdir, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Bytes } from './block.ts'

/** Where a file's next content is written before it takes its place. Only one process at a time does. */
export function temporaryOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.nokosu`)
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

/** Null where there is no such file. */
export async function readIfThere(path: string): Promise<Bytes | null> {
  try {
    return await readFile(path, 'latin1')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error) ?? '')) return null
    throw error
  }
}

export async function statIfThere(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return null
    throw error
  }
}

/** The whole new content or the whole old one, at every moment. Mode and owner stay; a read-only file is no obstacle. */
export async function replaceFile(path: string, bytes: Bytes): Promise<void> {
  const temporary = temporaryOf(path)
  const present = await statIfThere(path)
  const kept = present?.isFile() ? present : null
  await rm(temporary, { force: true })
  await writeFile(temporary, bytes, { encoding: 'latin1', flag: 'wx', flush: true })
  if (kept) {
    await chmod(temporary, kept.mode & 0o7777)
    if (process.getuid?.() === 0) await lchown(temporary, kept.uid, kept.gid)
  }
  await rename(temporary, path)
}

export async function replaceByLink(path: string, target: string): Promise<void> {
  const temporary = temporaryOf(path)
  await rm(temporary, { force: true })
  await symlink(target, temporary)
  await rename(temporary, path)
}

/** Removes folders that are empty, the deepest first; one in which somebody left something stays. */
export async function removeEmptyFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toSorted((a, b) => b.length - a.length)) {
    try {
      await rmdir(folder)
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error) ?? '')) throw error
    }
  }
}
