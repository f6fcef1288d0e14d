import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { escapeImports } from '../../guard/escape.ts'
import { MemoryError } from '../../model/errors.ts'
import { type Bytes, makeBlock } from './block.ts'
import type { WorkspaceContent } from './content.ts'
import { readIfThere, replaceFile, statIfThere, temporaryOf } from './files.ts'
import { type Git, gitIn, gitSays, indexEntry, pathIn } from './git.ts'
import { allRecords, type Injected, type Place, type WrittenFile, writeRecord } from './record.ts'
import { FILTER, raiseShields } from './shield.ts'
import { findTarget, unusable } from './target.ts'
import { MEMORY, undo } from './undo.ts'

const UNDO_MS = 500

interface Options {
  holder: string | undefined
  file: string
  nonce: string
  signal: AbortSignal
}

/** Looks first, then records what it is going to do, then raises the shields, then writes. A failure undoes what was done. */
export async function apply(
  place: Place,
  content: WorkspaceContent,
  { holder, file, nonce, signal }: Options,
): Promise<void> {
  const { workspace } = place
  const texts = textsOf(content, file)
  const git = gitIn(place.repository?.root ?? workspace, signal)
  if (texts.length === 0) return
  const planned = await Promise.all(texts.map(([name, text]) => plan(place, git, name, makeBlock(text, nonce))))
  const injected: Injected = {
    version: 2,
    files: planned.map(({ written }) => written),
    folders: await missingFolders(workspace, planned),
    exclude: planned.flatMap(({ exclude }) => exclude),
    filter: planned.flatMap(({ filter }) => filter),
    holder: holder === undefined ? null : { name: holder, pid: process.pid, since: new Date().toISOString() },
  }
  signal.throwIfAborted()
  await writeRecord(place, injected)
  try {
    if (place.repository) await raiseShields(place.repository, git)
    for (const each of planned) await put(place, git, each, signal)
  } catch (error) {
    await undo(place, file, AbortSignal.timeout(UNDO_MS))
    throw error
  }
}

/** The memories before the line that imports them. Only Claude Code reads imports; for others the memories are in the one file. */
function textsOf({ instructions, memory }: WorkspaceContent, file: string): [string, string][] {
  const isClaude = file.endsWith('CLAUDE.md')
  const rest = memory === '' || !isClaude ? memory.trim() : `@${MEMORY}`
  // What an operator gives as instructions is no more read for imports here than in a system prompt.
  const text = [escapeImports(instructions.trim()), rest].filter((part) => part !== '').join('\n\n')
  const written: [string, string][] = isClaude && memory !== '' ? [[MEMORY, memory]] : []
  return text === '' ? written : [...written, [file, text]]
}

interface Planned {
  path: string
  written: WrittenFile
  exclude: string[]
  filter: string[]
  /** What the index has, where the file is just that: git is to go on seeing it so. */
  unchanged: { mode: string; object: string } | null
}

async function plan({ workspace, repository }: Place, git: Git, name: string, ours: Bytes): Promise<Planned> {
  const path = await findTarget(workspace, name)
  const base = await readIfThere(path)
  const modified = (await statIfThere(path))?.mtimeMs ?? 0
  const written = { path: relative(workspace, path), ours, base, modified }
  if (repository === null) return { path, written, exclude: [], filter: [], unchanged: null }
  const file = pathIn(repository.root, path)
  const [known, attribute] = await Promise.all([
    indexEntry(git, file),
    git(['check-attr', '-z', 'filter', '--', file]).then((answer) => answer.split('\0')[2] ?? ''),
  ])
  if (!['unspecified', 'unset', 'set', FILTER].includes(attribute))
    throw unusable(name, 'it has a git filter of its own')
  if (known && base === null) throw unusable(name, 'git tracks it, and it is not checked out')
  const isNew = base === null
  if (isNew) await assertNowhere(repository.commonDir, file, name)
  const exclude = [pathIn(repository.root, temporaryOf(path)), ...(isNew ? [file] : [])]
  const same = known && !known.skipped && (await git(['hash-object', '--', file])).trim() === known.object
  return { path, written, exclude, filter: [file], unchanged: same ? known : null }
}

/** Worktrees share what git ignores. A file that somebody has in another one must not become ignored there. */
async function assertNowhere(commonDir: string, file: string, name: string): Promise<void> {
  const links = await readdir(join(commonDir, 'worktrees')).catch(() => [])
  const gitFiles = await Promise.all(links.map((link) => readIfThere(join(commonDir, 'worktrees', link, 'gitdir'))))
  const roots = [dirname(commonDir), ...gitFiles.flatMap((path) => (path === null ? [] : [dirname(path.trim())]))]
  if (links.length === 0 || (await allRecords(commonDir)).some(({ exclude }) => exclude.includes(file))) return
  for (const root of roots) {
    if ((await statIfThere(join(root, file))) === null) continue
    if (!(await indexEntry(gitIn(root), file))) throw unusable(name, `${root} has one that git does not track`)
  }
}

async function put({ workspace, repository }: Place, git: Git, planned: Planned, signal: AbortSignal): Promise<void> {
  const { path, written, unchanged } = planned
  if (repository && written.base === null) await assertIgnored(git, pathIn(repository.root, path))
  signal.throwIfAborted()
  await mkdir(dirname(join(workspace, written.path)), { recursive: true })
  await replaceFile(path, written.ours + (written.base ?? ''))
  if (!repository || !unchanged) return
  const entry = `${unchanged.mode},${unchanged.object},${pathIn(repository.root, path)}`
  // Git takes a file of another size for modified without looking; now it looks. Not worth a failure when its index is locked.
  await git(['update-index', '--cacheinfo', entry]).catch(() => {})
}

/** A `.gitignore` may take back what we exclude; then it would be committed, and must not be written. */
async function assertIgnored(git: Git, path: string): Promise<void> {
  if (await gitSays(git, ['check-ignore', '--quiet', '--no-index', '--', path])) return
  const why = `A .gitignore says that ${path} is to be committed, and it is not there yet: commit one first, even an empty one.`
  throw new MemoryError('UNSUPPORTED', why, { details: { path } })
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
