import { execFile } from 'node:child_process'
import { join, relative, resolve, sep } from 'node:path'
import { MemoryError } from '../../model/errors.ts'
import { statIfThere } from './files.ts'

export interface Repository {
  root: string
  /** This worktree's own folder. It moves with the repository and disappears with the worktree. */
  gitDir: string
  /** Shared by all worktrees: the only place where git reads `info/attributes` and `config`. */
  commonDir: string
  /** Where git looks for hooks: in the shared folder, unless configured otherwise. */
  hooks: string
}

/** Runs git in a folder. `signal` ends it when time is up. */
export type Git = (args: readonly string[]) => Promise<string>

/** Variables that may point git elsewhere; here it must use the workspace. */
const ELSEWHERE = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_PREFIX', 'GIT_NAMESPACE']

class GitFailure extends MemoryError {
  readonly stderr: string
  constructor(args: readonly string[], stderr: string, cause: Error) {
    const what = args.find((word) => /^[a-z-]{3,}$/.test(word))
    super('PROVIDER_ERROR', `git ${what} failed: ${stderr.trim().split('\n')[0] || cause.message}`, {
      retryable: false,
      cause,
    })
    this.stderr = stderr
  }
}

/** The user's programs that git would start. They are only for the user's own commands. */
const WITHOUT_PROGRAMS = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '--no-pager']

export function gitIn(folder: string, signal?: AbortSignal, settings: readonly string[] = WITHOUT_PROGRAMS): Git {
  const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' }
  for (const name of ELSEWHERE) delete env[name]
  return (args) =>
    new Promise((done, fail) => {
      const options = { cwd: folder, env, encoding: 'latin1', maxBuffer: 1 << 26, signal } as const
      execFile('git', [...settings, ...args], options, (error, stdout, stderr) => {
        if (error) fail(new GitFailure(args, stderr, error))
        else done(stdout)
      })
    })
}

/** Null without a repository, or without a git that can commit. */
export async function findRepository(workspace: string, signal?: AbortSignal): Promise<Repository | null> {
  const git = gitIn(workspace, signal, [])
  // One call each, because a path may contain line breaks.
  const ask = async (...what: string[]) => {
    const path = (await git(['rev-parse', ...what])).replace(/\n$/, '')
    return resolve(workspace, Buffer.from(path, 'latin1').toString('utf8'))
  }
  try {
    const [root, gitDir, commonDir, hooks] = await Promise.all([
      ask('--show-toplevel'),
      ask('--absolute-git-dir'),
      ask('--git-common-dir'),
      ask('--git-path', 'hooks'),
    ])
    return { root, gitDir, commonDir, hooks }
  } catch (error) {
    const { stderr, cause } = error as GitFailure
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    if (/not a git repository|must be run in a work tree/.test(stderr)) return null
    throw error
  }
}

/** The repository that contains a submodule; null if there is none. */
export async function findAround(root: string, signal?: AbortSignal): Promise<string | null> {
  const path = (await gitIn(root, signal)(['rev-parse', '--show-superproject-working-tree'])).replace(/\n$/, '')
  return path === '' ? null : Buffer.from(path, 'latin1').toString('utf8')
}

/** The repository's other worktrees that still exist. */
export async function otherWorktrees({ root, gitDir, commonDir }: Repository, signal?: AbortSignal): Promise<string[]> {
  if (gitDir === commonDir && (await statIfThere(join(commonDir, 'worktrees'))) === null) return []
  const listed = await gitIn(root, signal)(['worktree', 'list', '--porcelain'])
  const paths = [...listed.matchAll(/^worktree (.*)\n(?!bare$)/gm)].map(([, path]) =>
    Buffer.from(path!, 'latin1').toString('utf8'),
  )
  const there = await Promise.all(paths.map((path) => statIfThere(join(path, '.git'))))
  return paths.filter((path, position) => path !== root && there[position] !== null)
}

export async function filterOf(git: Git, path: string): Promise<string> {
  return (await git(['check-attr', '-z', 'filter', '--', path])).split('\0')[2] ?? ''
}

export function pathIn(root: string, file: string): string {
  return relative(root, file).split(sep).join('/')
}

/** A file's entry in the index; null if git does not track it. */
export async function indexEntry(git: Git, path: string) {
  const line = await git(['ls-files', '-s', '-t', '--', `:(literal,top)${path}`])
  const [, tag, mode, object] = /^(\S) (\d+) (\w+) /.exec(line) ?? []
  return mode === undefined || object === undefined ? null : { mode, object, skipped: tag === 'S' }
}

/** Updates the size and time that git has recorded for an unchanged file. Not worth a failure if the index is locked. */
export async function refreshIndex(git: Git, path: string): Promise<void> {
  const known = await indexEntry(git, path)
  if (!known || known.skipped || !known.mode.startsWith('100')) return
  const hash = await git(['hash-object', '--', path]).catch(() => '')
  if (hash.trim() === known.object) await git(['-c', 'core.safecrlf=false', 'update-index', '--', path]).catch(() => {})
}
