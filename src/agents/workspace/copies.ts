import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Ours, withoutBlocksOf } from './block.ts'
import { readIfThere, shortenFile, statIfThere } from './files.ts'
import { findAround, gitIn, otherWorktrees, refreshIndex } from './git.ts'
import type { Place } from './record.ts'

/** Called for each file with a copy of our block: whether it was removed, or all or part of it remains. */
export type OnCopy = (path: string, isOut: boolean) => void

export function describeCopy(path: string, isOut: boolean): string {
  return isOut
    ? `the nokosu block was removed from the copy in ${path}`
    : `${path} contains the nokosu block or a part of it: remove it before you commit`
}

/** Larger files are not written by hand. If there are more files, only the first are read. */
const MOST_BYTES = 2 << 20
const MOST_FILES = 2000
/** How deeply nested repositories are searched. */
const MOST_DEPTH = 4
/** The file system's clock may be slightly behind. */
const CLOCK_MS = 2000

export interface CopySearch {
  ours: Ours
  /** Milliseconds. Files not touched since cannot be copies. */
  since: number
  onCopy: OnCopy
  signal: AbortSignal
}

/**
 * A copy of our block (`cp CLAUDE.md AGENTS.md`) would end up in the next commit. It is removed from Markdown files, which agents
 * read as instructions and which git filters during the run. Elsewhere the agent's own work is left alone
 * and only reported. Other worktrees, enclosing repositories of a submodule and nested ones are searched too.
 */
export async function cleanCopies({ repository }: Place, search: CopySearch): Promise<void> {
  if (repository === null || search.ours.nonces.length === 0) return
  await cleanTree(repository.root, '', 0, search)
  for (const tree of await otherWorktrees(repository, search.signal))
    await cleanTree(tree, `${tree}/`, MOST_DEPTH, search)
  let around = await findAround(repository.root, search.signal)
  for (let steps = 0; around !== null && steps < MOST_DEPTH; steps++) {
    // The submodule itself was already searched. Other submodules do not belong to the agent.
    await cleanTree(around, `${around}/`, MOST_DEPTH, search)
    around = await findAround(around, search.signal)
  }
}

/** `name` prefixes the names of its files. */
async function cleanTree(root: string, name: string, depth: number, search: CopySearch): Promise<void> {
  // Git compares nothing here, so none of the user's filters run. Modification times show what was touched.
  const git = gitIn(root, search.signal)
  const listed = await git(['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  const paths = [...new Set(listed.split('\0'))].map((path) => Buffer.from(path, 'latin1').toString('utf8'))
  let left = MOST_FILES
  for (const path of paths
    .filter((each) => each !== '')
    .sort((a, b) => Number(isMarkdown(b)) - Number(isMarkdown(a)))) {
    const whole = join(root, path)
    const found = await statIfThere(whole)
    if (found?.isDirectory() && depth < MOST_DEPTH && (await statIfThere(join(whole, '.git'))) !== null)
      await cleanTree(whole, `${name}${path.replace(/\/$/, '')}/`, depth + 1, search)
    const isTouched = found?.isFile() && found.ctimeMs > search.since - CLOCK_MS && found.size <= MOST_BYTES
    if (isTouched && left-- > 0 && (await cleanFile(whole, name + path, search))) await refreshIndex(git, path)
  }
}

const isMarkdown = (path: string) => /\.md$/i.test(path)

/** Whether the file was changed. */
async function cleanFile(path: string, name: string, { ours, onCopy }: CopySearch): Promise<boolean> {
  const bytes = (await readIfThere(path))!
  if (!ours.nonces.some((nonce) => bytes.includes(`<!-- nokosu:end ${nonce}`))) return false
  const { rest, isPart } = isMarkdown(path) ? withoutBlocksOf(bytes, ours) : { rest: bytes, isPart: true }
  const isChanged = rest !== bytes
  if (isChanged && rest.trim() === '') await rm(path)
  else if (isChanged) await shortenFile(path, rest)
  onCopy(name, !isPart)
  return isChanged
}
