import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { shell } from './shell.ts'

/**
 * Opens a file of the command line, or standard input for `-`. A file that cannot be opened is an error of the command, so this
 * comes before the store is opened.
 */
export async function openInput(file: string): Promise<Readable> {
  if (file === '-') return shell().stdin
  const path = resolve(shell().cwd, file)
  const handle = await open(path)
  if (!(await handle.stat()).isDirectory()) return handle.createReadStream({ highWaterMark: 1 << 18 })
  await handle.close()
  throw Object.assign(new Error('is a folder'), { code: 'EISDIR', path })
}
