import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { withoutBlocksOf } from './block.ts'
import { readIfThere, shortenFile, statIfThere } from './files.ts'
import type { Git } from './git.ts'
import type { Place } from './record.ts'

/** Told of each file that had a copy of our block: whether it is out, or all or a part of it is left. */
export type OnCopy = (path: string, isOut: boolean) => void

/** More is no file that somebody writes by hand, and a tree with more changes is not gone through. */
const MOST_BYTES = 2 << 20
const MOST_FILES = 2000

/**
 * What the agent copied or moved our block to (`cp CLAUDE.md AGENTS.md`) is told by git as changed or new, and would be in the next
 * commit. Out of Markdown, which agents read as instructions and which git filters during the run, the block is taken as well. What
 * the agent wrote elsewhere is its work, and is only named.
 */
export async function cleanCopies({ repository }: Place, git: Git, nonce: string, onCopy: OnCopy): Promise<void> {
  if (repository === null) return
  const listed = await git(['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames'])
  const paths = listed
    .split('\0')
    .filter((line) => /^.[^ D]|^[^ D] /.test(line))
    .map((line) => line.slice(3))
  for (const path of paths.slice(0, MOST_FILES)) {
    const whole = join(repository.root, Buffer.from(path, 'latin1').toString('utf8'))
    const found = await statIfThere(whole)
    if (!found?.isFile() || found.size > MOST_BYTES) continue
    const bytes = (await readIfThere(whole))!
    if (!bytes.includes(`<!-- nokosu:end ${nonce}`)) continue
    if (!/\.md$/i.test(path)) {
      onCopy(path, false)
      continue
    }
    const { rest, isPart } = withoutBlocksOf(bytes, nonce)
    if (rest.trim() === '') await rm(whole)
    else if (rest !== bytes) await shortenFile(whole, rest)
    onCopy(path, !isPart)
  }
}
