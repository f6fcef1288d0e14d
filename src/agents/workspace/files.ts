import { chmod, lchown, lstat, open, readFile, realpath, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Bytes } from './block.ts'

/** Where a file's new content is written before it replaces the old. Only one process at a time does this. */
export function temporaryOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.nokosu`)
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}

/** Null if the file does not exist. */
export async function readIfThere(path: string): Promise<Bytes | null> {
  try {
    return await readFile(path, 'latin1')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error))) return null
    throw error
  }
}

export async function statIfThere(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null
    throw error
  }
}

/**
 * At every moment the file holds either all of its old content or all of the new. Mode and owner stay, and read-only files are replaced
 * too. The new content is first written to `temporary`.
 */
export async function replaceFile(path: string, bytes: Bytes, temporary = temporaryOf(path)): Promise<void> {
  // Hard links must keep pointing to the same file.
  if (((await statIfThere(path))?.nlink ?? 1) > 1) return overwrite(path, bytes)
  try {
    await writeLike(path, temporary, bytes)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    // The git folder may be on another disk.
    if (codeOf(error) === 'EXDEV' && temporary !== temporaryOf(path)) return replaceFile(path, bytes)
    throw error
  }
}

export async function writeLike(model: string, path: string, bytes: Bytes): Promise<void> {
  const present = await statIfThere(model)
  await rm(path, { force: true })
  await writeFile(path, bytes, { encoding: 'latin1', flag: 'wx', flush: true })
  if (!present?.isFile()) return
  await chmod(path, present.mode & 0o7777)
  if (process.getuid?.() === 0) await lchown(path, present.uid, present.gid)
}

/** Follows a link. A dangling link is not replaced by a file of ours. */
export async function behindLinks(path: string): Promise<string> {
  return (await statIfThere(path)) === null ? path : realpath(path)
}

/** Works on a full disk too, because a file that only shrinks needs no more space. */
export async function shortenFile(path: string, bytes: Bytes, temporary?: string): Promise<void> {
  try {
    await replaceFile(path, bytes, temporary)
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes(codeOf(error))) throw error
    await overwrite(path, bytes)
  }
}

async function overwrite(path: string, bytes: Bytes): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.write(Buffer.from(bytes, 'latin1'), 0, undefined, 0)
    await file.truncate(bytes.length)
  } finally {
    await file.close()
  }
}

/** Removes empty folders, the deepest first. A folder with anything in it stays. */
export async function removeEmptyFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toSorted((a, b) => b.length - a.length)) {
    try {
      await rmdir(folder)
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error))) throw error
    }
  }
}
