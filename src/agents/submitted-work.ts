import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const GIT_TIMEOUT_MS = 30_000

/** What a coder has to show. */
export interface SubmittedWork {
  /** The newest commit, when there is one since the task began. */
  commit?: string
  /** Paths changed since then, committed or not. */
  changedFiles: string[]
}

/** The commit that a workspace is at; null where there is no repository, or none yet. */
export async function currentCommit(workspace: string): Promise<string | null> {
  return git(workspace, ['rev-parse', '--verify', '--quiet', 'HEAD']).then(
    (text) => text.trim(),
    () => null,
  )
}

/** Looks, and never fails: a workspace without git has nothing to show. */
export async function submittedWork(workspace: string, base: string | null): Promise<SubmittedWork> {
  const head = await currentCommit(workspace)
  const committed =
    head === null || head === base
      ? []
      : await paths(
          workspace,
          base === null ? ['ls-tree', '-rz', '--name-only', head] : ['diff', '-z', '--name-only', base, head],
        )
  const tracked = head === null ? [] : await paths(workspace, ['diff', '-z', '--name-only', 'HEAD'])
  const untracked = await paths(workspace, ['ls-files', '-z', '--others', '--exclude-standard'])
  const changedFiles = [...new Set([...committed, ...tracked, ...untracked])].sort()
  return { changedFiles, ...(head === null || head === base ? {} : { commit: head }) }
}

async function paths(workspace: string, args: readonly string[]): Promise<string[]> {
  const text = await git(workspace, args).catch(() => '')
  return text.split('\0').filter((path) => path !== '')
}

async function git(workspace: string, args: readonly string[]): Promise<string> {
  const { stdout } = await execute('git', args, { cwd: workspace, timeout: GIT_TIMEOUT_MS, maxBuffer: 64 << 20 })
  return stdout
}
