import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const GIT_TIMEOUT_MS = 30_000

/** A workspace as git sees it. Empty without a repository. */
export interface WorkspaceState {
  /** Null without a repository or a commit. */
  commit: string | null
  /** Each path with uncommitted changes, and a fingerprint that changes when it is written to. */
  uncommitted: Map<string, string>
}

export interface SubmittedWork {
  /** The newest commit, if there is one since the task began. */
  commit?: string
  /** Paths changed since then, committed or not. */
  changedFiles: string[]
}

/** Never fails. */
export async function workspaceState(workspace: string): Promise<WorkspaceState> {
  const commit = await git(workspace, ['rev-parse', '--verify', '--quiet', 'HEAD']).catch(() => '')
  const changed = commit === '' ? [] : await paths(workspace, ['diff', '-z', '--relative', '--name-only', 'HEAD'])
  const untracked = await paths(workspace, ['ls-files', '-z', '--others', '--exclude-standard'])
  const marks = [...new Set([...changed, ...untracked])].map(
    async (path) => [path, await markOf(join(workspace, path))] as const,
  )
  return { commit: commit.trim() || null, uncommitted: new Map(await Promise.all(marks)) }
}

/** Changes since `before`. Files that were already changed or new count only if they were written to again. */
export async function submittedWork(workspace: string, before: WorkspaceState): Promise<SubmittedWork> {
  const { commit, uncommitted } = await workspaceState(workspace)
  const fresh = [...uncommitted].filter(([path, mark]) => before.uncommitted.get(path) !== mark).map(([path]) => path)
  if (commit === null || commit === before.commit) return { changedFiles: fresh.sort() }
  const range =
    before.commit === null
      ? ['ls-tree', '-rz', '--name-only']
      : ['diff', '-z', '--relative', '--name-only', before.commit]
  const committed = await paths(workspace, [...range, commit])
  return { commit, changedFiles: [...new Set([...committed, ...fresh])].sort() }
}

async function markOf(path: string): Promise<string> {
  return stat(path).then(
    ({ mtimeMs, size }) => `${mtimeMs} ${size}`,
    () => 'gone',
  )
}

async function paths(workspace: string, args: readonly string[]): Promise<string[]> {
  const text = await git(workspace, args).catch(() => '')
  return text.split('\0').filter((path) => path !== '')
}

async function git(workspace: string, args: readonly string[]): Promise<string> {
  const { stdout } = await execute('git', args, { cwd: workspace, timeout: GIT_TIMEOUT_MS, maxBuffer: 64 << 20 })
  return stdout
}
