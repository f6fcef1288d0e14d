import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Ours, withoutBlocksOf } from './block.ts'
import { readIfThere, shortenFile, statIfThere } from './files.ts'
import { findAround, gitIn, otherWorktrees, refreshIndex } from './git.ts'
import type { Place } from './record.ts'

/** Told of each file that had a copy of our block: whether it is out, or all or a part of it is left. */
export type OnCopy = (path: string, isOut: boolean) => void

export function describeCopy(path: string, isOut: boolean): string {
  return isOut
    ? `our block was taken out of the copy in ${path}`
    : `${path} has our block or a part of it: remove it before you commit`
}

/** More is no file that somebody writes by hand, and of more files only the first are read. */
const MOST_BYTES = 2 << 20
const MOST_FILES = 2000
/** Repositories in repositories. */
const MOST_DEPTH = 4
/** The clock of a disk may be a little behind. */
const CLOCK_MS = 2000

export interface CopySearch {
  ours: Ours
  /** Milliseconds: nothing that was not touched since can be a copy. */
  since: number
  onCopy: OnCopy
  signal: AbortSignal
}

/**
 * What the agent copied or moved our block to (`cp CLAUDE.md AGENTS.md`) would be in the next commit. Out of Markdown, which agents
 * read as instructions and which git filters during the run, the block is taken as well. What the agent wrote elsewhere is its work,
 * and is only named. Other worktrees, the repositories around a submodule and those inside are searched too.
 */
export async function cleanCopies({ repository }: Place, search: CopySearch): Promise<void> {
  if (repository === null || search.ours.nonces.length === 0) return
  await cleanTree(repository.root, '', 0, search)
  for (const tree of await otherWorktrees(repository, search.signal))
    await cleanTree(tree, `${tree}/`, MOST_DEPTH, search)
  let around = await findAround(repository.root, search.signal)
  for (let steps = 0; around !== null && steps < MOST_DEPTH; steps++) {
    // What is inside of it is the submodule, which was searched, and its siblings, which are not the agent's.
    await cleanTree(around, `${around}/`, MOST_DEPTH, search)
    around = await findAround(around, search.signal)
  }
}

/** `name` is what its files are called by. */
async function cleanTree(root: string, name: string, depth: number, search: CopySearch): Promise<void> {
  // Git compares nothing here, so that no filter of the user runs: the times say what was touched.
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

/** Whether the file has changed. */
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
