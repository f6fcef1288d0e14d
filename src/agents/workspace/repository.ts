import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryError } from '../../model/errors.ts'

/** The repository that a workspace is in, or is a linked worktree of. */
export interface Repository {
  root: string
  /** What all worktrees share: git reads `info/exclude`, `info/attributes` and `config` there and nowhere else. */
  commonDir: string
}

interface Answer {
  code: number
  stdout: string
  stderr: string
}

/** Variables by which git may have been told to look elsewhere; we mean the workspace. */
const ELSEWHERE = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_PREFIX', 'GIT_NAMESPACE']
const NO_GIT = 127

function ask(folder: string, args: readonly string[]): Promise<Answer> {
  const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C' }
  for (const name of ELSEWHERE) delete env[name]
  return new Promise((done, fail) => {
    const options = { cwd: folder, env, encoding: 'latin1', maxBuffer: 1 << 26 } as const
    execFile('git', args, options, (error, stdout, stderr) => {
      if (!error) done({ code: 0, stdout, stderr })
      else if (error.code === 'ENOENT') done({ code: NO_GIT, stdout, stderr })
      else if (typeof error.code === 'number') done({ code: error.code, stdout, stderr })
      else fail(error)
    })
  })
}

/** Runs git in a repository. A lock that another git holds for a moment is waited for. */
export async function git({ root }: Repository, args: readonly string[]): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const { code, stdout, stderr } = await ask(root, args)
    if (code === 0) return stdout
    if (attempt < 10 && /could not lock|\.lock': File exists/.test(stderr)) await sleep(50)
    else throw failure(args, stderr)
  }
}

/** Asks git a question that its exit code answers: 0 is yes, 1 is no. */
export async function gitSays({ root }: Repository, args: readonly string[]): Promise<boolean> {
  const { code, stderr } = await ask(root, args)
  if (code > 1) throw failure(args, stderr)
  return code === 0
}

/** Null where there is no repository, or no git that could commit anything. */
export async function findRepository(workspace: string): Promise<Repository | null> {
  const args = ['rev-parse', '--is-inside-work-tree', '--show-toplevel', '--git-common-dir']
  const { code, stdout, stderr } = await ask(workspace, args)
  if (code === NO_GIT || /not a git repository|must be run in a work tree/.test(stderr)) return null
  if (code !== 0) throw failure(args, stderr)
  const [, root, common] = Buffer.from(stdout, 'latin1').toString('utf8').split('\n')
  return { root: root!, commonDir: resolve(workspace, common!) }
}

export function pathIn({ root }: Repository, file: string): string {
  return relative(root, file).split(sep).join('/')
}

/** Literal: a folder called `[x]` is no pattern. */
export function literal(path: string): string {
  return `:(literal,top)${path}`
}

/** Has git take a file for unchanged whatever it holds, or look at it again. */
export async function lookAway(repository: Repository, path: string, away: boolean): Promise<void> {
  await git(repository, ['update-index', away ? '--skip-worktree' : '--no-skip-worktree', '--', path])
}

const LINK = '120000'

export interface IndexEntry {
  /** A symbolic link, a file, ... as git stores it. */
  mode: string
  object: string
  skipped: boolean
}

/** What git knows of a file; null when it does not track it. */
export async function indexEntry(repository: Repository, path: string): Promise<IndexEntry | null> {
  const [line] = (await git(repository, ['ls-files', '-z', '-t', '-s', '--', literal(path)])).split('\0')
  const [, tag, mode, object] = /^(\S) (\d+) (\w+) /.exec(line ?? '') ?? []
  return mode === undefined || object === undefined ? null : { mode, object, skipped: tag === 'S' }
}

/** Whether the file on disk is, filters and line ends considered, the one in the index. Takes no lock. */
export async function isUnchanged(
  repository: Repository,
  path: string,
  { mode, object }: IndexEntry,
): Promise<boolean> {
  if (mode === LINK) return gitSays(repository, ['diff', '--quiet', '--no-ext-diff', '--', literal(path)])
  if (!existsSync(join(repository.root, path))) return false
  // From the root: attributes, and with them filters, are not found for a path that is absolute.
  return (await git(repository, ['hash-object', '--', path])).trim() === object
}

/**
 * Makes git look into a file the next time. Otherwise it takes one of another size for modified without looking, and refuses to
 * switch branches. The lock is held for a moment only: a process that is killed while it holds it stops every later git.
 */
export async function forgetSize(repository: Repository, path: string, { mode, object }: IndexEntry): Promise<void> {
  await git(repository, ['update-index', '--cacheinfo', `${mode},${object},${path}`])
}

/** Tells git the size and time of a file whose content is unchanged. */
export async function refreshIndex(repository: Repository, path: string): Promise<void> {
  const entry = await indexEntry(repository, path)
  if (!entry || entry.skipped || !(await isUnchanged(repository, path, entry))) return
  // Only a remembered size: not worth a failure when a git that was killed left its lock.
  if (!(await isLocked(repository))) await git(repository, ['-c', 'core.safecrlf=false', 'update-index', '--', path])
}

async function isLocked(repository: Repository): Promise<boolean> {
  const lock = (await git(repository, ['rev-parse', '--git-path', 'index.lock'])).trim()
  for (let attempt = 0; attempt < 10; attempt++) {
    if (!existsSync(resolve(repository.root, lock))) return false
    await sleep(50)
  }
  return true
}

function failure(args: readonly string[], stderr: string): MemoryError {
  return new MemoryError(
    'PROVIDER_ERROR',
    `git ${args.find((word) => /^[a-z-]{3,}$/.test(word))} failed: ${stderr.trim().split('\n')[0] ?? ''}`,
    {
      retryable: false,
    },
  )
}
