import { execFile } from 'node:child_process'
import { relative, resolve, sep } from 'node:path'
import { MemoryError } from '../../model/errors.ts'

/** The repository that a workspace is in. */
export interface Repository {
  root: string
  /** This worktree's own folder. It moves with the repository, and goes with a worktree that is removed. */
  gitDir: string
  /** What all worktrees share: git reads `info/exclude`, `info/attributes` and `config` there and nowhere else. */
  commonDir: string
}

/** Asks git in a folder. `signal` ends it when there is no more time. */
export type Git = (args: readonly string[]) => Promise<string>

/** Variables by which git may have been told to look elsewhere; we mean the workspace. */
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

export function gitIn(folder: string, signal?: AbortSignal): Git {
  const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C' }
  for (const name of ELSEWHERE) delete env[name]
  return (args) =>
    new Promise((done, fail) => {
      const options = { cwd: folder, env, encoding: 'latin1', maxBuffer: 1 << 26, signal } as const
      execFile('git', args, options, (error, stdout, stderr) => {
        if (error) fail(new GitFailure(args, stderr, error))
        else done(stdout)
      })
    })
}

/** Whether git says yes, by its exit code: 0 is yes, 1 is no. */
export async function gitSays(git: Git, args: readonly string[]): Promise<boolean> {
  try {
    await git(args)
    return true
  } catch (error) {
    if (((error as MemoryError).cause as { code?: unknown }).code === 1) return false
    throw error
  }
}

/** Null where there is no repository, or no git that could commit anything. */
export async function findRepository(workspace: string, signal?: AbortSignal): Promise<Repository | null> {
  const git = gitIn(workspace, signal)
  // One question each: a path may have line breaks in it.
  const ask = async (what: string) => {
    const path = (await git(['rev-parse', what])).replace(/\n$/, '')
    return resolve(workspace, Buffer.from(path, 'latin1').toString('utf8'))
  }
  try {
    const [root, gitDir, commonDir] = await Promise.all(
      ['--show-toplevel', '--absolute-git-dir', '--git-common-dir'].map(ask),
    )
    return { root: root!, gitDir: gitDir!, commonDir: commonDir! }
  } catch (error) {
    const { stderr, cause } = error as GitFailure
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    if (/not a git repository|must be run in a work tree/.test(stderr)) return null
    throw error
  }
}

export function pathIn(root: string, file: string): string {
  return relative(root, file).split(sep).join('/')
}

/** What the index has of a file; null when git does not track it. */
export async function indexEntry(git: Git, path: string) {
  const line = await git(['ls-files', '-s', '-t', '--', `:(literal,top)${path}`])
  const [, tag, mode, object] = /^(\S) (\d+) (\w+) /.exec(line) ?? []
  return mode === undefined || object === undefined ? null : { mode, object, skipped: tag === 'S' }
}
