import { link, rename, rm } from 'node:fs/promises'
import { MemoryError } from '../../model/errors.ts'
import type { Bytes } from './block.ts'
import { behindLinks, codeOf, readIfThere, shortenFile, statIfThere, writeLike } from './files.ts'

/**
 * Changes git's configuration as git itself does: the new content becomes the lock file, which then replaces the old file. So
 * no concurrent change by another program is lost. On a full disk the file is shortened in place.
 */
export async function writeConfig(file: string, change: (present: Bytes) => Bytes): Promise<void> {
  const path = await behindLinks(file)
  const [next, lock] = [`${path}.nokosu`, `${path}.lock`]
  const [left, held] = await Promise.all([statIfThere(next), statIfThere(lock)])
  // Left by a killed process of ours.
  if (left && left.ino === held?.ino) await rm(lock)
  const present = (await readIfThere(path)) ?? ''
  try {
    if (change(present) === present) return
    await writeLike(path, next, change(present))
    await link(next, lock)
    if ((await readIfThere(path)) === present) return await rename(lock, path)
    await rm(lock)
  } catch (error) {
    const code = codeOf(error)
    if (['ENOSPC', 'EDQUOT'].includes(code) && !held) return await shortenFile(path, change(present))
    if (code !== 'EEXIST') throw error
    throw new MemoryError('PROVIDER_ERROR', `Another program has locked git's configuration (${lock}).`, {
      cause: error,
    })
  } finally {
    await rm(next, { force: true })
  }
  return writeConfig(file, change)
}
