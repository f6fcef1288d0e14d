import { mkdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { escapeForFile, escapeImports } from '../../guard/escape.ts'
import { type Bytes, makeBlock } from './block.ts'
import type { WorkspaceContent } from './content.ts'
import { readIfThere, replaceFile, statIfThere } from './files.ts'
import { filterOf, type Git, gitIn, indexEntry, pathIn } from './git.ts'
import { type Injected, type Place, type WrittenFile, writeRecord } from './record.ts'
import { assertHookFree, FILTER, raiseShields } from './shield.ts'
import { findTarget, unusable } from './target.ts'
import { MEMORY, undo } from './undo.ts'

const UNDO_MS = 500

interface Options {
  holder: string | undefined
  file: string
  nonce: string
  signal: AbortSignal
}

/** Looks first, then records the plan, then raises the git shields, then writes. A failure undoes everything. */
export async function apply(
  place: Place,
  content: WorkspaceContent,
  { holder, file, nonce, signal }: Options,
): Promise<void> {
  const { workspace } = place
  const blocks = blocksOf(content, file, nonce)
  const git = gitIn(place.repository?.root ?? workspace, signal)
  if (blocks.length === 0) return
  const planned = await Promise.all(blocks.map(([name, block]) => plan(place, git, name, block)))
  const injected: Injected = {
    version: 3,
    files: planned.map(({ written }) => written),
    folders: await missingFolders(workspace, planned),
    filter: planned.flatMap(({ file }) => file ?? []),
    fresh: planned.flatMap(({ file, written }) => (file !== null && written.base === null ? file : [])),
    at: Date.now(),
    holder: holder === undefined ? null : { name: holder, pid: process.pid, since: new Date().toISOString() },
  }
  signal.throwIfAborted()
  await writeRecord(place, injected)
  try {
    if (place.repository) await raiseShields(place.repository, git)
    for (const each of planned) await put(place, git, each, signal)
  } catch (error) {
    await undo(place, file, AbortSignal.timeout(UNDO_MS), { onCopy: null })
    throw error
  }
}

export function blocksOf(content: WorkspaceContent, file: string, nonce: string): [string, Bytes][] {
  return textsOf(content, file).map(([name, text]) => [name, makeBlock(text, nonce)])
}

/** The memories go before the line that imports them. Only Claude Code reads imports; for others the one file holds the memories. */
function textsOf({ instructions, memory: shown }: WorkspaceContent, file: string): [string, string][] {
  const memory = escapeForFile(shown)
  const isClaude = file.endsWith('CLAUDE.md')
  const rest = memory === '' || !isClaude ? memory.trim() : `@${MEMORY}`
  // As in a system prompt, imports in an operator's instructions are left alone here.
  const text = [escapeImports(instructions.trim()), rest].filter((part) => part !== '').join('\n\n')
  const written: [string, string][] = isClaude && memory !== '' ? [[MEMORY, memory]] : []
  return text === '' ? written : [...written, [file, text]]
}

interface Planned {
  path: string
  written: WrittenFile
  /** Relative to the root of the repository; null if it is outside. */
  file: string | null
  /** The index entry, if the file matches it: git must keep seeing it unchanged. */
  unchanged: { mode: string; object: string } | null
}

async function plan({ workspace, repository }: Place, git: Git, name: string, ours: Bytes): Promise<Planned> {
  const path = await findTarget(workspace, name)
  const base = await readIfThere(path)
  const modified = (await statIfThere(path))?.mtimeMs ?? 0
  const written = { path: relative(workspace, path), ours, base, modified }
  if (repository === null) return { path, written, file: null, unchanged: null }
  const file = pathIn(repository.root, path)
  const [known, filter] = await Promise.all([indexEntry(git, file), filterOf(git, file)])
  if (!['unspecified', 'unset', 'set', FILTER].includes(filter)) throw unusable(name, 'it has a git filter of its own')
  if (known && base === null) throw unusable(name, 'git tracks it, and it is not checked out')
  if (base === null) await assertHookFree(repository, name)
  // With a sparse checkout, `git add` fails for a new file outside the checked-out part.
  const sparse = base === null && (await git(['config', '--type=bool', '--get', 'core.sparseCheckout']).catch(() => ''))
  if (sparse === 'true\n') throw unusable(name, 'it does not exist yet, and this is a sparse checkout')
  const same = known && !known.skipped && (await git(['hash-object', '--', file])).trim() === known.object
  return { path, written, file, unchanged: same ? known : null }
}

async function put({ workspace, next }: Place, git: Git, planned: Planned, signal: AbortSignal): Promise<void> {
  const { path, written, file, unchanged } = planned
  if (file !== null && (await filterOf(git, file)) !== FILTER)
    throw unusable(written.path, 'git does not accept the nokosu filter')
  signal.throwIfAborted()
  await mkdir(dirname(join(workspace, written.path)), { recursive: true })
  await replaceFile(path, written.ours + (written.base ?? ''), next)
  if (!unchanged) return
  const entry = `${unchanged.mode},${unchanged.object},${file}`
  // Git treats a file of another size as modified without reading it; this makes it look. Not worth a failure if the index is locked.
  await git(['update-index', '--cacheinfo', entry]).catch(() => {})
}

async function missingFolders(workspace: string, planned: readonly Planned[]): Promise<string[]> {
  const missing = new Set<string>()
  for (const { path } of planned) {
    for (let folder = dirname(path); (await statIfThere(folder)) === null; folder = dirname(folder)) {
      missing.add(relative(workspace, folder))
    }
  }
  return [...missing]
}
